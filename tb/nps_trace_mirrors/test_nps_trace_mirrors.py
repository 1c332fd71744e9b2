# SPDX-License-Identifier: Apache-2.0
"""nps_trace_mirrors on both simulators, and a bug it must show."""

from tb.runner import Patch, bench, caught

PARAMETERS = {"LAYERS": 0xFFFFFFFF, "DRY_MASK": 0x0000FFFF}


def test_bench(sim):
    bench("nps_trace_mirrors", sim, PARAMETERS)


def test_planted_bug():
    """The snapshot taken a clock early, without the last record before it."""
    patch = Patch("nps_trace_mirrors.v", "captures = capturing[2]", "captures = capturing[1]")
    caught("nps_trace_mirrors", "icarus", patch, PARAMETERS)
