"""What people see: units, tables, the terminal strip and the HTML report."""

from __future__ import annotations

__all__: list[str] = []
