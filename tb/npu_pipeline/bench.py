# SPDX-License-Identifier: Apache-2.0
"""The Verilog pipeline against npuscope.pipeline, every level and every sample of every clock."""

import os
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from npuscope.pipeline import Activity, run
from tb.npu_pipeline.cases import case


@cocotb.test()
async def test_equals_the_model(dut):
    """Levels, stops, trace port, tokens and order, from reset on; a second reset starts anew."""
    clocks = int(os.environ["NPU_CLOCKS"])
    pipeline = case(os.environ["NPU_CASE"])
    assert Path(str(cocotb.plusargs["PIPELINE"])).name == os.environ["NPU_CASE"]
    Clock(dut.clk, 10, unit="ns").start()
    await compare(dut, pipeline, clocks // 10)
    compared = await compare(dut, pipeline, clocks)
    assert compared == clocks


async def compare(dut, pipeline, clocks) -> int:
    """Reset, then compare ``clocks`` clocks; gives the number of clocks compared."""
    model = run(pipeline, clocks)
    used = 0
    for b in range(len(pipeline.buffers)):
        used = used + (model.used(b).astype(object) << 16 * b)
    stopped = 0
    for i, stage in enumerate(pipeline.stages):
        stopped = stopped + ((model.activity(stage.name) == Activity.STOPPED).astype(object) << i)
    finished = iter([*model.finished.tolist(), None])
    next_finish, token = next(finished), 0
    ports = [port_values(model.samples(src)) for src in range(pipeline.sources)]

    dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    await FallingEdge(dut.clk)
    assert int(dut.trace_valid.value) == 0
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    for clock in range(clocks):
        await FallingEdge(dut.clk)
        where = f"clock {clock}"
        assert int(dut.used.value) == used[clock], where
        assert int(dut.stopped.value) == stopped[clock], where
        valid = int(dut.trace_valid.value)
        layer, occ, bp = (int(h.value) for h in (dut.layer_id, dut.buf_occupancy, dut.backpressure_en))
        for src, port in enumerate(ports):
            sample = (layer >> 5 * src & 31, occ >> 6 * src & 63, bp >> src & 1) if valid >> src & 1 else None
            assert sample == port.get(clock), f"{where}, source {src}"
        if int(dut.token_valid.value):
            assert (clock, int(dut.token.value)) == (next_finish, token), where
            next_finish, token = next(finished), token + 1
    assert next_finish is None, "a token of the model did not come"
    assert int(dut.broken.value) == 0
    return clocks


def port_values(samples) -> dict[int, tuple[int, int, int]]:
    rows = zip(samples.layer.tolist(), samples.occ.tolist(), samples.bp.tolist(), strict=True)
    return dict(zip(samples.clock.tolist(), rows, strict=True))
