"""FPGA/NPU trace and RTL verification toolkit: who stalls whom, at nanoseconds, with counted loss."""

from __future__ import annotations

TYPE_CHECKING = False  # typing takes longer to import than all of this: a Ctrl-C would meet it
if TYPE_CHECKING:
    from typing import Any

    from npuscope.capture import Capture, open
    from npuscope.errors import Exit, NpuscopeError

__all__ = ["Capture", "Exit", "NpuscopeError", "__version__", "open"]

__version__: str

_MODULES = {"Capture": "capture", "open": "capture", "Exit": "errors", "NpuscopeError": "errors"}


def __getattr__(name: str) -> Any:
    """What needs other modules is imported when it is first used."""
    from importlib import import_module, metadata

    if name == "__version__":
        value: Any = metadata.version("npuscope")
    elif name in _MODULES:
        value = getattr(import_module(f"npuscope.{_MODULES[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
