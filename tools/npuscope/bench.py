"""``make bench``: what a decode costs, in GB per CPU second, beside its limits and a peer, all in one run.

The dumps are made here (full frames, 4 sources of 12 layers read as one chain of 48). Parts: copying memory and CRC-32
alone are limits that no decoder can beat; ``frames`` is reading, checking and accounting; ``columns`` adds ts, src,
kind, sub, layer, occ, bp as arrays; ``culprit table`` goes from the file to the table of who stalls whom, ``timeline``
and ``blame sweep`` are its parts after the decode. The peer is Debian's babeltrace2, reading the same records as a
CTF 1.8 trace into its ``dummy`` sink. Figures are CPU seconds of the process, best of a few.

The analysis is measured on three kinds of traffic, because its cost follows episodes and not bytes:

* *quiet*: congestion fronts that go up the chain, an episode per about 100 records (many LEVEL records in each);
* *fronts*: the same with an episode per about 13 records, as in ``traces/simulated``;
* *independent*: every layer hot and cool on its own, an episode per about 8 records: no two states of the board are
  alike. The worst case; no device does that.

The goals of 1.6 GB/CPU-s to the culprit table and of 1 M episodes/CPU-s agree only on quiet traffic: 1.6 GB are 100 M
records of 16 bytes, which hold 1 M episodes at one per 100 records, and more wherever there are more. So the goal in
GB stands on the quiet line and the goal in episodes on each. Quiet traffic is what a device with LEVEL records sends
(94 of the 100 records), easier than one in this only: no two records have the same time. Its dump is four times as
large as the others, so that what is paid once per dump (4 ms, 1 ns a record of 64 MiB) hardly counts.

The goals in GB were set on a machine on which copying memory makes 9 to 10.5 GB/s. On another one the ratio to the copy
of the same run (``of copy``) is what compares: 1.2 GB/CPU-s are 11.4 to 13.3 % of such a copy, 1.6 are 15.2 to 17.8 %.
The table shows both, each with its verdict; the ratio is judged by the upper end.

What a record of quiet traffic costs, ns of the CPU, on a loaded machine that copies 5.7 GB/s (16 bytes: 2.8 ns):

* 3 to read it and look at it while it is in the cache: CRC-32 0.6, the strided passes over kind and time 1.0;
* 3 to judge the frames, account for all records, and pick the 5 in 100 that blame depends on;
* 4 for the timeline, of which each pass over the kept records costs 0.05 to 0.15;
* 4.7 for the blame sweep: as many passes over the edges.

"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from npuscope.analysis import stalls
from npuscope.bench_waves import measure_waves
from npuscope.crc import crc32
from npuscope.encode.bulk import Bulk
from npuscope.errors import leave
from npuscope.layout import FRAME_RECORDS, RECORD, RECORD_BYTES
from npuscope.records import decode
from npuscope.records.decoder import BLOCK_BYTES
from npuscope.source import open_source
from npuscope.timeline import BLAME_KINDSUBS, Recorder, Timeline

__all__ = ["main", "write_ctf"]

REPEATS: Final = 3
TRAFFIC: Final[dict[str, dict[str, Any]]] = {
    "quiet": {"fronts": True, "levels": 46},
    "fronts": {"fronts": True, "levels": 2},
    "independent": {},
}
"""Name -> arguments of ``Bulk``."""
MIB: Final = 1 << 20
WAVE_BYTES: Final = 108_000_000
FRAME_BYTES: Final = FRAME_RECORDS * RECORD_BYTES
PEER: Final = "babeltrace2"
PEER_MIB: Final = 16
"""Size of the peer's trace: it is two orders slower, and its speed does not depend on the size."""
QUIET_TIMES: Final = 4
"""Size of the quiet dump, in sizes of the others."""
GOAL_COPY: Final = 9.0
"""GB/s of a copy where the goals in GB were set: the lower end, which makes the goal as a ratio the higher one."""
COLUMNS_GOAL: Final = 1.2
CULPRIT_GOAL: Final = 1.6
EPISODES_GOAL: Final = 1e6

CTF_MAGIC: Final = 0xC1FC1FC1
CTF_PACKET: Final = np.dtype([("magic", "<u4"), ("stream", "<u4"), ("content", "<u8"), ("size", "<u8")])
CTF_METADATA: Final = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
trace {
    major = 1; minor = 8; byte_order = le;
    packet.header := struct { uint32_t magic; uint32_t stream_id; };
};
clock { name = tai; freq = 1000000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.tai.value; } := stamp_t;
stream {
    id = 0;
    packet.context := struct { uint64_t content_size; uint64_t packet_size; };
    event.header := struct { stamp_t timestamp; };
};
event {
    name = record; id = 0; stream_id = 0;
    fields := struct {
        integer { size = 4; align = 1; } kind; integer { size = 4; align = 1; } sub;
        integer { size = 6; align = 1; } src; integer { size = 2; align = 1; } tq;
        uint8_t seq; uint8_t crc8;
        integer { size = 5; align = 1; } layer; integer { size = 6; align = 1; } occ;
        integer { size = 1; align = 1; } bp_en; integer { size = 6; align = 1; } peak;
        integer { size = 14; align = 1; } dwell;
    };
};
"""


def write_ctf(dump: Path, folder: Path) -> int:
    """Write the records of ``dump`` as a CTF 1.8 trace, one packet a frame's worth; returns its events."""
    folder.mkdir()
    (folder / "metadata").write_text(CTF_METADATA)
    count = 0
    with open_source(dump) as source, (folder / "stream").open("wb") as out:
        for batch in decode(source):
            raw = batch.raw.copy()
            raw["ts"] = np.maximum.accumulate(batch.ts)  # the peer refuses a time that goes back
            for start in range(0, len(raw), FRAME_RECORDS):
                part = raw[start : start + FRAME_RECORDS]
                bits = 8 * (CTF_PACKET.itemsize + part.nbytes)
                out.write(np.array((CTF_MAGIC, 0, bits, bits), CTF_PACKET).tobytes() + part.tobytes())
            count += len(raw)
    return count


def cpu_seconds(job: Callable[[], object], repeats: int = REPEATS) -> float:
    """Least CPU time of ``job`` in ``repeats`` runs, s."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        job()
        best = min(best, time.process_time() - start)
    return best


@dataclass(frozen=True)
class Line:
    """One line of the table: GB (or episodes) per CPU second, and the goal for it."""

    name: str
    rate: float
    unit: str
    goal: float | None = None

    @property
    def met(self) -> bool:
        """Whether the goal is met, if there is one; that of memory is a most."""
        return self.goal is None or (
            self.rate <= self.goal if self.unit.startswith("MB at") else self.rate >= self.goal
        )

    def ratio(self, copy: float) -> str:
        """The goal as a share of copying memory, which makes ``copy`` GB/s in this run, and whether it is met."""
        if self.goal is None or not self.unit.startswith("GB"):
            return ""
        met = self.rate / copy >= self.goal / GOAL_COPY
        return f"; as a share of copy {100 * self.goal / GOAL_COPY:.1f}% {'met' if met else 'MISSED'}"


def copy_memory(size: int) -> None:
    """Copy ``size`` bytes from memory, a block at a time, as reading a cached file does."""
    source, target = np.ones((size // BLOCK_BYTES, BLOCK_BYTES), np.uint8), np.empty(BLOCK_BYTES, np.uint8)
    for block in source:
        np.copyto(target, block)


def crc_alone(size: int) -> None:
    """CRC-32 of ``size`` bytes in pieces of a frame."""
    view = memoryview(bytes(BLOCK_BYTES))
    for _ in range(size // BLOCK_BYTES):
        for start in range(0, BLOCK_BYTES, FRAME_BYTES):
            crc32(view[start : start + FRAME_BYTES])


def frames(dump: Path) -> None:
    """Read, check, account."""
    with open_source(dump) as source:
        for _ in decode(source):
            pass


def columns(dump: Path) -> None:
    """Everything as arrays."""
    with open_source(dump) as source:
        for batch in decode(source):
            _ = (batch.ts, batch.src, batch.kind, batch.sub, batch.layer, batch.occ, batch.bp_en)


def timeline(dump: Path) -> Timeline:
    """The blame-only timeline of ``dump``."""
    with open_source(dump) as source:
        decoder = decode(source, keep=BLAME_KINDSUBS, across=False)
        return Timeline.build(decoder, decoder.ledger, None, blame_only=True)


def culprits(dump: Path) -> None:
    """From the file to who stalls whom."""
    built = timeline(dump)
    stalls(built, built.description)


def recorded(dump: Path) -> Recorder:
    """The records of ``dump`` that a blame-only timeline is built from."""
    recorder = Recorder(BLAME_KINDSUBS)
    with open_source(dump) as source:
        for batch in decode(source, keep=BLAME_KINDSUBS, across=False):
            recorder.feed(batch)
    return recorder


def peer(folder: Path) -> float:
    """CPU seconds of babeltrace2 reading ``folder``."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([PEER, str(folder), "-o", "dummy"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{PEER} failed: {done.stderr.strip().splitlines()[-1:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write(dump: Path, mib: int, traffic: str) -> int:
    """Write a dump; returns its size in bytes."""
    with dump.open("wb") as out:
        out.writelines(Bulk(mib * MIB, **TRAFFIC[traffic]))
    return dump.stat().st_size


def measure(folder: Path, mib: int) -> list[Line]:
    """All lines of the table."""
    small, ctf = folder / "small.npt", folder / "ctf"
    small_size = write(small, min(mib, PEER_MIB), "independent")
    write_ctf(small, ctf)
    lines: list[Line] = []
    for name in TRAFFIC:
        dump = folder / f"{name}.npt"
        size = write(dump, QUIET_TIMES * mib if name == "quiet" else mib, name)
        if not lines:
            lines = decoding(dump, size)
            lines.append(Line(f"{PEER}, records as CTF", small_size / peer(ctf) / 1e9, "GB/CPU-s"))
        lines += analysis(name, dump, size)
        dump.unlink()
    return lines


def decoding(dump: Path, size: int) -> list[Line]:
    """The lines that hardly depend on the traffic."""
    jobs: list[tuple[str, Callable[[], None], float | None]] = [
        ("copy memory (limit)", lambda: copy_memory(size), None),
        ("CRC-32 alone (limit)", lambda: crc_alone(size), None),
        ("frames: read, check, account", lambda: frames(dump), None),
        ("columns", lambda: columns(dump), COLUMNS_GOAL),
    ]
    return [Line(name, size / cpu_seconds(job) / 1e9, "GB/CPU-s", goal) for name, job, goal in jobs]


def analysis(name: str, dump: Path, size: int) -> list[Line]:
    """The lines of one kind of traffic."""
    recorder = recorded(dump)
    built = Timeline.of(recorder)
    episodes, unit = len(built.episodes), "episodes/CPU-s"
    table_goal = CULPRIT_GOAL if name == "quiet" else None
    per = size // RECORD_BYTES // episodes
    return [
        Line(
            f"{name}, 1 in {per}: culprit table",
            size / cpu_seconds(lambda: culprits(dump)) / 1e9,
            "GB/CPU-s",
            table_goal,
        ),
        Line(f"{name}: timeline", episodes / cpu_seconds(lambda: Timeline.of(recorder)), unit),
        Line(
            f"{name}: blame sweep",
            episodes / cpu_seconds(lambda: stalls(built, built.description)),
            unit,
            EPISODES_GOAL,
        ),
    ]


def machine() -> str:
    """The machine, in one line."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        cpu = next((x.split(":")[1].strip() for x in info.read_text().splitlines() if x.startswith("model name")), cpu)
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}, numpy {np.__version__}"


def table(lines: list[Line]) -> str:
    """The lines as text; ``of copy`` is the ratio to copying memory in this run."""
    limit = lines[0].rate
    out = [f"{'':36} {'':>10}  {'':14} {'of copy':>8}  goal"]
    for line in lines:
        per = line.unit.startswith("GB")
        fine = per or line.unit == "x"
        number = f"{line.rate:10.3f}" if fine else f"{line.rate:10,.0f}"
        share = f"{100 * line.rate / limit:7.2f}%" if per else f"{'':8}"
        goal = (
            ""
            if line.goal is None
            else (f"{line.goal:,.1f} " if fine else f"{line.goal:,.0f} ")
            + ("met" if line.met else "MISSED")
            + line.ratio(limit)
        )
        out.append(f"{line.name:36} {number}  {line.unit:14} {share}  {goal}".rstrip())
    return "\n".join(out)


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if babeltrace2 is missing, or with ``--strict`` if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m npuscope.bench", description=__doc__)
    parser.add_argument("--mib", type=int, default=64, help="size of the dumps; the quiet one is 4 times as large")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    parser.add_argument("--strict", action="store_true", help="exit 1 if a goal is missed")
    options = parser.parse_args(arguments)
    if shutil.which(PEER) is None:
        print(f"{PEER} is missing: sudo apt-get install -y {PEER}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        lines = measure(Path(folder), options.mib)
        lines += [Line(*row) for row in measure_waves(Path(folder), WAVE_BYTES, cpu_seconds)]
    if options.json:
        figures = {line.name: {"rate": line.rate, "unit": line.unit, "goal": line.goal} for line in lines}
        print(json.dumps({"schema": 1, "machine": machine(), "mib": options.mib, "lines": figures}, indent=2))
    else:
        sizes = f"{options.mib} MiB, the quiet one {QUIET_TIMES * options.mib}"
        print(f"{machine()}\ndumps of {sizes}, full frames, {RECORD.itemsize} byte records\n\n{table(lines)}")
    missed = [line for line in lines if not line.met]
    return 1 if missed and options.strict else 0


if __name__ == "__main__":
    leave(main)
