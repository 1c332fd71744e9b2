# SPDX-License-Identifier: Apache-2.0
"""nps_top end to end, on both simulators; see README.md."""

from __future__ import annotations

import pytest

from tb.nps_top.config import BUILDS
from tb.runner import bench


@pytest.mark.parametrize("name", BUILDS)
def test_random(name, sim):
    bench("nps_top", sim, BUILDS[name].parameters, env={"NPS_TOP_BUILD": name})
