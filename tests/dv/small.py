# SPDX-License-Identifier: Apache-2.0
"""A small tree with one threshold, complete evidence that is made up, and nothing open."""

import json
from pathlib import Path
from typing import Any

from npuscope.dv.evidence import COVER, MUTANTS, PROOFS, REGRESS, save
from npuscope.dv.results import Results, Row, write
from npuscope.dv.tree import Tree

RTL = """\
module watermark #(parameter integer LIMIT = `NPS_LIMIT) (input wire clk, input wire [7:0] level, output reg high);
    `NPS_REFUSE(LIMIT < `NPS_LIMIT_MIN || LIMIT > `NPS_LIMIT_MAX, nps_error__LIMIT_must_be_1_to_255)
    always @(posedge clk) high <= level >= LIMIT[7:0];
endmodule
"""
BOOK = """\
[[threshold]]
id = "LIMIT"
figure = "A1"
value = 200
min = 1
max = 255
unit = "words"
operator = ">="
signal = "level"
parameter = "LIMIT"
csr = "LEVELS.limit"
ruling = "High from here on."
[[threshold.mutant]]
name = "limit_strict"
kind = "operator"
file = "watermark.v"
old = "level >= LIMIT"
new = "level > LIMIT"
bench = "watermark"
by = ["test_at_the_limit"]
"""
TRACE = """\
[[kind]]
sub_set = "cfg"
payload_by_sub.LEVELS = [{name = "limit"}]
[owned.bp]
cfg = ["LEVELS"]
"""
PLAN = """\
module = "watermark"
[[point]]
id = "W1"
intent = "High at LIMIT, not below."
stage = "V1"
tests = ["test_at_the_limit", "test_bench"]
thresholds = ["LIMIT"]
[[point]]
id = "W2"
intent = "The bench sees its mutants."
stage = "V2"
tests = ["test_mutant"]
[[point]]
id = "W3"
intent = "For every input."
stage = "V3"
tests = ["prove:watermark_holds"]
thresholds = ["LIMIT"]
"""
PROOF = """\
[[proof]]
name = "watermark_holds"
top = "formal_watermark"
sources = ["watermark"]
bmc = 5
prove = 2
cover = 5
assumptions = []
asserts = { high = "High iff the level was." }
covers = { rises = "It rises." }
[[proof.bug]]
file = "watermark.v"
old = "level >= LIMIT"
new = "level > LIMIT"
"""
FORMAL = "module formal_watermark; always @* begin high: assert (1); rises: cover (1); end endmodule\n"
BENCH = "@cocotb.test()\nasync def test_at_the_limit(dut): ...\n"
TESTS = "def test_bench(sim): ...\n\n\ndef test_mutant(mutant, mutant_sim): ...\n"
BINS = ["LIMIT limit", "LIMIT limit + 1", "LIMIT limit - 1"]
FILES = {
    "rtl/watermark.v": RTL,
    "rtl/spec/thresholds.toml": BOOK,
    "rtl/spec/trace.toml": TRACE,
    "tb/watermark/plan.toml": PLAN,
    "tb/watermark/proofs.toml": PROOF,
    "tb/watermark/formal.sv": FORMAL,
    "tb/watermark/bench.py": BENCH,
    "tb/watermark/test_watermark.py": TESTS,
    "tools/npuscope/encode/model.py": 'LIMIT = THRESHOLDS["LIMIT"]\n',
}
NODE = "tb/watermark/test_watermark.py::test_{}"


def make(root: Path) -> Tree:
    """Write the tree and its evidence below ``root``."""
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    tree = Tree(root)
    sims = ("icarus", "verilator")
    benches, mutants = ([NODE.format(f"{test}{sim}]") for sim in sims] for test in ("bench[", "mutant[limit_strict-"))
    regress = results(tree, benches + mutants[:1])
    regress.runs = [run(node, sim) for node, sim in zip(benches, sims, strict=True)]
    tree.evidence.mkdir(parents=True)
    write(regress, tree.evidence / REGRESS)
    write(results(tree, mutants), tree.evidence / MUTANTS)
    rows = [{"proof": "watermark_holds", "module": "watermark", "mode": mode, "ok": True} for mode in ("bmc", "bug0")]
    save(tree.evidence / PROOFS, tree, ["watermark"], {"rows": rows})
    measured = {"watermark": {"kinds": {"line": [1, 1]}, "holes": []}}
    save(tree.evidence / COVER, tree, ["watermark"], {"modules": measured})
    return tree


def results(tree: Tree, nodes: list[str]) -> Results:
    """All passed."""
    return Results(
        nodes, {"watermark": tree.hash("watermark")}, 1, rows={node: Row(node, "PASS", "") for node in nodes}
    )


def run(node: str, sim: str) -> dict[str, Any]:
    """A simulation that passed."""
    return {"node": node, "sim": sim, "seed": 1, "bug": None, "verdict": "PASS", "failed": [],
            "tests": ["tb.watermark.bench.test_at_the_limit"], "lasted_ns": [50.0], "bins": BINS}  # fmt: skip


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text that is there once."""
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def edit_json(path: Path, **changes: Any) -> None:
    """Change keys of a JSON object."""
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
