"""Reads and checks ``tb/<module>/proofs.toml``: which properties are proved how, under which assumptions.

One ``[[proof]]`` table::

    name = "fifo_order"                  # unique in the tree
    top = "formal_fifo"                  # module of the formal file
    file = "formal.sv"                   # beside the toml, this is the default
    sources = ["nps_fifo"]               # RTL modules, found by name below rtl/
    parameters = { DEPTH = 4 }           # of the formal top
    bmc = 20                             # depth in clocks, absent = not run
    prove = 8                            # k of k-induction
    cover = 30
    engine = "smtbmc yices"              # default
    multiclock = false                   # default; true: clocks are free inputs
    assumptions = ["rst is high in the first clock"]
    asserts = { order = "Entries leave in order." }      # label in the formal file = promise
    covers = { full = "The FIFO gets full." }
    [[proof.bug]]                        # at least one; must be found by bmc
    file = "nps_fifo.v"                  # text edit of a source, ``old`` must occur exactly once
    old = "level + ONE"
    new = "level"
    finds = "level"                      # label of the assert that must fail, optional

Every assert and cover of a formal file must carry a label, and every label must be named by a proof of that file.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npuscope.errors import NpuscopeError
from npuscope.sim.build import Design, Patch

__all__ = ["MODES", "Bug", "Proof", "load"]

MODES = ("bmc", "prove", "cover")
DEFAULT_ENGINE = "smtbmc yices"

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LABELLED = re.compile(r"(?:(\w+)\s*:\s*)?\b(assert|cover)\s*\(")
_ALLOWED = {
    "name", "top", "file", "sources", "parameters", *MODES, "engine", "multiclock", "assumptions", "asserts", "covers",
    "bug",
}  # fmt: skip
_REQUIRED = ("name", "top", "sources", "asserts", "covers", "assumptions", "bug", "cover")


@dataclass(frozen=True)
class Bug:
    """A planted bug and, if given, the label of the assert that must find it."""

    patch: Patch
    finds: str | None


@dataclass(frozen=True)
class Proof:
    """One proof: the design with its formal top, depth per mode, and the texts of its properties by label."""

    name: str
    module: str
    design: Design
    depths: dict[str, int]
    engine: str
    multiclock: bool
    asserts: dict[str, str]
    covers: dict[str, str]
    assumptions: tuple[str, ...]
    bugs: tuple[Bug, ...]


def load(tree: Path) -> list[Proof]:
    """All proofs of ``tree``/tb, in order of module and file.

    Raises:
        NpuscopeError: a file that does not fit the schema above, a label without a text, a text without a label.
    """
    rtl = {path.stem: path for path in sorted((tree / "rtl").rglob("*.v"))}
    includes = tuple(sorted({path.parent for path in (tree / "rtl").rglob("*.vh")}))
    proofs: list[Proof] = []
    for toml in sorted((tree / "tb").rglob("proofs.toml")):
        try:
            table = tomllib.loads(toml.read_text())
        except tomllib.TOMLDecodeError as error:
            raise NpuscopeError("not TOML", file=str(toml), found=str(error)) from error
        here = [_proof(entry, toml, rtl, includes) for entry in table.get("proof", [])]
        if not here or table.keys() != {"proof"}:
            raise NpuscopeError("nothing but [[proof]] tables expected", file=str(toml), found=", ".join(table))
        _check_labels(here, toml)
        proofs += here
    names = [proof.name for proof in proofs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise NpuscopeError("proof names must be unique", found=", ".join(twice))
    return proofs


def _proof(entry: dict[str, Any], toml: Path, rtl: dict[str, Path], includes: tuple[Path, ...]) -> Proof:
    name = str(entry.get("name", "?"))
    if missing := [key for key in _REQUIRED if (not entry.get(key) and key != "assumptions") or key not in entry]:
        raise NpuscopeError(f"proof {name} lacks {', '.join(missing)}", file=str(toml))
    if unknown := sorted(entry.keys() - _ALLOWED):
        raise NpuscopeError(f"proof {name} has unknown keys", file=str(toml), found=", ".join(unknown))
    if absent := [source for source in entry["sources"] if source not in rtl]:
        raise NpuscopeError(f"proof {name} names no RTL module", file=str(toml), found=", ".join(absent))
    depths = {mode: int(entry[mode]) for mode in MODES if entry.get(mode)}
    if "bmc" not in depths:
        raise NpuscopeError(f"proof {name} needs bmc, by which its planted bugs are found", file=str(toml))
    formal = toml.parent / entry.get("file", "formal.sv")
    design = Design(
        entry["top"], (*(rtl[source] for source in entry["sources"]), formal), includes, entry.get("parameters", {})
    )
    bugs = tuple(Bug(Patch(bug["file"], bug["old"], bug["new"]), bug.get("finds")) for bug in entry["bug"])
    return Proof(
        name,
        toml.parent.name,
        design,
        depths,
        entry.get("engine", DEFAULT_ENGINE),
        bool(entry.get("multiclock", False)),
        dict(entry["asserts"]),
        dict(entry["covers"]),
        tuple(entry["assumptions"]),
        bugs,
    )


def _check_labels(proofs: list[Proof], toml: Path) -> None:
    """Labels in the formal files and texts in the toml must be the same sets."""
    for formal in sorted({proof.design.sources[-1] for proof in proofs}):
        mine = [proof for proof in proofs if proof.design.sources[-1] == formal]
        if not formal.exists():
            raise NpuscopeError("formal file is missing", file=str(formal))
        found = _LABELLED.findall(_COMMENT.sub(" ", formal.read_text()))
        if any(not label for label, _ in found):
            raise NpuscopeError("assert or cover without a label", file=str(formal))
        for kind, texts in (("assert", [p.asserts for p in mine]), ("cover", [p.covers for p in mine])):
            told = {label for table in texts for label in table}
            in_file = {label for label, keyword in found if keyword == kind}
            if told != in_file:
                raise NpuscopeError(
                    f"labels of {kind}s differ from {formal.name}",
                    file=str(toml),
                    found=", ".join(sorted(told - in_file)) or "none too many",
                    expected=", ".join(sorted(in_file - told)) or "none more",
                )
