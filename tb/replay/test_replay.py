# SPDX-License-Identifier: Apache-2.0
"""Replay at native speed: both simulators say what the model says, and a bug is seen."""

import numpy as np
import pytest

from npuscope import cli
from npuscope.errors import NpuscopeError
from npuscope.layout import BpSub
from npuscope.sim import Patch
from tb.replay.replay import PERIOD_NS, compare, golden, random_samples
from tests.cli.dumps import dump, events

BUG = Patch("nps_bp_probe.v", "wire n_hot = s4_hot ? !s4_off : s4_on;", "wire n_hot = s4_on;")


def test_random_samples(sim, seed):
    samples = random_samples(10_000, seed)
    compare(samples, sim, golden(samples))


def test_planted_bug(seed):
    samples = random_samples(2_000, seed)
    with pytest.raises(NpuscopeError, match=r"event \d+ on icarus is not the model's"):
        compare(samples, "icarus", golden(samples), BUG)


def test_an_exported_dump_repeats_its_edges(sim, tmp_path):
    (tmp_path / "run.npt").write_bytes(dump())
    made = tmp_path / "samples.bin"
    assert cli.run(["export", str(tmp_path / "run.npt"), "--to", "stimulus", "-o", str(made), "-q"]) == 0
    wanted = golden(np.fromfile(made, "<u2"))
    compare(np.fromfile(made, "<u2"), sim, wanted)
    edges = [event for event in wanted if event["sub"] in (BpSub.ENTER, BpSub.EXIT)]
    told = [(ts, sub, layer) for ts, layer, sub, _ in events() if sub in (BpSub.ENTER, BpSub.EXIT)]
    assert [(int(e["ts"]) - int(edges[0]["ts"]), int(e["sub"]), int(e["payload"]) & 31) for e in edges] == [
        ((ts - told[0][0]) // PERIOD_NS * PERIOD_NS, sub, layer) for ts, sub, layer in told
    ]
