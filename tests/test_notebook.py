"""The notebook runs from its first cell to its last, and shows what its cells give; ``python -m tests.test_notebook``
writes its outputs anew."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "tools/reading_a_trace.ipynb"


def outputs(code: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Run one cell in ``names``: what it prints, and its last expression as text and HTML, as in nbformat 4."""
    tree = ast.parse(code)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None  # type: ignore[attr-defined]
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(last, "cell", "eval"), names)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(True)
        found.append({"data": data, "metadata": {}, "output_type": "execute_result"})
    return found


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs that its cells give, run in the root of the repository."""
    names: dict[str, Any] = {}
    with contextlib.chdir(ROOT):
        for number, cell in enumerate(cell for cell in notebook["cells"] if cell["cell_type"] == "code"):
            found = outputs("".join(cell["source"]), names)
            for output in found:
                if output["output_type"] == "execute_result":
                    output["execution_count"] = number + 1
            cell["execution_count"], cell["outputs"] = number + 1, found
    return notebook


def test_the_notebook_shows_what_its_cells_give() -> None:
    kept = NOTEBOOK.read_text(encoding="utf-8")
    assert json.loads(kept) == executed(json.loads(kept)), "run: python -m tests.test_notebook"
    cells = json.loads(kept)["cells"]
    assert sum(cell["cell_type"] == "code" for cell in cells) >= 5
    assert any("text/html" in output.get("data", {}) for cell in cells for output in cell.get("outputs", ()))


if __name__ == "__main__":
    os.chdir(ROOT)
    done = executed(json.loads(NOTEBOOK.read_text(encoding="utf-8")))
    NOTEBOOK.write_text(json.dumps(done, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
