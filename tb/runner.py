# SPDX-License-Identifier: Apache-2.0
"""Binds ``npuscope.sim`` to this tree: a module's name is enough to build and run its bench.

Sources are found by name: ``module`` is ``rtl/**/<module>.v`` with every rtl/ or tb/vip/ file whose module it
instantiates, directly or not. The bench is ``tb/<module>/bench.py``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from npuscope.dv.book import Mutant, load_book
from npuscope.dv.tree import Tree
from npuscope.errors import NpuscopeError
from npuscope.sim import Design, Patch, Result, expect_caught, expect_killed, expect_refused, run, seed
from npuscope.sim.gates import netlist

__all__ = [
    "BUILD", "GATE", "TREE", "Patch", "bench", "caught", "design", "killed", "mutants", "refused", "seed", "sources",
]  # fmt: skip

TREE = Path(__file__).resolve().parent.parent
BUILD = TREE / "build" / "sim"
GATE = "NPUSCOPE_GATE"  # set: Icarus runs the netlist instead of the RTL (tb/gate.py)
INCLUDES = tuple(sorted({header.parent for header in (TREE / "rtl").rglob("*.vh")}))

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")


@cache
def _modules() -> dict[str, Path]:
    """Every Verilog module of rtl/ and tb/vip/, by file name."""
    files = [*sorted((TREE / "rtl").rglob("*.v")), *sorted((TREE / "tb" / "vip").rglob("*.v"))]
    return {path.stem: path for path in files}


def sources(top: str, extra: Sequence[Path] = ()) -> tuple[Path, ...]:
    """The files that ``top`` needs, itself last. extra: files outside rtl/ and tb/vip/, one of which may be the top.

    Raises:
        NpuscopeError: no file is named after the module.
    """
    known = _modules() | {path.stem: path for path in extra}
    if top not in known:
        raise NpuscopeError("no source for module", found=top, expected=f"rtl/**/{top}.v")
    order: dict[str, Path] = {}

    def visit(name: str) -> None:
        words = set(_WORD.findall(_COMMENT.sub(" ", known[name].read_text())))
        for other in sorted(words & known.keys() - {name} - order.keys()):
            if other not in order:
                visit(other)
        order[name] = known[name]

    visit(top)
    return tuple(order.values())


def design(
    top: str,
    parameters: Mapping[str, int | str] | None = None,
    *,
    extra: Sequence[Path] = (),
    defines: Mapping[str, int | str] | None = None,
) -> Design:
    """The design ``top`` with its sources and the generated headers."""
    return Design(top, sources(top, extra), INCLUDES, dict(parameters or {}), dict(defines or {}))


def bench(
    top: str,
    sim: str,
    parameters: Mapping[str, int | str] | None = None,
    *,
    module: str | None = None,
    extra: Sequence[Path] = (),
    defines: Mapping[str, int | str] | None = None,
    **options: Any,
) -> Result:
    """Run ``tb/<top>/bench.py`` (or ``module``) on one simulator; raises unless all its tests pass.

    options: as for ``npuscope.sim.run`` (tests, seed_value, env, plusargs, limit_s, waves, raises).
    """
    __tracebackhide__ = True
    made = design(top, parameters, extra=extra, defines=defines)
    if GATE in os.environ and sim == "icarus":
        made = netlist(made, BUILD.parent / "gate")
    return run(made, sim, module or f"tb.{top}.bench", BUILD, pythonpath=(TREE,), keep=True, **options)


def caught(
    top: str,
    sim: str,
    patch: Patch,
    parameters: Mapping[str, int | str] | None = None,
    *,
    module: str | None = None,
    extra: Sequence[Path] = (),
    **options: Any,
) -> Result:
    """Show that the bench of ``top`` fails with the planted bug (options as for ``npuscope.sim.expect_caught``)."""
    __tracebackhide__ = True
    made = design(top, parameters, extra=extra)
    return expect_caught(made, sim, module or f"tb.{top}.bench", BUILD, patch, pythonpath=(TREE,), keep=True, **options)


@cache
def mutants(folder: str) -> dict[str, Mutant]:
    """The named mutants of the threshold book that the bench of this folder must kill."""
    return {mutant.name: mutant for mutant in load_book(Tree(TREE)).mutants if mutant.bench == folder}


def killed(
    mutant: str,
    top: str,
    sim: str,
    parameters: Mapping[str, int | str] | None = None,
    *,
    folder: str | None = None,
    module: str | None = None,
    extra: Sequence[Path] = (),
    **options: Any,
) -> Result:
    """Show that each detector that the book names for ``mutant`` fails on it."""
    __tracebackhide__ = True
    found = mutants(folder or top)[mutant]
    made, bench_module = design(top, parameters, extra=extra), module or f"tb.{top}.bench"
    patch = Patch(found.file, found.old, found.new)
    return expect_killed(made, sim, bench_module, BUILD, patch, by=found.by, pythonpath=(TREE,), keep=True, **options)


def refused(top: str, sim: str, parameters: Mapping[str, int | str], error: str, *, extra: Sequence[Path] = ()) -> None:
    """Show that ``parameters`` are refused with the reason ``error`` (nps_error__...); sim may also be "yosys"."""
    __tracebackhide__ = True
    expect_refused(design(top, parameters, extra=extra), error, sim, BUILD)
