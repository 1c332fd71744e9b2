# SPDX-License-Identifier: Apache-2.0
"""The timing canary: if it fails, no other bench on that simulator means anything."""

from pathlib import Path

from tb.runner import Patch, bench, caught

TOP = Path(__file__).with_name("nps_canary.v")


def test_canary(sim):
    bench("nps_canary", sim, module="tb.canary.bench", extra=[TOP])


def test_canary_sees_a_wrong_register(sim):
    caught("nps_canary", sim, Patch("nps_canary.v", "q <= d;", "q <= sum;"), module="tb.canary.bench", extra=[TOP])
