"""Run a foreign module under the plan of a contract: bench on both simulators, boundary bins, proof, operator mutants.

The map, a small TOML::

    clk = "clk"
    rst = "rst_n"             # left out: no reset
    reset_low = true          # default false
    level = "fill"            # the port that is compared
    valid = "fill_valid"      # left out: a sample each clock
    out = "almost_full"
    full = 16                 # the largest level
    on = 14                   # limits, as the contract needs them: on, off, count, window
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from npuscope.dv.contracts import CONTRACTS, FORMAL_WINDOW, Limits, boundary, verilog
from npuscope.dv.tree import COMMENT, load_json, load_toml
from npuscope.errors import NpuscopeError
from npuscope.sim import SIMULATORS, Design, Patch, Verdict, run
from npuscope.sim.proofs import MODES, Proof
from npuscope.sim.prove import prove
from npuscope.sim.verdict import base_name

__all__ = ["Adopted", "Finding", "examine", "load"]

PLAN: Final = {
    "test_boundaries": "each limit, one LSB either side, zero, full",
    "test_full": "held full the output stays",
    "test_sweep": "up and down through the limits",
    "test_random": "random levels against the model",
}
SWAPS: Final = {">=": (">",), ">": (">=",), "<=": ("<",), "<": ("<=",), "==": ("!=",), "&&": ("||",), "||": ("&&",)}
_OPERATOR = re.compile(r">=|<=|==|&&|\|\||(?<![<>=])[<>](?![<>=])")
_PORTS = ("clk", "rst", "level", "valid", "out")
_MODULE_LIMIT_S: Final = 120.0


@dataclass(frozen=True)
class Adopted:
    """A module, how its ports are called, and what it must do."""

    design: Design
    contract: str
    limits: Limits
    ports: dict[str, str]
    reset_low: bool
    latency: int
    width: int


@dataclass(frozen=True)
class Finding:
    """One row of the result. ok None: does not apply."""

    what: str
    ok: bool | None
    said: str


def load(
    files: tuple[Path, ...], contract: str, map_file: Path, top: str | None, latency: int, parameters: dict[str, int]
) -> Adopted:
    """Read the map and find the widths of the ports.

    Raises:
        NpuscopeError: a file or port that there is not, a limit that the contract lacks.
    """
    table = load_toml(map_file)
    limits_needed = CONTRACTS[contract]
    needed = ("clk", "level", "out", "full", *limits_needed)
    if missing := [key for key in needed if key not in table]:
        raise NpuscopeError(f"the contract {contract} lacks {', '.join(missing)}", file=str(map_file))
    if unknown := sorted(table.keys() - {*_PORTS, "reset_low", "full", *limits_needed}):
        raise NpuscopeError("keys that the contract does not know", file=str(map_file), found=", ".join(unknown))
    name, source = top or files[0].stem, files[0]
    text = COMMENT.sub(" ", source.read_text()) if source.is_file() else ""
    if not re.search(rf"\bmodule\s+{name}\b", text):
        raise NpuscopeError(f"no module {name}", file=str(source), hint="--top names it")
    ports = {key: str(table[key]) for key in _PORTS if key in table}
    if absent := [port for port in ports.values() if not re.search(rf"\b{port}\b", text)]:
        raise NpuscopeError(f"no port {', '.join(absent)} in {name}", file=str(source))
    limits = Limits(full=table["full"], **{key: table[key] for key in limits_needed})
    design = Design(name, tuple(path.resolve() for path in files), (), parameters)
    return Adopted(design, contract, limits, ports, bool(table.get("reset_low")), latency, limits.full.bit_length())


def examine(adopted: Adopted, root: Path, sims: tuple[str, ...] = SIMULATORS) -> Iterator[Finding]:
    """Each part of the plan, as it ends."""
    met: set[str] = set()
    keeps = True
    for sim in sims:
        result = _bench(adopted, sim, root, ())
        ran, failed = (
            {base_name(name.rpartition(".")[2]) for name in names} for names in (result.tests, result.failed)
        )
        keeps = keeps and result.verdict is Verdict.PASS
        for test, intent in PLAN.items():
            ok = test in ran and test not in failed
            said = result.reason if f"first {test}:" in result.reason or test not in ran else "it fails too"
            yield Finding(f"{test} {sim}: {intent}", ok, "" if ok else f"{result.verdict} {said}")
        met |= _bins(result.folder)
    for name, level in boundary(adopted.contract, adopted.limits).items():
        yield Finding(f"bin {name} = {level}", name in met, "" if name in met else "never met")
    if adopted.contract != "level-hysteresis":
        yield Finding("hysteresis: bins and mutants", None, f"the contract {adopted.contract} has none")
    yield from _proof(adopted, root)
    if keeps:
        yield from _mutants(adopted, root)
    else:
        yield Finding("mutants", None, "the module fails as it is")


def _bins(folder: Path) -> set[str]:
    """Boundary bins that a run met."""
    path = folder / "bins.json"
    return {name for name, count in load_json(path).items() if count} if path.exists() else set()


def _bench(adopted: Adopted, sim: str, root: Path, tests: tuple[str, ...], patch: Patch | None = None) -> Any:
    settings = {
        "contract": adopted.contract, "limits": vars(adopted.limits), "ports": adopted.ports,
        "latency": adopted.latency, "reset_low": adopted.reset_low,
    }  # fmt: skip
    return run(
        adopted.design, sim, "npuscope.dv.adopt_bench", root, tests=tests, patch=patch, raises=False,
        env={"NPUSCOPE_ADOPT": json.dumps(settings)}, limit_s=_MODULE_LIMIT_S,
    )  # fmt: skip


def _proof(adopted: Adopted, root: Path) -> Iterator[Finding]:
    """The contract for every input: bounded, then by induction, with a cover."""
    if adopted.limits.window > FORMAL_WINDOW:
        yield Finding("proof", None, f"a window over {FORMAL_WINDOW} clocks is simulated only")
        return
    folder = root / "adopt" / adopted.design.top
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "formal.sv").write_text(formal_top(adopted))
    design = Design("adopted_formal", (*adopted.design.sources, folder / "formal.sv"))
    depth = adopted.latency + max(8, adopted.limits.count + 4, adopted.limits.window + 4)
    depths = {"bmc": depth, "prove": adopted.latency + 3, "cover": depth}
    texts = ({"holds": "out as the contract says"}, {"comes": "out"})
    proof = Proof(adopted.design.top, "adopt", design, depths, "smtbmc yices", False, *texts, ("level <= full",), ())
    bounded = True
    for mode in MODES:
        row = prove(proof, mode, folder)
        said = f"{depths[mode]} clocks" if mode != "prove" else f"any number of clocks, k = {depths[mode]}"
        if mode == "prove" and not row.ok:
            said = "not inductive without the module's invariants" if bounded else "it fails already in bmc"
            yield Finding(f"proof {mode}", None, said)
        else:
            bounded = bounded and row.ok
            yield Finding(f"proof {mode}: {said}", row.ok, row.detail)


def formal_top(adopted: Adopted) -> str:
    """A formal top around the module: the model, and one assert."""
    ports, width = adopted.ports, adopted.width
    pins = [f".{ports['clk']}(clk)", f".{ports['level']}(level)", f".{ports['out']}(out)"]
    pins += [f".{ports['rst']}({'!' if adopted.reset_low else ''}rst)"] if "rst" in ports else []
    pins += [f".{ports['valid']}(valid)"] if "valid" in ports else []
    given = ", ".join(f".{name}({value})" for name, value in adopted.design.parameters.items())
    latency = adopted.latency
    delayed = "want" if not latency else f"wanted[{latency - 1}]"
    pipe = f"reg [{latency - 1}:0] wanted; always @(posedge clk) wanted <= {{wanted, want}};\n" if latency else ""
    return (
        f"module adopted_formal (input wire clk, input wire free_valid, input wire [{width - 1}:0] level);\n"
        "reg [7:0] age = 0; always @(posedge clk) if (age != 255) age <= age + 1;\n"
        "wire rst = age == 0;\n"
        f"wire valid = {'free_valid' if 'valid' in ports else '1'};\n"
        f"always @* assume (level <= {width}'d{adopted.limits.full});\n"
        f"wire out;\n{adopted.design.top} #({given}) dut ({', '.join(pins)});\n"
        + verilog(adopted.contract, adopted.limits, width)
        + pipe
        + f"always @* if (age > {latency}) begin holds: assert (out == {delayed}); end\n"
        f"always @* if (age > {latency}) begin comes: cover (out); end\nendmodule\n"
    )


def _mutants(adopted: Adopted, root: Path) -> Iterator[Finding]:
    """Each comparison and condition of the module swapped; the bench must see it."""
    source = adopted.design.sources[0]
    text = source.read_text()
    code = COMMENT.sub(lambda found: " " * len(found[0]), text)
    sites = [found for found in _OPERATOR.finditer(code) if not _is_assignment(code, found)]
    for found in sites:
        for new in SWAPS.get(found[0], ()):
            line = text.count("\n", 0, found.start()) + 1
            patch = Patch(source.name, text, text[: found.start()] + new + text[found.end() :])
            verdict = _bench(adopted, SIMULATORS[0], root, (), patch).verdict
            ok = verdict in (Verdict.FAIL, Verdict.TIMEOUT, Verdict.HDL_ERROR)
            yield Finding(f"mutant line {line}: {found[0]} to {new}", ok, "" if ok else f"not seen: {verdict}")
    if not sites:
        yield Finding("mutants", None, "no comparison in the module")


def _is_assignment(code: str, found: re.Match[str]) -> bool:
    """Whether a ``<=`` is a nonblocking assignment: it follows a statement's target, not an open bracket."""
    if found[0] != "<=":
        return False
    start = max(code.rfind(mark, 0, found.start()) for mark in (";", "begin", ")", "else", "\n"))
    return bool(re.fullmatch(r"\s*(?:egin\b|lse\b|\))?\s*[\w{},\[\]: ]+\s*", code[start + 1 : found.start()]))
