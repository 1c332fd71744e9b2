"""FPGA/NPU trace and RTL verification toolkit: who stalls whom, at nanoseconds, with counted loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npuscope.errors import Exit, NpuscopeError

if TYPE_CHECKING:
    from npuscope.capture import Capture, open

__all__ = ["Capture", "Exit", "NpuscopeError", "__version__", "open"]

__version__: str


def __getattr__(name: str) -> Any:
    """What needs numpy or the package's metadata is imported when it is first used."""
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("npuscope")
    elif name in ("Capture", "open"):
        from npuscope import capture

        value = getattr(capture, name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
