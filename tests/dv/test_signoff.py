# SPDX-License-Identifier: Apache-2.0
"""GO only when everything holds; whatever is taken away or changed turns it to NO-GO and is named."""

import datetime
import json
from pathlib import Path

import pytest

from npuscope import cli
from npuscope.dv.evidence import COVER, PROOFS, REGRESS
from npuscope.dv.signoff import SignOff
from npuscope.dv.tree import Tree
from npuscope.errors import NpuscopeError
from tests.dv.small import NODE, edit, edit_json, make

TODAY = datetime.date(2026, 12, 1)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tree(tmp_path):
    return make(tmp_path)


def signed(tree, stage="V3", today=TODAY):
    """The report of the tree as it is now."""
    return SignOff(Tree(tree.root), stage, today)


def test_nothing_open_is_go(tree):
    report = signed(tree)
    assert report.blockers == []
    assert (report.verdict, report.reached("watermark")) == ("GO", "V3")
    body = report.to_json()
    assert body["thresholds"][0]["state"] == "VERIFIED"
    assert body["regression"] == {"planned": 3, "verdicts": {"PASS": 3}, "seed": 1}
    assert body["mutants"][0] | {"kind": ""} == {
        "name": "limit_strict", "kind": "", "bench": "watermark", "by": ["test_at_the_limit"],
        "icarus": "VERIFIED", "verilator": "VERIFIED",
    }  # fmt: skip
    assert any("DFT" in line or "design for test" in line for line in body["not_covered"])


def test_a_test_removed(tree):
    edit(tree.root / "tb/watermark/bench.py", "@cocotb.test()\nasync def test_at_the_limit(dut): ...\n", "")
    report = signed(tree)
    assert report.verdict == "NO-GO"
    assert "book check: watermark: planned, but there is no such test: test_at_the_limit: FAILED" in report.blockers
    assert "plan watermark W1: test_at_the_limit: STALE" in report.blockers


def test_a_test_removed_from_the_plan_too(tree):
    edit(tree.root / "tb/watermark/bench.py", "@cocotb.test()\nasync def test_at_the_limit(dut): ...\n", "")
    edit(tree.root / "tb/watermark/plan.toml", '"test_at_the_limit", ', "")
    says = "mutant limit_strict: no such test in tb/watermark: test_at_the_limit"
    assert f"book check: rtl/spec/thresholds.toml: {says}: FAILED" in signed(tree).blockers


def test_an_operator_flipped(tree):
    edit(tree.root / "rtl/watermark.v", "level >= LIMIT", "level > LIMIT")
    report = signed(tree)
    assert report.verdict == "NO-GO"
    assert "plan watermark W1: test_bench: STALE" in report.blockers
    assert "plan watermark W3: prove:watermark_holds: STALE" in report.blockers
    assert any("old text must occur exactly once in watermark.v: found 0 times" in line for line in report.blockers)
    assert report.reached("watermark") == "-"


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("rtl/spec/thresholds.toml", "max = 255", "max = 1000", "STALE"),
        ("rtl/spec/thresholds.toml", "value = 200", "value = 201", "STALE"),
        ("rtl/watermark.v", "= `NPS_LIMIT)", "= 200)", "200 is LIMIT of the book"),
        ("tools/npuscope/encode/model.py", 'THRESHOLDS["LIMIT"]', "200", "200 is LIMIT of the book"),
    ],
    ids=("range", "value", "rtl", "model"),
)
def test_a_limit_widened(tree, file, old, new, says):
    edit(tree.root / file, old, new)
    report = signed(tree)
    assert report.verdict == "NO-GO"
    assert any(says in line for line in report.blockers)


def failing(tree, change):
    """Evidence with one row changed."""
    path = tree.evidence / REGRESS
    lines = [json.loads(line) for line in path.read_text().split("\n")[:-1]]
    path.write_text("".join(json.dumps(line) + "\n" for line in filter(None, map(change, lines))))
    return signed(tree).blockers


def test_a_test_that_failed(tree):
    node = NODE.format("bench[icarus]")
    lines = failing(tree, lambda r: r | {"verdict": "FAIL"} if r.get("node") == node and "run" not in r else r)
    assert "plan watermark W1: test_bench: FAILED" in lines


def test_a_test_that_did_not_run(tree):
    node = NODE.format("bench[verilator]")
    lines = failing(tree, lambda r: None if r.get("node") == node and "run" not in r else r)
    assert "plan watermark W1: test_bench: GAP" in lines


def test_a_bin_that_no_run_met(tree):
    lines = failing(tree, lambda r: r | {"bins": ["LIMIT limit", "LIMIT limit + 1"]} if "run" in r else r)
    assert lines == ["threshold LIMIT: bin limit - 1: GAP"]


def test_simulators_that_differ(tree):
    lines = failing(tree, lambda r: r | {"lasted_ns": [70.0]} if r.get("sim") == "verilator" else r)
    assert any("simulators differ" in line for line in lines)


def test_a_proof_that_failed_and_one_without_result(tree):
    rows = json.loads((tree.evidence / PROOFS).read_text())["rows"]
    rows[0]["ok"] = False
    edit_json(tree.evidence / PROOFS, rows=rows)
    assert "plan watermark W3: prove:watermark_holds: FAILED" in signed(tree).blockers
    (tree.evidence / PROOFS).unlink()
    assert "threshold LIMIT: proof watermark W3 watermark_holds: GAP" in signed(tree).blockers


def hole(tree):
    measured = {"watermark": {"kinds": {"toggle": [1, 2]}, "holes": ["watermark.v:1 toggle: level[7]:0->1"]}}
    edit_json(tree.evidence / COVER, modules=measured)


WAIVER = """\
[[waiver]]
item = "coverage watermark: *"
reason = "never that full"
owner = "me"
expires = 2026-12-31
file = "rtl/watermark.v"
from = "    always"
to = "endmodule"
hash = "HASH"
"""


def waive(tree, text=WAIVER):
    path = tree.root / "tb/waivers.toml"
    path.write_text(text)
    report = signed(tree)
    path.write_text(text.replace("HASH", report.waivers[0].actual))


def test_a_hole_needs_a_waiver_that_holds(tree):
    hole(tree)
    assert signed(tree).blockers == ["coverage watermark: watermark.v:1 toggle: level[7]:0->1: GAP"]
    waive(tree)
    report = signed(tree)
    assert (report.verdict, report.blockers) == ("GO", [])
    assert signed(tree, today=datetime.date(2026, 12, 31)).verdict == "GO"


def test_a_waiver_that_has_expired(tree):
    hole(tree)
    waive(tree)
    report = signed(tree, today=datetime.date(2027, 1, 1))
    assert report.verdict == "NO-GO"
    assert "waiver coverage watermark: *: expired on 2026-12-31, owner me" in report.blockers
    assert "coverage watermark: watermark.v:1 toggle: level[7]:0->1: GAP" in report.blockers


def test_a_waiver_of_other_rtl_and_one_that_matches_nothing(tree):
    hole(tree)
    waive(tree)
    edit(tree.root / "tb/waivers.toml", 'hash = "', 'hash = "0')
    assert any(
        line.startswith("waiver coverage watermark: *: stale: rtl/watermark.v") for line in signed(tree).blockers
    )
    waive(tree, WAIVER.replace("coverage watermark", "coverage water"))
    assert "waiver coverage water: *: matches no open item" in signed(tree).blockers


def test_a_waiver_never_hides_a_failure(tree):
    node = NODE.format("bench[icarus]")
    waive(tree, WAIVER.replace("coverage watermark: *", "plan watermark W1: test_bench"))
    lines = failing(tree, lambda r: r | {"verdict": "FAIL"} if r.get("node") == node and "run" not in r else r)
    assert "plan watermark W1: test_bench: FAILED" in lines


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('owner = "me"\n', "", "waiver 1 lacks owner"),
        ("2026-12-31", '"soon"', "expires is no date: found soon"),
        ("    always", "    never", "'from' must occur once in rtl/watermark.v: found 0"),
        ("rtl/watermark.v", "rtl/none.v", "no such file: found rtl/none.v"),
        ("reason", "because", "waiver 1 lacks reason"),
    ],
    ids=lambda value: "",
)
def test_a_waiver_that_is_none(tree, old, new, says):
    (tree.root / "tb/waivers.toml").write_text(WAIVER.replace(old, new))
    with pytest.raises(NpuscopeError, match=says):
        signed(tree)


def dv(capsys, *arguments):
    code = cli.run(["dv", *map(str, arguments)])
    return code, capsys.readouterr()


def test_freeze_and_verify(tree, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tree.root)
    code, said = dv(capsys, "signoff", "--freeze", "frozen")
    assert (code, said.out.strip().split("\n")[-1]) == (0, "GO at V3: 11 items, 0 blockers, 0 waived")
    assert '<h1>Sign-off at V3: <span class="GO">GO</span></h1>' in Path("frozen/signoff.html").read_text()
    assert dv(capsys, "signoff", "--freeze", "frozen")[1].err.startswith("npuscope: frozen: the folder is not empty")
    assert dv(capsys, "signoff", "--verify", "frozen") == (0, ("0 differences\n", ""))
    edit(tree.root / "rtl/watermark.v", "level >= LIMIT", "level > LIMIT")
    (tree.root / "tb/new.py").write_text("")
    code, said = dv(capsys, "signoff", "--verify", "frozen")
    assert code == 1
    lines = said.out.split("\n")
    assert lines[:3] == [
        "rtl/watermark.v: changed since it was frozen", "tb/new.py: new since it was frozen",
        "verdict: was GO, is NO-GO",
    ]  # fmt: skip
    assert "new blocker: plan watermark W1: test_bench: STALE" in lines
    edit(tree.root / "rtl/watermark.v", "level > LIMIT", "level >= LIMIT")
    (tree.root / "tb/new.py").unlink()
    edit(tree.root / "frozen/evidence" / REGRESS, '"seed": 1, "shard"', '"seed": 2, "shard"')
    assert dv(capsys, "signoff", "--verify", "frozen")[1].out.startswith(f"evidence/{REGRESS}: changed since")


def test_verbs_on_a_tree(tree, capsys, monkeypatch):
    monkeypatch.chdir(tree.root)
    assert dv(capsys, "mutate", "--list")[1].out.endswith("2 of 2 killed by their detectors\n")
    assert "any number of clocks (k = 2), 1 planted bugs, VERIFIED" in dv(capsys, "prove")[1].out
    assert dv(capsys, "waivers")[0] == 0
    code, said = dv(capsys, "signoff", "--stage", "V2", "--json")
    assert (code, json.loads(said.out)["modules"]["watermark"]["reached"]) == (0, "V2")
    Path("README.md").write_text("head\n<!-- signoff -->\nold\n<!-- end -->\ntail\n")
    dv(capsys, "signoff", "--readme", "README.md")
    assert "| V3 | `watermark` |" in Path("README.md").read_text()
    assert "old" not in Path("README.md").read_text()
    Path("README.md").write_text("head\n")
    assert "no block for the status table" in dv(capsys, "signoff", "--readme", "README.md")[1].err


def test_this_tree_tells_its_true_verdict(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert "<!-- signoff -->\n| stage reached | modules |" in Path("README.md").read_text()
    code, said = dv(capsys, "signoff")
    assert said.out.split("\n")[-2].startswith("GO at V3" if code == 0 else "NO-GO at V3")
