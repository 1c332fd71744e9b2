"""``make bench``, foreign dumps: what reading them costs, beside other people's readers, all in one run.

The VCD is what a simulator writes of a pipeline of 36 layers: 648 variables, mostly scalars and levels, a clock, values
of a cycle together. Ratios are CPU seconds of the peer by ours, best of a few; more than 1: ours is faster.

Compared is what each needs until every change of the signals stands in its memory in its own small form, ready to be
asked for: pywellen's signals (a time index and packed bits a change; its Python lists of values are not made), ours
(a time index and a character a change, bit planes of vectors). Columns of 64 bits for all 14.5 million changes of a
108 MB file, which no view asks for at once, are about as much again. vcdvcd makes its lists at once, with its filter.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

import numpy as np

from npuscope.importers.aie import read_aie
from npuscope.importers.vcd import VcdReader
from npuscope.source import open_source

__all__ = ["GOALS", "measure_waves", "write_aie", "write_vcd"]

MB: Final = 1_000_000
LAYERS: Final = 36
WANTED: Final = ("tb.l5.ready", "tb.l3.level", "tb.l20.valid")
AIE_MB: Final = 20
PEER_MB: Final = 12
"""Size of vcdvcd's file: it is far slower, and its speed does not depend on the size."""
GOALS: Final = {"few": 2.0, "few, vcdvcd": 6.0, "all": 1 / 1.5, "memory": 100.0, "AIE": 20.0}
"""Ratios of our speed to the peer's; MB of memory at most; MB of AIE text per CPU second."""

_KINDS: Final = (
    ("valid", 1),
    ("ready", 1),
    ("level", 8),
    ("data", 32),
    ("sum", 16),
    *((f"s{i}", 1) for i in range(13)),
)


def _code(number: int) -> str:
    """Identifiers as simulators number them: one character, then two."""
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 94)
        text += chr(33 + digit)
    return text


def write_vcd(path: Path, size: int, seed: int = 1) -> None:
    """Write a VCD of at least ``size`` bytes, always the same for a seed."""
    rng = random.Random(seed)
    names = [f"{name}" for _ in range(LAYERS) for name, _ in _KINDS]
    widths = [width for _ in range(LAYERS) for _, width in _KINDS]
    codes = [_code(number) for number in range(len(names) + 1)]
    with path.open("w", encoding="ascii") as out:
        out.write(f"$timescale 1ps $end\n$scope module tb $end\n$var wire 1 {codes[-1]} clk $end\n")
        for layer in range(LAYERS):
            out.write(f"$scope module l{layer} $end\n")
            for kind, (name, width) in enumerate(_KINDS):
                code = codes[layer * len(_KINDS) + kind]
                out.write(f"$var wire {width} {code} {name}{f' [{width - 1}:0]' if width > 1 else ''} $end\n")
            out.write("$upscope $end\n")
        out.write("$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n")
        out.writelines(
            f"{'b0 ' if width > 1 else '0'}{code}\n" for width, code in zip([*widths, 1], codes, strict=True)
        )
        out.write("$end\n")
        block = list(_cycles(rng, widths, codes))
        time, clk = 0, codes[-1]
        while out.tell() < size:
            for changes in block:
                time += 2500
                out.write(f"#{time}\n1{clk}\n{changes}")
                time += 2500
                out.write(f"#{time}\n0{clk}\n")


def _cycles(rng: random.Random, widths: list[int], codes: list[str]) -> Iterator[str]:
    """Changes of some clock cycles, to be used again and again."""
    for _ in range(500):
        lines = []
        for number in sorted(rng.sample(range(len(widths)), rng.randrange(20, 60))):
            width = widths[number]
            value = rng.getrandbits(width)
            lines.append(f"b{value:b} {codes[number]}\n" if width > 1 else f"{value}{codes[number]}\n")
        yield "".join(lines)


def write_aie(size: int, seed: int = 1) -> bytes:
    """Text of an AIE trace of a core with dense traffic."""
    rng = random.Random(seed)
    payload = bytearray(b"\xf0".ljust(8, b"\0").ljust(28, b"\xfe"))
    while len(payload) < 1 << 16 or len(payload) % 28:
        slot, idle = rng.randrange(8), rng.randrange(16)
        one, two = bytes([slot << 4 | idle]), bytes([0xC0 | rng.getrandbits(4), rng.getrandbits(8)])
        still = bytes([slot << 4, 0xE0 | idle])  # a slot that stays on
        payload += rng.choice((one, two, bytes([0x80 | slot << 2, idle]), still, b"\xfe", b"\x30\xd8\x20"))
    words = np.frombuffer(bytes(payload), ">u4").reshape(-1, 7)
    lines = ["00220001\n" + "".join(f"{word:08x}\n" for word in row) for row in words.tolist()]
    rest = "".join(lines[1:])
    return (lines[0] + rest * max(1, size // len(rest))).encode()


# ---------------------------------------------------------------- readers
def own(path: Path, names: tuple[str, ...] | None) -> None:
    """Our reader."""
    with open_source(path, accept=("vcd",)) as source:
        VcdReader(source).signals(names)


def pywellen(path: Path, names: tuple[str, ...] | None) -> None:
    """pywellen, up to its own arrays; lists of Python, which it gives out, are not asked for."""
    for var in import_module("pywellen").Waveform(str(path), multi_threaded=False).all_vars():
        if names is None or var.full_name in names:
            _ = var.tv


def vcdvcd(path: Path, names: tuple[str, ...]) -> None:
    """vcdvcd with its filter."""
    ranged = [f"{name}[7:0]" if name.endswith("level") else name for name in names]
    import_module("vcdvcd").VCDVCD(vcd_string=path.read_text(), signals=ranged)


def peak_mb(path: Path, names: tuple[str, ...]) -> float:
    """Resident memory of a process of its own that reads ``names``, MB."""
    program = (
        "import sys; from pathlib import Path; from npuscope.bench_waves import own; "
        "own(Path(sys.argv[1]), tuple(sys.argv[2:])); "
        "print(next(x for x in Path('/proc/self/status').read_text().splitlines() if x.startswith('VmHWM')).split()[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path), *names], capture_output=True, text=True, check=True
    )
    return int(done.stdout) * 1024 / MB


def measure_waves(
    folder: Path, size: int, cpu_seconds: Callable[[Callable[[], object]], float]
) -> list[tuple[str, float, str, float]]:
    """(name, figure, unit, goal) of each line; size: bytes of the VCD. The goal of memory is a most, others leasts."""
    path, small = folder / "big.vcd", folder / "small.vcd"
    write_vcd(path, size)
    write_vcd(small, min(size, PEER_MB * MB))
    few, every = cpu_seconds(lambda: own(path, WANTED)), cpu_seconds(lambda: own(path, None))
    slow = cpu_seconds(lambda: vcdvcd(small, WANTED)) * path.stat().st_size / small.stat().st_size
    text = write_aie(AIE_MB * MB)
    return [
        ("VCD, 3 of 649 signals, pywellen", cpu_seconds(lambda: pywellen(path, WANTED)) / few, "x", GOALS["few"]),
        ("VCD, 3 of 649 signals, vcdvcd", slow / few, "x", GOALS["few, vcdvcd"]),
        ("VCD, all signals, pywellen", cpu_seconds(lambda: pywellen(path, None)) / every, "x", GOALS["all"]),
        ("VCD, 3 of 649 signals, memory", peak_mb(path, WANTED), "MB at most", GOALS["memory"]),
        ("AIE2 text", len(text) / cpu_seconds(lambda: read_aie(text, "trace")) / MB, "MB/CPU-s", GOALS["AIE"]),
    ]
