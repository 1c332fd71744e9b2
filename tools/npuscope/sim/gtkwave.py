"""A GTKWave save file beside a waveform: the ports of the top, opened where a test failed."""

from __future__ import annotations

import re
from pathlib import Path

from npuscope.sim.build import Design

__all__ = ["save"]

SHOWN_BEFORE_NS = 200
PS = 1000  # waveforms count picoseconds, as the runner's timescale says
_SCOPE = re.compile(r"\$scope\s+\w+\s+(\S+)\s+\$end")
_VAR = re.compile(r"\$var\s+\w+\s+(\d+)\s+\S+\s+(\S+)(?:\s+(\[[^\]]*\]))?\s+\$end")
_HEAD_BYTES = 1 << 20


def save(waveform: Path, design: Design, failing_ns: float) -> Path:
    """Write ``<waveform>.gtkw``; returns its path. The marker is at ``failing_ns``."""
    at = round(failing_ns * PS)
    start = max(0, at - SHOWN_BEFORE_NS * PS)
    names = _ports(waveform, design.top) if waveform.suffix == ".vcd" else []
    lines = [f'[dumpfile] "{waveform}"', f"[timestart] {start}", f"*-17.0 {at} " + " ".join(["-1"] * 27)]
    lines += [f"[treeopen] {design.top}.", "@28", *names, ""]
    target = waveform.with_suffix(".gtkw")
    target.write_text("\n".join(lines))
    return target


def _ports(waveform: Path, top: str) -> list[str]:
    """Signals of the top in a VCD header, with their ranges."""
    with open(waveform, errors="replace") as source:
        head = source.read(_HEAD_BYTES).partition("$enddefinitions")[0]
    scopes: list[str] = []
    found = []
    for line in head.split("\n"):
        if scope := _SCOPE.search(line):
            scopes.append(scope[1])
        elif "$upscope" in line:
            scopes.pop()
        elif (var := _VAR.search(line)) and scopes and scopes[-1] in (top, "TOP") and len(scopes) <= 2:
            found.append(".".join(scopes) + f".{var[2]}{var[3] or ''}")
    return found
