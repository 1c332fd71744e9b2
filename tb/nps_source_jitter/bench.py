# SPDX-License-Identifier: Apache-2.0
"""nps_source_jitter: the golden model's events, as late as those of the trace ports; the words a stream begins with."""

import random
import re
from collections import deque
from pathlib import Path

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.encode import JitterConfig, JitterInputs, JitterModel, TimeBus
from npuscope.layout import Cfg
from tb.signals import known, start

HEADER = (Path(__file__).resolve().parents[2] / "rtl/probe/nps_probe.vh").read_text()
LATENCY, WORDS_AT = (int(re.search(rf"{name} (\d+)", HEADER).group(1)) for name in ("BP_LATENCY", "BP_LIMITS_LATENCY"))
PERIOD, GAP = 5, 10
IDLE = (
    *("restart", "enable", "rel_ns", "rel_frac", "ts_ns", "tq", "locked", "holdover", "ts_step", "rel_step", "step_ns"),
    *("sync_valid", "phy_changed", "cfg_apply", "cfg_t_nominal", "cfg_options", "cfg_watchdog"),
    *("stat_snap", "stat_index"),
)


def told(event):
    """(ts, kind, sub, payload, tq, step) of an event bus, as far as its strobes say, or None."""
    record, step = event >> 138 & 1, event >> 139 & 1
    if not record and not step:
        return None
    size = event >> 140
    fields = (event >> 32 & 15, event >> 36 & 15, event & 0xFFFFFFFF) if record else None
    return event >> 40 & (1 << 64) - 1, event >> 104 & 3, size - (size >> 63 << 64) if step else None, fields


@cocotb.test()
async def test_random(dut):
    """Pulses, steps, configurations and restarts at any time; the words are those of the first clock of the stream."""
    await start(dut, *IDLE)
    dut.enable.value = dut.locked.value = 1
    model, now = JitterModel(), 0
    expected, words, records, begun = deque([None] * LATENCY), {}, 0, 0
    for clock in range(6000):
        now += PERIOD
        sync, step = clock % GAP == 0 or random.random() < 0.05, random.random() < 0.01
        config = JitterConfig(PERIOD * GAP * random.randrange(0, 3) << 8) if random.random() < 0.05 else None
        restart = random.random() < 0.03 and not words
        bus = TimeBus(now, now + 7, 2, step, False, -3 if step else 0)
        dut.rel_ns.value, dut.ts_ns.value, dut.tq.value = now, now + 7, 2
        dut.ts_step.value, dut.step_ns.value = int(step), -3 & (1 << 64) - 1
        dut.sync_valid.value, dut.restart.value, dut.cfg_apply.value = int(sync), int(restart), int(config is not None)
        if config is not None:
            dut.cfg_t_nominal.value, dut.cfg_options.value = config.t_nominal, config.options
            dut.cfg_watchdog.value = config.watchdog
        await RisingEdge(dut.clk)
        entry = model.clock(JitterInputs(bus, sync=sync, apply=config, restart=restart)).entry
        if restart:
            words[clock + WORDS_AT] = model.words
        shown = told(int(dut.event_bus.value)) if dut.event_bus.value.is_resolvable else None
        due = expected.popleft()
        expected.append(entry)
        if restart:  # what is on its way is void in the source, and not offered by who asks for the restart
            expected = deque([None] * LATENCY)
        if begun <= clock - LATENCY:
            assert shown == (None if due is None else said(due)), f"clock {clock}"
            records += due is not None
        begun = clock if restart else begun
        if clock in words:
            start_words = words.pop(clock)
            value = known(dut.words)
            assert (value & 0xFFFFFFFF, value >> 32) == (start_words[Cfg.T_NOMINAL_LO], start_words[Cfg.T_NOMINAL_HI])
    assert records > 500


def said(entry):
    fields = None if entry.kind is None else (entry.sub, entry.kind, entry.payload)
    return entry.ts, entry.tq, entry.step_ns, fields
