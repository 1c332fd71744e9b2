# SPDX-License-Identifier: Apache-2.0
"""Write traces/simulated anew: dump (.npt), provenance (.toml), expected reading (.json) of each case.

``python tb/demo/keep.py`` after a wanted change of RTL, format or analysis; look at the difference before you commit
it. ``python tb/demo/keep.py --check`` simulates and exits 1 if a dump differs from the one that is kept.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # run as a file: import tb as a package

import npuscope  # noqa: E402
from npuscope.errors import leave  # noqa: E402
from npuscope.layout import JitterSub, RasClass  # noqa: E402
from npuscope.pipeline import load  # noqa: E402
from tb.demo.run import CLOCKS, PIPELINE, STALL  # noqa: E402
from tb.demo.simulate import record  # noqa: E402
from tb.runner import BUILD  # noqa: E402

__all__ = ["CASES", "KEPT", "Case", "reading", "simulate"]

KEPT = ROOT / "traces" / "simulated"


@dataclass(frozen=True)
class Case:
    """One kept trace: its name, what it shows, clocks [first, end) in which the trace sink was stalled."""

    name: str
    what: str
    stall: tuple[int, int] = (0, 0)


CASES = (
    Case("transformer_block", "softmax slowed for 2 ms, later the sink stopped for 30 us; nothing lost"),
    Case("transformer_block_lossy", "the same run while the trace sink takes nothing for 0.65 ms: records lost", STALL),
)


def simulate(case: Case) -> Path:
    """Simulate a case on Verilator; gives its dump under build/."""
    return record(load(PIPELINE), CLOCKS, BUILD / "demo-dumps" / f"{case.name}.npt", stall=case.stall).dump


def reading(dump: Path) -> dict[str, Any]:
    """What a reader must find in a dump, times as integer ns."""
    capture = npuscope.open(dump)
    stalls, ledger = capture.stalls(), capture.ledger
    return {
        "bytes": ledger.total,
        "records": ledger.ok,
        "ended": ledger.end_seen,
        "dropped": {str(src): count.dropped for src, count in sorted(ledger.sources.items()) if count.dropped},
        "episodes": len(capture.episodes),
        "verdict": stalls.verdict,
        "hot_ns": dict(zip(stalls.buffers, map(int, stalls.hot_ns), strict=True)),
        "coverage_min_ns": int(stalls.coverage_min),
        "sync": _counts(JitterSub, capture.jitter["sub"]),
        "ras": _counts(RasClass, capture.ras["class"]),
        "tokens": len(capture.tokens),
        "interrupts": len(capture.interrupts),
        "culprits": [[row.culprit, int(row.min_ns), int(row.max_ns)] for row in stalls.rows],
    }


def _counts(names: type[IntEnum], values: Iterable[int]) -> dict[str, int]:
    found = Counter(map(int, values))
    return {name.name: found[name] for name in names if found[name]}


def provenance(case: Case, dump: bytes) -> str:
    """The .toml beside a dump."""
    stall = f" stalled in clocks [{case.stall[0]}, {case.stall[1]})" if case.stall[1] else ""
    lines = {
        "what": case.what,
        "command": "python tb/demo/keep.py",
        "design": "tb/demo/npu_demo_top.v, rtl/nps_top.v" + (f", trace sink{stall}" if stall else ""),
        "pipeline": str(PIPELINE.relative_to(ROOT)),
        "clocks": CLOCKS,
        "sha256": hashlib.sha256(dump).hexdigest(),
    }
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())


def main(arguments: list[str]) -> int:
    """Write all cases, or with --check compare them."""
    bad = 0
    for case in CASES:
        dump = simulate(case)
        data = dump.read_bytes()
        kept = KEPT / f"{case.name}.npt"
        if "--check" in arguments:
            same = kept.read_bytes() == data
            bad += not same
            print(f"{kept.relative_to(ROOT)}: {'same' if same else 'differs'}")
            continue
        kept.write_bytes(data)
        kept.with_suffix(".toml").write_text(provenance(case, data))
        kept.with_suffix(".json").write_text(json.dumps(reading(kept), indent=1) + "\n")
        print(f"{kept.relative_to(ROOT)}: {len(data):,} bytes")
    return min(bad, 1)


if __name__ == "__main__":
    leave(lambda: main(sys.argv[1:]))
