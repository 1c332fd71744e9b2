"""The options that verbs share, and the one object that carries them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar

import click

__all__ = ["Options", "input_options", "output_options"]

F = TypeVar("F", bound=Callable[..., Any])
BACKENDS: Final = ("own", "pywellen", "vcdvcd")
FORMATS: Final = ("auto", "npt1", "text", "aie", "vcd", "fst", "ghw", "ila", "litescope")


@dataclass(frozen=True)
class Options:
    """What was asked for; names as on the command line, None = not given."""

    files: tuple[str, ...]
    window: str | None = None
    graph: str | None = None
    desc: str | None = None
    force_desc: bool = False
    allow_loss: str | None = None
    allow_open: bool = False
    min_coverage: str | None = None
    map: str | None = None
    format: str = "auto"
    backend: str | None = None
    time_unit: str | None = None
    clock_period: str | None = None
    allow_backwards: bool = False
    sample_period: str | None = None
    jobs: int = 1
    no_cache: bool = False
    quiet: bool = False
    verbose: bool = False
    output: str | None = None
    force: bool = False
    json: bool = False


def _variable(flag: str) -> str:
    return "NPUSCOPE_" + flag.strip("-").replace("-", "_").upper()


def _option(*flags: str, **settings: Any) -> Callable[[F], F]:
    """A click option that may also be given as NPUSCOPE_<OPTION>, for every verb at once."""
    long = next(flag for flag in flags if flag.startswith("--"))
    return click.option(*flags, envvar=_variable(long), **settings)


def _collect(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gather the shared options into one ``Options``, given as ``options``; the rest stay keywords."""
    names = {field.name for field in fields(Options)}

    @functools.wraps(function)
    def wrapper(**values: Any) -> Any:
        shared = {name: value for name, value in values.items() if name in names}
        rest = {name: value for name, value in values.items() if name not in names}
        return function(options=Options(**shared), **rest)

    return wrapper


def _apply(function: Callable[..., Any], options: tuple[Callable[[Any], Any], ...]) -> Callable[..., Any]:
    for option in reversed(options):
        function = option(function)
    return function


_PATH: Final = click.Path(path_type=str)

_INPUT: Final = (
    click.argument("files", metavar="FILE...", nargs=-1, type=_PATH),
    _option("--window", metavar="A..B", help="Only [A, B): 10us..2ms after the first record, ep:3, ep:3..ep:9."),
    _option("--graph", metavar="TOML", type=_PATH, help="Buffers and stages; without: an assumed chain."),
    _option("--desc", metavar="TOML", type=_PATH, help="Full description, as in a header page."),
    _option("--force-desc", is_flag=True, help="Take a description whose hash differs from the stream's."),
    _option("--allow-loss", metavar="PCT", help="Loss up to PCT % of all records is exit 0.  [default: 0]"),
    _option("--allow-open", is_flag=True, help="A dump without END, or cut short, is exit 0."),
    _option("--min-coverage", metavar="PCT", help="Exit 1 if a layer is known for less of the time."),
    _option("--format", type=click.Choice(FORMATS), default="auto", help="Force the format.  [default: by content]"),
    _option(
        "--map", metavar="TOML", type=_PATH, help="Waveforms: which signals are which layer. AIE: labels, TOML or MLIR."
    ),
    _option("--backend", type=click.Choice(BACKENDS), help="Waveforms: another reader, see tools/README.md."),
    _option("--time-unit", metavar="TIME", help="Text and waveforms: one count of their time, e.g. 1ns, 10ps."),
    _option("--clock-period", metavar="TIME", help="AIE traces, ILA: one cycle, e.g. 1ns, 556ps."),
    _option("--sample-period", metavar="TIME", help="Text dumps: a layer not printed for this long has cooled."),
    _option("--allow-backwards", is_flag=True, help="Text, VCD: a time that goes back is a restart."),
    _option("-j", "--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Processes.  [default: cores]"),
    _option("--no-cache", is_flag=True, help="Neither use nor write FILE.*.npuscope-cache, which saves the next pass."),
    _option("-q", "--quiet", is_flag=True, help="No summary and no progress on stderr."),
    _option("-v", "--verbose", is_flag=True, help="The whole ledger on stderr."),
)

_OUTPUT: Final = (
    _option("-o", "--output", metavar="FILE", type=_PATH, help="Write to FILE instead of stdout."),
    _option("--force", is_flag=True, help="Replace FILE if it exists."),
)

_JSON: Final = (_option("--json", is_flag=True, help="One JSON object with a schema number."),)


def input_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """FILE... and the options on how to read it; put this outermost, above ``output_options``."""
    return _apply(_collect(function), _INPUT)


def output_options(*, json: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``-o``, ``--force`` and, for tables, ``--json``."""
    return lambda function: _apply(function, _OUTPUT + (_JSON if json else ()))
