# SPDX-License-Identifier: Apache-2.0
"""nps_trace_lists on both simulators, and a bug it must show."""

import pytest

from tb.others import env, parameters
from tb.runner import Patch, bench, caught


@pytest.mark.parametrize("others", [0, 7])
def test_bench(sim, others):
    bench("nps_trace_lists", sim, {"INDEX_W": 3 if others else 2} | parameters(others), env=env(others))


def test_planted_bug():
    """A list that moves with its round robin."""
    caught("nps_trace_lists", "icarus", Patch("nps_trace_lists.v", ".next(next_cfg && !robin)", ".next(next_cfg)"))
