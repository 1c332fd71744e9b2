"""Cycle-level model of an elastic NPU pipeline: what ``tb/vip/npu_pipeline.v`` does, clock by clock.

The rules (numbered; the Verilog quotes them). Clock 0 is the first clock out of reset; "in clock t" means: decided on
the registers as they are during clock t, visible in clock t + 1.

P1  A *buffer* is a FIFO of ``depth`` tokens from one stage to one stage. In clock t it *has* a token iff used > 0 and
    has *room* iff used < depth, both on the registered level: a full buffer takes nothing even if it is read in the
    same clock, and a token written in clock t can be read from clock t + 1 on.
P2  A *stage* holds at most one token. It *takes* one token from each of its input buffers in the same clock (join),
    works on it for ``cost`` clocks, and *puts* one token into each of its output buffers in the same clock (fork):
    taken in clock t, a token may be put from clock t + cost on, and the next one taken in the clock of the put.
P3  The source is a stage without inputs, the sink one without outputs. A source of ``tokens`` > 0 takes that many.
P4  A stop window [first, end) freezes its stage: in these clocks it neither takes, works nor puts.
P5  cost of token n = service + draw(n) + (gap if burst > 0, n > 0 and n mod burst = 0) + ``extra`` of the slow windows
    [first, end) of its stage that hold the clock in which it takes the token. The draw belongs to the token, so a run
    without a window makes the same draws.
P6  draw(n) = (mix(seed of the stage + n * 0x9E3779B9) >> 16) * (jitter + 1) >> 16, 0..jitter; mix is the 32-bit
    finaliser of MurmurHash3; the seed of stage i is mix(seed + i).
P7  Each clock of a stage has one class: STOPPED (P4), else STARVED (holds nothing and takes nothing), BLOCKED (holds
    a finished token that it cannot put), or WORKING.
P8  Trace port: the buffers are cut into ``sources`` equal runs of ``span`` buffers (the last may be shorter); in
    clock t source i samples buffer i * span + t mod span, if there is one: occupancy code min(63, floor(64 * used /
    depth)), and backpressure_en = no room.
"""

from npuscope.pipeline.describe import describe, dry_buffers, probe_masks
from npuscope.pipeline.graph import SINK, SOURCE, Fifo, Pipeline, Stage, Window, load
from npuscope.pipeline.hdl import hdl_parameters, write_hdl
from npuscope.pipeline.random import KINDS, random_pipeline
from npuscope.pipeline.run import Activity, Run, Samples, run

__all__ = [
    "KINDS",
    "SINK",
    "SOURCE",
    "Activity",
    "Fifo",
    "Pipeline",
    "Run",
    "Samples",
    "Stage",
    "Window",
    "describe",
    "dry_buffers",
    "hdl_parameters",
    "load",
    "probe_masks",
    "random_pipeline",
    "run",
    "write_hdl",
]
