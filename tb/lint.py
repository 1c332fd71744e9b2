"""Lint every RTL module: Verilator -Wall, Icarus -Wall, verible, slang, and elaboration in Yosys.

The reusable Verilog of tb/vip goes through the same tools but Yosys: it need not be synthesizable.

``python tb/lint.py [module ...]``; prints one line per finding, exits 1 on any.
"""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from npuscope.errors import leave
from npuscope.sim import tools

ROOT = Path(__file__).resolve().parents[1]
INCLUDE = ROOT / "rtl" / "gen"
INCLUDES = [f"-I{folder}" for folder in sorted({header.parent for header in (ROOT / "rtl").rglob("*.vh")})]
VERIBLE_RULES = (
    "-always-comb,-unpacked-dimensions-range-ordering,-explicit-parameter-storage-type,line-length=length:120,"
    "parameter-name-style=localparam_style_regex:[A-Z][A-Z0-9_]*;parameter_style_regex:[A-Z][A-Z0-9_]*"
)


def sources(*folders: str) -> dict[str, Path]:
    """Module name to file of every Verilog module under ``folders`` (one module a file, of the file's name)."""
    return {path.stem: path for folder in folders for path in sorted((ROOT / folder).rglob("*.v"))}


def yosys_script(module: str, files: list[str]) -> str:
    """Elaboration with every warning that means a wrong net turned into an error."""
    return (
        "from pyosys import libyosys as ys; d = ys.Design();"
        f"[ys.run_pass(c, d) for c in ['read_verilog {' '.join(INCLUDES)} {' '.join(files)}',"
        f" 'hierarchy -check -top {module}', 'proc', 'check -assert']]"
    )


def commands(module: str, files: list[str], synthesizable: bool) -> dict[str, list[str]]:
    """Linter name to command line."""
    binary = Path(sys.executable).parent
    others = [f for f in files if Path(f).stem != module]
    own = next(f for f in files if Path(f).stem == module)
    found = {
        "verilator": [
            "verilator", "--lint-only", "--quiet", "-Wall", "--default-language", "1364-2005",
            *INCLUDES, "--top-module", module, own, *others,
        ],
        "icarus": ["iverilog", "-g2005", "-Wall", "-tnull", *INCLUDES, "-s", module, own, *others],
        "verible": [str(binary / "verible-verilog-lint"), f"--rules={VERIBLE_RULES}", own],
        "slang": [sys.executable, __file__, "--slang", module, own, *others],
    }  # fmt: skip
    if synthesizable:
        found["yosys"] = [sys.executable, "-c", yosys_script(module, files)]
    return found


def slang(module: str, files: list[str]) -> int:
    """Run slang in this process; its findings go to stderr."""
    from pyslang.driver import Driver

    driver = Driver()
    driver.addStandardArgs()
    flags = "-Wextra -Wpedantic -Wwidth-trunc -Wport-width-trunc -Wport-width-expand -Wno-unused"
    line = f"slang {flags} -Werror {' '.join(INCLUDES)} --single-unit --top {module} {' '.join(files)}"
    if not (driver.parseCommandLine(line) and driver.processOptions() and driver.parseAllSources()):
        return 1
    driver.reportCompilation(driver.createCompilation(), True)
    return 0 if driver.reportDiagnostics(True) else 1


def lint(module: str) -> list[str]:
    """Findings of all linters on ``module``, one text each."""
    found = []
    env = {**os.environ, **tools.environment()}
    product = sources("rtl")
    files = product if module in product else sources("rtl", "tb/vip")
    for name, command in commands(module, [str(path) for path in files.values()], module in product).items():
        run = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)
        output = (run.stdout + run.stderr).strip()
        if run.returncode or (name in ("icarus", "verilator", "verible") and output):
            found.append(f"{module}: {name}: exit {run.returncode}\n{output}")
    return found


def main(argv: list[str]) -> int:
    """Lint the named modules, or all."""
    if argv[:1] == ["--slang"]:
        return slang(argv[1], argv[2:])
    wanted = argv or sorted(sources("rtl", "tb/vip"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for texts in pool.map(lint, wanted) for text in texts]
    for text in found:
        print(text, file=sys.stderr)
    print(f"lint: {len(wanted)} modules, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    leave(lambda: main(sys.argv[1:]))
