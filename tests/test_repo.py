"""The repository's own rules: what each module must have, and which way imports may go."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted(p.stem for p in (ROOT / "rtl").rglob("*.v") if "gen" not in p.parts)

# A rung imports only rungs before it; what stands beside the ladder is listed with what it may use.
LADDER = [
    *("errors", "layout", "sniff", "crc", "units", "ledger", "source", "records", "survey"),
    *(
        "description",
        "intervals",
        "replay",
        "occupancy",
        "episodes",
        "cutting",
        "stretches",
        "rawmode",
        "timeline",
        "placing",
        "sidecar",
    ),
    *("sampling", "tables"),
    *("analysis", "views", "capture", "cli"),
]
TOP_LEVEL = {
    ".ci", ".github", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md",
    "pyproject.toml", "rtl", "tb", "tests", "tools", "traces",
}  # fmt: skip


def tracked() -> list[str]:
    return subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")


@pytest.mark.parametrize("module", MODULES)
def test_module_has_bench_plan_and_catalogue_row(module: str) -> None:
    folder = ROOT / "tb" / module
    assert (folder / "plan.toml").is_file(), f"tb/{module}/plan.toml is missing"
    assert list(folder.glob("test_*.py")), f"tb/{module} has no test"
    assert f"`{module}`" in (ROOT / "rtl/README.md").read_text(), f"rtl/README.md has no row for {module}"


@pytest.mark.parametrize("module", MODULES)
def test_module_file_is_verilog_of_our_style(module: str) -> None:
    path = next((ROOT / "rtl").rglob(f"{module}.v"))
    text = path.read_text()
    assert text.startswith("// SPDX-License-Identifier: Apache-2.0\n")
    assert "`default_nettype none" in text
    assert text.rstrip().endswith("`default_nettype wire")
    assert len(re.findall(r"^module\s", text, re.M)) == 1
    code = re.sub(r"//.*|/\*.*?\*/", "", text, flags=re.S if "/*" in text else re.NOFLAG)
    assert not re.search(r"\balways_(ff|comb|latch)\b|\blogic\b|\$fatal|\$error|\$display", code), "Verilog-2005 only"


@pytest.mark.parametrize("rung", LADDER)
def test_imports_go_down_the_ladder(rung: str) -> None:
    package = ROOT / "tools/npuscope"
    files = list((package / rung).rglob("*.py")) + list(package.glob(f"{rung}.py"))
    assert files, f"no module for the rung {rung}"
    above = set(LADDER[LADDER.index(rung) + 1 :])
    for path in files:
        tree = ast.parse(path.read_text())
        typing_only = {
            inner
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        for node in set(ast.walk(tree)) - typing_only:
            names = []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module] if node.module != "npuscope" else [f"npuscope.{a.name}" for a in node.names]
            elif isinstance(node, ast.Import):
                names = [a.name for a in node.names]
            used = {name.split(".")[1] for name in names if name.startswith("npuscope.")}
            assert not used & above, f"{path.name} imports {used & above}, which stand above {rung}"


def test_top_level_is_fixed() -> None:
    assert {name.split("/")[0] for name in tracked() if name} == TOP_LEVEL


def test_no_path_of_a_machine_and_no_oversized_file() -> None:
    for name in filter(None, tracked()):
        path = ROOT / name
        if not path.is_file():
            continue
        assert path.stat().st_size < 1 << 20, f"{name} is over 1 MiB"
        if path.suffix in (".py", ".v", ".vh", ".sv", ".md", ".toml", ".yml", ".sh", ".js", ".css") or "." not in name:
            assert not re.search(r"(?<![\w>])/(?:home|work|root|Users)/\w", path.read_text()), (
                f"{name} names a path of a machine"
            )


def test_every_dependency_has_its_reason() -> None:
    inside = False
    for line in (ROOT / "pyproject.toml").read_text().split("\n"):
        inside = inside or line.startswith("dependencies = [")
        if inside and re.match(r'\s+"[\w.-]+', line) and "npuscope" not in line:
            assert "#" in line, f"pyproject.toml: no reason: {line.strip()}"
        if line.startswith("[project.scripts]"):
            break
