"""Which reader reads which waveform."""

from __future__ import annotations

from typing import Final

from npuscope.errors import NpuscopeError
from npuscope.importers.waveform import Joined
from npuscope.source import Source

__all__ = ["BACKENDS", "WAVES", "open_waveform"]

WAVES: Final = ("vcd", "fst", "ghw", "ila", "litescope")
"""Formats of ``sniff`` that are waveforms."""
BACKENDS: Final = ("own", "pywellen", "vcdvcd")


def open_waveform(source: Source, backend: str | None = None, *, allow_backwards: bool = False) -> Joined:
    """The waveform in ``source``, opened with ``accept=WAVES``. backend: of ``BACKENDS``, None: ours.

    allow_backwards: of a VCD, with our reader: a time that goes back begins another simulation.
    """
    kind = source.head_kind
    able = {"vcd": BACKENDS, "fst": ("pywellen",), "ghw": ("pywellen",)}.get(kind, ("own",))
    chosen = backend or able[0]
    if chosen not in able:
        raise NpuscopeError(f"{chosen} does not read {kind}", file=source.names[0], expected=" or ".join(able))
    if chosen == "own" and kind == "vcd":
        from npuscope.importers.vcd import VcdReader

        return Joined(VcdReader(source, allow_backwards=allow_backwards))
    if chosen == "own":
        from npuscope.importers.samples import SampleReader

        return Joined(SampleReader(source))
    from npuscope.importers.backends import PywellenWave, VcdvcdWave

    return Joined(PywellenWave(source) if chosen == "pywellen" else VcdvcdWave(source))
