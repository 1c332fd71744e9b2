# SPDX-License-Identifier: Apache-2.0
"""nps_energy_dvfs in a loop with a chip: from 6.2 mJ a token to less than 3.8, and not back."""

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.layout import THRESHOLDS
from tb.signals import known, start

LIMIT = THRESHOLDS["ENERGY_LIMIT"].value
V_HIGH, V_LOW = THRESHOLDS["DVFS_V_HIGH"].value, THRESHOLDS["DVFS_V_LOW"].value
F_HIGH, F_LOW = THRESHOLDS["DVFS_F_HIGH"].value, THRESHOLDS["DVFS_F_LOW"].value
FP16, MIXED = 6.2e9, 3.6e9 * (V_HIGH / V_LOW) ** 2  # pJ a token at the high point: FP16; INT4 and FP16
NS, CLOCKS = 200, 40  # of a token


@cocotb.test()
async def test_loop(dut):
    """B5, B6: 6.2 mJ in FP16 drive the governor to its low point, INT4 + FP16 then need 3.6 mJ."""
    await start(dut, "enable", "govern", "rel_ns", "rel_step", "power_valid", "power_mw", "token", "cfg_apply")
    dut.cfg_limit.value = dut.cfg_release.value = 0
    dut.enable.value = dut.govern.value = 1
    now, energies, points = 1 << 30, [], []
    for token in range(120):
        voltage = known(dut.voltage)
        energy = (FP16 if token < 50 else MIXED) * (voltage / V_HIGH) ** 2  # switching: the square of the voltage
        for clock in range(CLOCKS):
            now += NS
            dut.rel_ns.value, dut.token.value = now, clock == CLOCKS - 1
            dut.power_valid.value, dut.power_mw.value = clock == 0, round(energy / NS / CLOCKS)
            await RisingEdge(dut.clk)
            if known(dut.ev_valid):
                energies.append(known(dut.ev_payload) << 10)
        points.append((known(dut.voltage), known(dut.frequency)))
    cocotb.log.info("%.2f mJ, then %.2f, at last %.2f", *(energies[n] / 1e9 for n in (1, 45, -1)))
    assert abs(energies[1] - FP16) < FP16 / 1000
    assert energies[45] > LIMIT  # the governor alone cannot do it
    assert points[49] == (V_LOW, F_LOW)
    assert LIMIT * 0.93 < energies[-1] < LIMIT
    assert set(points[52:]) == {(V_LOW, F_LOW)}, "it goes up again"


@cocotb.test()
async def test_order(dut):
    """A step comes in the clock behind its verdict, and not while `govern` is 0."""
    await start(dut, "enable", "govern", "rel_ns", "rel_step", "power_valid", "power_mw", "token", "cfg_apply")
    dut.cfg_limit.value = dut.cfg_release.value = 0
    dut.enable.value, dut.power_valid.value, dut.power_mw.value = 1, 1, (1 << 24) - 1
    now, seen = 1 << 30, []
    for clock in range(400):
        now += 255
        dut.rel_ns.value, dut.token.value, dut.govern.value = now, clock % 20 == 0, clock > 200
        await RisingEdge(dut.clk)
        seen.append((known(dut.ev_valid), known(dut.dv_valid)))
    steps = [clock for clock, (_, step) in enumerate(seen) if step]
    assert steps
    assert min(steps) > 200
    assert all(seen[clock - 1][0] for clock in steps)
