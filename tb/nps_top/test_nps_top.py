# SPDX-License-Identifier: Apache-2.0
"""nps_top end to end, on both simulators and through the decoder; see README.md."""

from __future__ import annotations

import pytest

from tb.nps_top.config import BUILDS
from tb.nps_top.decoded import check_hot, check_ledger, check_records, driven, episodes, read
from tb.runner import bench

STEADY_LIMITS = ("no_loss", "stalls", "steps")
"""Tests whose limits never change, so that the levels driven say alone when a layer was hot."""


@pytest.mark.parametrize("name", BUILDS)
def test_random(name, pytestconfig):
    """All profiles; each simulator compares every bit, both give the same bytes, and the decoder reads them right."""
    simulators = pytestconfig.getoption("--sim").split(",")
    folders = [bench("nps_top", sim, BUILDS[name].parameters, env={"NPS_TOP_BUILD": name}).folder for sim in simulators]
    dumps = {path.stem: path for path in sorted(folders[0].glob("*.npt"))}
    assert len(dumps) >= 6
    for other in folders[1:]:
        assert {path.stem: path.read_bytes() for path in other.glob("*.npt")} == {
            stem: path.read_bytes() for stem, path in dumps.items()
        }
    lost = {}
    for stem, path in dumps.items():
        reading = read(path)
        lost[stem] = check_ledger(reading)
        assert check_records(reading) > 100
        if stem in STEADY_LIMITS and BUILDS[name].limits.stale_ns >= 100_000:
            known, hot = check_hot(reading)
            assert known > hot > 1000
            assert set(episodes(reading)) <= set(driven(reading))
            if not lost[stem] and stem != "steps":
                assert episodes(reading) == driven(reading)
    assert lost["no_loss"] == 0
    assert lost["stalls"] > 200
