# SPDX-License-Identifier: Apache-2.0
"""nps_trace_loss on both simulators, and bugs it must show."""

import pytest

from tb.runner import Patch, bench, caught


@pytest.mark.parametrize("context", [0, 4, 16])
def test_bench(sim, context):
    bench("nps_trace_loss", sim, {"CONTEXT": context}, env={"CONTEXT": str(context)})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("high + step_high + {31'd0, carry}", "high + step_high"),
        ("whole <= whole || drop_whole", "whole <= drop_whole"),
        ("times[{account, open}]", "times[{account, 1'b0}]"),
        ("at_last && shadow_several", "at_last"),
        ("if (drop_late) mask", "if (drop_next) mask"),
    ],
)
def test_planted_bug(old, new):
    caught("nps_trace_loss", "icarus", Patch("nps_trace_loss.v", old, new))
