# SPDX-License-Identifier: Apache-2.0
"""The threshold book of this tree fits RTL, stream, model, plans and benches; what does not fit is seen."""

import json
import shutil
from pathlib import Path

import pytest

from npuscope import cli
from npuscope.dv.book import check, load_book
from npuscope.dv.plan import differences, load_plan
from npuscope.dv.tree import Tree
from npuscope.errors import NpuscopeError

ROOT = Path(__file__).resolve().parents[2]


def test_the_book_of_this_tree_fits():
    assert check(load_book(Tree(ROOT))) == []


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A copy of what the check reads."""
    root = tmp_path_factory.mktemp("book") / "tree"
    leave = shutil.ignore_patterns("__pycache__", "*.npt", "pipelines")
    for part in ("rtl", "tb", "tools/npuscope"):
        shutil.copytree(ROOT / part, root / part, ignore=leave)
    return root


@pytest.fixture
def change(whole):
    """Edits a file of the copy, says what the check finds, and puts it back."""
    kept: dict[Path, str] = {}

    def edit(file, old, new):
        path = whole / file
        kept.setdefault(path, path.read_text())
        assert path.read_text().count(old) >= 1
        path.write_text(path.read_text().replace(old, new, 1))
        return check(load_book(Tree(whole)))

    yield edit
    for path, text in kept.items():
        path.write_text(text)


BOOK, PROBE, PLAN = "rtl/spec/thresholds.toml", "rtl/probe/nps_bp_probe.v", "tb/nps_bp_probe/plan.toml"


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        (PROBE, "parameter integer TH_ON = `NPS_TH_ON,", "parameter integer TH_ON = 56,", "56 is TH_ON of the book"),
        (PROBE, "s4_on <= quiet", "s4_x <= s3_occ > 6'd56 ? on_now : th_on; s4_on <= quiet", "56 is TH_ON of the book"),
        (PROBE, "localparam integer LAST =", "localparam integer X = 32'h1E84800, LAST =", "32000000 is T_NOMINAL"),
        (
            "tools/npuscope/encode/mirror.py",
            'th_on: int = THRESHOLDS["TH_ON"].value',
            "th_on: int = 56",
            "mirror.py:40: 56",
        ),
        (BOOK, 'parameter = "TH_WET"', 'parameter = "WET"', "TH_WET: no RTL parameter WET"),
        (BOOK, 'csr = "BP_LIMITS.th_wet"', 'csr = "BP_LIMITS.wet"', "TH_WET: no CFG field BP_LIMITS.wet"),
        (BOOK, 'csr = "BP_LIMITS.th_wet"\n', "", "BP_LIMITS.th_wet is a limit that no threshold claims"),
        (BOOK, 'below = "TH_ON"', 'below = "TH_WET"', "TH_OFF: 48 is not below TH_WET = 4"),
        (BOOK, 'hysteresis = "TH_OFF"', 'hysteresis = "TH_LOW"', "hysteresis names no entry: TH_LOW"),
        (BOOK, 'kind = "hysteresis"', 'kind = "sign"', "TH_ON: no mutant that loses its hysteresis"),
        (BOOK, "occ > wet}", "occ >= wet}", "mutant th_wet_strict"),
        (
            BOOK,
            'by = ["test_new_peaks_and_moves"]',
            'by = ["test_moves"]',
            "no such test in tb/nps_bp_probe: test_moves",
        ),
        (PLAN, 'thresholds = ["STEADY"]', 'thresholds = ["STEDAY"]', "point B3 names no threshold: STEDAY"),
        (PLAN, '"test_flicker_is_filtered", ', "", "a test in no plan: test_flicker_is_filtered"),
        (
            "tb/nps_bp_probe/bench.py",
            "async def test_flicker_is",
            "async def flicker_is",
            "there is no such test: test_flicker",
        ),
    ],
    ids=lambda value: "",
)
def test_what_does_not_fit_is_said(change, file, old, new, says):
    assert any(says in line for line in change(file, old, new))


def test_an_entry_that_no_plan_looks_at(change):
    change(PLAN, '"TH_ON", "TH_OFF", "TH_WET", "STEADY",', '"TH_ON", "TH_OFF", "TH_WET",')
    assert f"{BOOK}: STEADY: no point of any plan looks at it" in change(PLAN, 'thresholds = ["STEADY"]\n', "")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('ruling = "Unit of', 'rulng = "Unit of', "threshold DWELL_SHIFT lacks ruling"),
        ("value = 56", "value = 64", "TH_ON: value out of its range: found 64, expected 1..63"),
        ('operator = ">="', 'operator = "=>"', "unknown operator: found =>"),
        ('parameter = "TH_ON"', 'parameter = "TH_ON"\nused_by = "tools"', "either parameter or used_by"),
        ('id = "TH_OFF"', 'id = "TH_ON"', "ids must be unique: found TH_ON"),
        ('kind = "hysteresis"', 'kind = "lost"', "unknown kind: found lost"),
        ("value = 56", "value = ", "not TOML"),
    ],
    ids=lambda value: "",
)
def test_a_book_that_is_none(change, old, new, says):
    with pytest.raises(NpuscopeError, match=says):
        change(BOOK, old, new)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('module = "x"', r"a plan is 'module' and \[\[point\]\] tables"),
        ('module = "x"\n[[point]]\nid = "A"\nintent = "i"\nstage = "V1"\ntests = []', "point A lacks tests"),
        ('module = "x"\n[[point]]\nid = "A"\nintent = "i"\nstage = "V4"\ntests = ["t"]', "no such stage: found V4"),
        (
            'module = "x"\n[[point]]\nid = "A"\nintent = "i"\nstage = "V1"\ntests = ["t"]\nbin = 1',
            "unknown keys: found bin",
        ),
    ],
)
def test_a_plan_that_is_none(tmp_path, text, says):
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(NpuscopeError, match=says):
        load_plan(tmp_path / "plan.toml")


def test_differences_go_both_ways(tmp_path):
    point = '[[point]]\nid = "A"\nintent = "i"\nstage = "V1"\ntests = ["test_a", "prove:p"]'
    (tmp_path / "plan.toml").write_text('module = "x"\n' + point)
    (tmp_path / "bench.py").write_text("@cocotb.test()\nasync def test_b(dut): ...\n")
    assert differences(load_plan(tmp_path / "plan.toml")) == [
        "x: planned, but there is no such test: prove:p",
        "x: planned, but there is no such test: test_a",
        "x: a test in no plan: test_b",
    ]


def run(capsys, *arguments):
    code = cli.run(["book", *arguments])
    return code, capsys.readouterr()


def test_the_verbs(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT / "rtl")
    assert "TH_ON A2 >= 56 1/64" in " ".join(run(capsys, "list")[1].out.split())
    shown = json.loads(run(capsys, "show", "A8", "--json")[1].out)["thresholds"]
    assert [entry["id"] for entry in shown] == ["S_LIMIT", "S_COUNT", "S_WINDOW"]
    assert shown[2]["mutants"][0]["by"] == ["test_random"]
    assert run(capsys, "check")[0] == 0
    code, said = run(capsys, "show", "TH_OM")
    assert (code, said.err) == (2, "npuscope: no such threshold: found TH_OM; npuscope book list\n")
    monkeypatch.chdir(tmp_path)
    assert "no design tree" in run(capsys, "list")[1].err
