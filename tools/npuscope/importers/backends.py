"""Other people's readers behind the interface of ours: pywellen for FST and GHW (and VCD), vcdvcd for VCD.

pywellen panics with a BaseException and prints on the descriptors of stdout and stderr; ``_contained`` keeps both in.
It joins and renames as it likes: a name with a dot in it is split, several changes at one time are one.
vcdvcd reads lines: more than one item in a line, text in ``$comment`` of the body, upper case and short values are read
otherwise than IEEE 1364 says (``tools/README.md``). Both give Python lists; they are turned into arrays here.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from types import ModuleType
from typing import IO, Any, Final

import numpy as np

from npuscope.errors import NpuscopeError
from npuscope.importers.vcd.header import Header, read_header
from npuscope.importers.vcd.planes import bits_planes, real_planes
from npuscope.importers.waveform import WORD, Facts, Signal, Variable, no_such
from npuscope.source import Source

__all__ = ["PywellenWave", "VcdvcdWave"]

COPY_BYTES: Final = 1 << 20
MASK: Final = 2**WORD - 1


def _module(name: str) -> ModuleType:
    try:
        return __import__(name)
    except ImportError:
        hint = 'pip install "npuscope[wave]"'
        raise NpuscopeError(f"{name} is not installed", hint=hint) from None


def _pieces(source: Source) -> Iterator[bytes]:
    buffer = memoryview(bytearray(COPY_BYTES))
    while got := source.fill(buffer):
        yield bytes(buffer[:got])


@contextlib.contextmanager
def _on_disk(source: Source) -> Iterator[str]:
    """The path of an unpacked, seekable copy of the source, or of itself."""
    name = source.names[0]
    if source.size is not None and source.again:
        yield name
        return
    with tempfile.NamedTemporaryFile(prefix="npuscope-") as copy:
        copy.writelines(_pieces(source))
        copy.flush()
        yield copy.name


@contextlib.contextmanager
def _contained(file: str, what: str) -> Iterator[None]:
    """Descriptors 1 and 2 go nowhere meanwhile, and every fault becomes one NpuscopeError."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    sink: IO[bytes]
    with tempfile.TemporaryFile() as sink:
        try:
            for descriptor in (1, 2):
                os.dup2(sink.fileno(), descriptor)
            try:
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    yield
            finally:
                for descriptor, original in zip((1, 2), kept, strict=True):
                    os.dup2(original, descriptor)
        except (KeyboardInterrupt, SystemExit, GeneratorExit, NpuscopeError):
            raise
        except BaseException as error:
            text = " ".join(str(error).split())[:200]
            raise NpuscopeError(f"{what} cannot read it", file=file, found=text or type(error).__name__) from None
        finally:
            for original in kept:
                os.close(original)


def _signal(variable: Variable, rows: list[tuple[int, tuple[int, int]]]) -> Signal:
    """Of (time, planes), the last one at each time."""
    last = dict(rows)
    words = max(1, -(-variable.width // WORD))
    planes = np.array(
        [[plane >> WORD * word & MASK for word in range(words)] for pair in last.values() for plane in pair], np.uint64
    ).reshape(-1, 2, words)
    return Signal.of(variable, np.array(list(last), np.uint64), planes[:, 0], planes[:, 1])


class PywellenWave:
    """FST, GHW or VCD. source: opened with ``accept=("fst", "ghw", "vcd")``; a pipe or packed file is copied first."""

    def __init__(self, source: Source) -> None:
        self.source, self.file = source, source.names[0]
        self.what = {"fst": "FST waveform", "ghw": "GHW waveform"}.get(source.head_kind, "VCD waveform, by pywellen")
        module = _module("pywellen")
        self._stack = contextlib.ExitStack()
        path = self._stack.enter_context(_on_disk(source))
        with _contained(self.file, "pywellen"):
            self._wave: Any = module.Waveform(path, multi_threaded=False)
            scale = self._wave.timescale
            exponent = None if scale is None else scale.unit.to_exponent()
            self.unit_ps = None if exponent is None else scale.factor * Fraction(10) ** (exponent + 12)
            self._vars = list(self._wave.all_vars())
        self._facts = Facts(size=os.path.getsize(path), notes=list(source.notes), whole=source.cut is None)

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """By name."""
        return {name: variable for name, (variable, _) in self._named.items()}

    @cached_property
    def _named(self) -> dict[str, tuple[Variable, Any]]:
        found: dict[str, tuple[Variable, Any]] = {}
        with _contained(self.file, "pywellen"):
            for var in self._vars:
                name = str(var.full_name).replace("\\", "")
                number = 1
                while (unique := name if number == 1 else f"{name}#{number}") in found:
                    number += 1
                kind = "real" if var.is_real else "text" if var.is_string else str(var.var_type).lower()
                found[unique] = Variable(unique, kind, var.bitwidth or 1), var
        return found

    def signals(self, names: Iterable[str]) -> dict[str, Signal]:
        """The signals ``names``."""
        wanted = list(dict.fromkeys(names))
        for name in wanted:
            if name not in self._named:
                raise no_such(self.file, name)
        found = {}
        times: list[int] = []
        for name in wanted:
            variable, var = self._named[name]
            with _contained(self.file, "pywellen"):
                changes: list[tuple[int, Any]] = list(var.tv)
            times += [changes[0][0], changes[-1][0]] if changes else []
            self._facts.changes += len(changes)
            found[name] = self._converted(variable, changes)
        if times:
            self._facts.first, self._facts.last = min(times), max(times)
        return found

    def _converted(self, variable: Variable, changes: list[tuple[int, Any]]) -> Signal:
        if variable.kind == "text":
            texts = {str(value): None for _, value in changes}
            index = {text: i for i, text in enumerate(texts)}
            signal = _signal(variable, [(time, (index[str(value)], 0)) for time, value in changes])
            return Signal.of(variable, signal.time, signal.value, signal.unknown, tuple(texts))
        rows = []
        for time, value in changes:
            if variable.is_real:
                planes = real_planes(b"r" + repr(float(value)).encode())
            elif isinstance(value, int):
                planes = value, 0
            else:
                planes = bits_planes(str(value).encode(), variable.width)
            if planes is None:
                self._facts.unknown["value that cannot be read"] = (
                    self._facts.unknown.get("value that cannot be read", 0) + 1
                )
                continue
            rows.append((time, planes))
        return _signal(variable, rows)

    def facts(self) -> Facts:
        """What was met."""
        return self._facts


class VcdvcdWave:
    """VCD by vcdvcd; variables and time unit come from our own header reader. source: opened for ``vcd``."""

    what = "VCD waveform, by vcdvcd"

    def __init__(self, source: Source) -> None:
        self.source, self.file = source, source.names[0]
        self.header: Header = read_header(source)
        self.unit_ps = self.header.unit_ps
        self._facts = Facts(notes=[*self.header.notes], unknown=dict(self.header.unknown))

    @cached_property
    def variables(self) -> Mapping[str, Variable]:
        """By name."""
        return {variable.name: variable for variable in self.header.variables}

    def signals(self, names: Iterable[str]) -> dict[str, Signal]:
        """The signals ``names``."""
        module = _module("vcdvcd")
        wanted = list(dict.fromkeys(names))
        for name in wanted:
            if name not in self.variables:
                raise no_such(self.file, name)
        if not self.source.again:
            raise NpuscopeError("vcdvcd cannot read a pipe", file=self.file, hint="save it to a file first")
        from npuscope.source import open_source

        with open_source(self.file, accept=("vcd",)) as again:
            data = b"".join(_pieces(again))
            self._facts.size, self._facts.whole = len(data), again.cut is None
            self._facts.notes += again.notes
        with _contained(self.file, "vcdvcd"):
            read = module.VCDVCD(vcd_string=data.decode("latin-1"), store_tvs=True)
        found = {}
        for name in wanted:
            variable = self.variables[name]
            rows = []
            for time, value in read.data[variable.code.decode("latin-1")].tv:
                text = str(value).encode()
                planes = real_planes(b"r" + text) if variable.is_real else bits_planes(text, variable.width)
                if planes is None:
                    self._facts.unknown["value that cannot be read"] = (
                        self._facts.unknown.get("value that cannot be read", 0) + 1
                    )
                    continue
                rows.append((time, planes))
            self._facts.changes += len(rows)
            found[name] = _signal(variable, rows)
        self._facts.first, self._facts.last = int(read.begintime or 0), int(read.endtime or 0)
        return found

    def facts(self) -> Facts:
        """What was met."""
        return self._facts
