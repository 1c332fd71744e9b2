# SPDX-License-Identifier: Apache-2.0
"""``dv run`` on a small tree: every verdict is found, shards merge, whatever is killed still reports."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from npuscope import cli
from npuscope.dv import reports
from npuscope.dv.results import Node, Results, Row, buckets, merge, read
from npuscope.errors import NpuscopeError

ROOT = Path(__file__).resolve().parents[2]
TREE = Path(__file__).parent / "fixtures" / "tree"
RUDE, QUIET = "tb/rude/test_rude.py::", "tb/quiet/test_quiet.py::"
VERDICTS = ("FAIL", "TIMEOUT", "CRASH", "HANG", "NO_RESULTS", "ZERO_TESTS", "BUILD_FAIL", "HDL_ERROR")


@pytest.fixture(autouse=True)
def inside(monkeypatch):
    monkeypatch.chdir(TREE)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("NPUSCOPE_SEED", raising=False)


def dv(capsys, *arguments):
    code = cli.run(["dv", *map(str, arguments)])
    return code, capsys.readouterr()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("dv")


def test_two_shards_find_every_verdict(capsys, folder):
    code, said = dv(capsys, "list", "--json", "-o", folder / "planned.json")
    assert code == 0, said.err
    for shard in (1, 2):
        code, said = dv(capsys, "run", "--shard", f"{shard}/2", "-o", folder / f"{shard}.jsonl", "-j", 1)
        assert code == 1, said.err
    code, said = dv(
        capsys, "merge", folder / "1.jsonl", folder / "2.jsonl", "--expect", folder / "planned.json",
        "-o", folder / "all.jsonl", "--junit", folder / "j.xml", "--summary", folder / "s.md", "--ci", "github",
    )  # fmt: skip
    assert code == 1
    verdicts = {node: row.verdict for node, row in read(folder / "all.jsonl").rows.items()}
    for verdict in VERDICTS:
        assert verdicts[f"{QUIET}test_ends[{verdict}]"] == verdict
    assert verdicts[f"{QUIET}test_passes"] == verdicts[f"{RUDE}test_1_passes"] == "PASS"
    assert verdicts[f"{RUDE}test_2_dies"] == "CRASH"
    assert verdicts[f"{RUDE}test_3_is_never_reached"] == "MISSING"
    assert said.out.endswith(
        "12 tests: 2 PASS, 2 CRASH, 1 BUILD_FAIL, 1 FAIL, 1 HANG, 1 HDL_ERROR, 1 MISSING, 1 NO_RESULTS, 1 TIMEOUT, "
        "1 ZERO_TESTS\n"
    )
    assert said.out.count("::error file=") == reports.ANNOTATIONS
    assert f"replay: NPUSCOPE_SEED=1 {sys.executable} -m pytest '{QUIET}test_ends[FAIL]'" in said.out
    cases = {case.get("name"): case for case in ElementTree.parse(folder / "j.xml").iter("testcase")}
    assert cases["test_ends[HANG]"].find("failure").get("type") == "HANG"
    assert "FAILED: 12 tests" in (folder / "s.md").read_text()

    check_waves(folder)
    check_missing(capsys, folder)


def check_waves(folder):
    """A failing run has waves, opened where it failed."""
    row = read(folder / "all.jsonl").rows[f"{QUIET}test_ends[FAIL]"]
    assert Path(row.waveform).stat().st_size > 0
    text = Path(row.view).read_text()
    assert f'[dumpfile] "{row.waveform}"' in text
    assert "\n*-17.0 50000 -1 " in text  # it fails at 50 ns


def check_missing(capsys, folder):
    """What a shard lacks is MISSING."""
    code, said = dv(capsys, "merge", folder / "1.jsonl")
    assert code == 1
    assert "MISSING" in said.out
    assert "planned, but it did not run" in said.out
    _, said = dv(capsys, "merge", folder / "1.jsonl", folder / "1.jsonl")
    assert "a shard is there twice: found 1/2, 1/2" in said.err


def test_a_process_that_hangs_is_killed(capsys, folder, monkeypatch):
    monkeypatch.setenv("RUDE_HANGS", "1")
    code, _ = dv(capsys, "run", "rude", "--limit", 15, "-o", folder / "hang.jsonl", "-q")
    assert code == 1
    rows = read(folder / "hang.jsonl").rows
    assert rows[f"{RUDE}test_2_dies"].verdict == "HANG"
    assert rows[f"{RUDE}test_3_is_never_reached"].reason.startswith("not reached: killed after 15 s")


def test_a_run_that_is_stopped_reports(folder, monkeypatch):
    monkeypatch.setenv("RUDE_HANGS", "1")
    target = folder / "stopped.jsonl"
    command = [sys.executable, "-m", "npuscope", "dv", "run", "rude", "-o", str(target), "-q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        patience = time.monotonic() + 60
        while not target.exists() and time.monotonic() < patience:
            time.sleep(0.1)
        time.sleep(0.5)
        os.kill(child.pid, signal.SIGTERM)
        out, err = child.communicate()
    assert child.returncode == 1
    assert "stopped; what had not ended is MISSING" in err
    assert re.search(r"\n3 tests: (3|1 PASS, 2) MISSING\n$", out)


def test_failed_first_and_stage(capsys, folder):
    code, said = dv(capsys, "run", "quiet", "--stage", "V1", "-o", folder / "v1.jsonl")
    assert (code, said.out) == (0, "1 tests: 1 PASS\n")
    code, said = dv(capsys, "run", "--stage", "V1", "rude")
    assert code == 1
    assert "ZERO_TESTS: nothing to run" in said.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("run", "nowhere"), "no such bench: found nowhere; npuscope dv list"),
        (("run", "--shard", "3/2"), "no such shard: found 3/2"),
        (("run", "--sim", "questa"), "unknown simulator: found questa"),
        (("merge", "nowhere.jsonl"), "nowhere.jsonl: cannot be read"),
        (("merge", "tb/conftest.py"), "tb/conftest.py: not the results of 'dv run'"),
        (("replay", "--results", "nowhere.jsonl"), "nowhere.jsonl: cannot be read"),
    ],
)
def test_mistakes(capsys, arguments, says):
    code, said = dv(capsys, *arguments)
    assert code == 2
    assert says in said.err


PAIR = "tb/b/test_b.py::test_x[{}-1]"


def simulated(sim, lasted, bug=None):
    return {"node": PAIR.format(sim), "sim": sim, "seed": 1, "bug": bug, "verdict": "PASS", "failed": [],
            "tests": ["m.test_x"], "lasted_ns": [lasted]}  # fmt: skip


def test_simulators_are_compared():
    nodes = [PAIR.format(sim) for sim in ("icarus", "verilator")]
    results = Results(nodes, {}, 1, rows={node: Row(node, "PASS", "") for node in nodes})
    results.runs = [simulated("icarus", 50.0), simulated("verilator", 50.0), simulated("verilator", 60.0, "bug")]
    assert [row.verdict for row in results.complete()] == ["PASS", "PASS"]
    results.runs[1] = simulated("verilator", 54.0)  # the first test, and the first edge
    assert [row.verdict for row in results.complete()] == ["PASS", "PASS"]
    results.runs[1] = simulated("verilator", 65.0)
    row = results.complete()[2]
    assert (row.verdict, row.node) == ("FAIL", PAIR.format("*"))
    assert row.reason == "simulators differ: 1 m.test_x ended after 50.0 ns on icarus, 65.0 ns on verilator"


def test_buckets_gather_what_differs_in_numbers_only():
    rows = [Row(f"tb/b/test_b.py::test_x[{n}]", "FAIL", f"count is {n}, not 0x{n}f") for n in range(5)]
    rows.append(Row("tb/b/test_b.py::test_y", "FAIL", "other"))
    found = buckets(rows)
    assert [len(bucket.nodes) for bucket in found] == [5, 1]
    assert found[0].replay(7).startswith("NPUSCOPE_SEED=7 ")
    seeded = buckets([Row("tb/b/test_b.py::test_x[icarus-seed9]", "FAIL", "")])[0]
    assert seeded.replay(7).startswith("NPUSCOPE_SEED=9 NPUSCOPE_SEEDS=2 ")


def test_reports_keep_within_the_limits_of_github():
    nodes = [f"tb/b{n}/test_b.py::test_x" for n in range(3000)]
    results = Results(nodes, {}, 1, rows={node: Row(node, "FAIL", f"because | {node} " * 9) for node in nodes})
    assert len(reports.summary(results).encode()) <= reports.SUMMARY_BYTES
    assert "more buckets" in reports.summary(results)
    assert len(reports.github(results)) == 9
    assert reports.github(results)[8].count("2992 more buckets")


def test_shards_of_different_plans_do_not_merge():
    with pytest.raises(NpuscopeError, match="shards of different regressions"):
        merge([Results(["tb/b/test_b.py::test_x"], {}, 1, "1/2"), Results(["tb/b/test_b.py::test_y"], {}, 1, "2/2")])


def test_a_line_cut_short_is_left_out(tmp_path):
    path = tmp_path / "r.jsonl"
    node = "tb/b/test_b.py::test_x"
    head = Results([node], {"b": "1"}, 1).header()
    path.write_text(json.dumps(head) + "\n" + '{"node": "tb/b/te')
    assert read(path).complete()[0].verdict == "MISSING"
    assert Node.of(node).bench == "b"
