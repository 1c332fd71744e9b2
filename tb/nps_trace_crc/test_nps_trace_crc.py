# SPDX-License-Identifier: Apache-2.0
"""nps_trace_crc on both simulators, and a bug that its bench must catch."""

from tb.runner import Patch, bench, caught


def test_bench(sim):
    bench("nps_trace_crc", sim)


def test_planted_bug(sim):
    keeps = Patch("nps_trace_crc.v", "`NPS_CRC32_NEXT(`NPS_CRC32_INIT) ^ word", "`NPS_CRC32_NEXT(state) ^ word")
    caught("nps_trace_crc", sim, keeps)
