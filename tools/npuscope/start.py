"""Where the installed ``npuscope`` begins: a Ctrl-C during its imports ends it as quietly as a later one."""

from __future__ import annotations

__all__ = ["main"]

try:
    from npuscope.cli import main
except KeyboardInterrupt:
    raise SystemExit(130) from None  # errors.INTERRUPTED may not be there yet
