# SPDX-License-Identifier: Apache-2.0
"""nps_trace_lists on both simulators, and a bug it must show."""

from tb.runner import Patch, bench, caught


def test_bench(sim):
    bench("nps_trace_lists", sim)


def test_planted_bug():
    """A list that moves with its round robin."""
    caught("nps_trace_lists", "icarus", Patch("nps_trace_lists.v", ".next(next_cfg && !robin)", ".next(next_cfg)"))
