# SPDX-License-Identifier: Apache-2.0
"""nps_top end to end, on both simulators and through the decoder; see README.md."""

from __future__ import annotations

from collections import Counter

import pytest

from npuscope.layout import SRC_RAS
from tb.nps_top.config import BUILDS
from tb.nps_top.decoded import check_hot, check_ledger, check_ras, check_records, driven, episodes, read
from tb.nps_top.structure import EVENTS, WATCHED, depend
from tb.runner import TREE, Patch, bench, caught, refused

STEADY_LIMITS = ("no_loss", "stalls", "steps", "steps_told", "dead_sink")
"""Tests whose limits never change, so that the levels driven say alone when a layer was hot."""


@pytest.mark.seeds
@pytest.mark.parametrize("name", BUILDS)
def test_random(name, pytestconfig):
    """All profiles; each simulator compares every bit, both give the same bytes, and the decoder reads them right."""
    simulators = pytestconfig.getoption("--sim").split(",")
    folders = [bench("nps_top", sim, BUILDS[name].parameters, env={"NPS_TOP_BUILD": name}).folder for sim in simulators]
    dumps = {path.stem: path for path in sorted(folders[0].glob("*.npt"))}
    assert len(dumps) == 10
    for other in folders[1:]:
        assert {path.stem: path.read_bytes() for path in other.glob("*.npt")} == {
            stem: path.read_bytes() for stem, path in dumps.items()
        }
    lost, verdicts = {}, Counter()
    for stem, path in dumps.items():
        reading = read(path)
        lost[stem] = check_ledger(reading)
        assert check_records(reading) > 40
        if SRC_RAS in BUILDS[name].others:
            verdicts += check_ras(path)
        if stem in STEADY_LIMITS and BUILDS[name].limits.stale_ns >= 100_000:
            known, hot = check_hot(reading)
            assert known > hot
            assert hot > 1000 or stem in ("dead_sink", "steps_told")  # lost from the start; never hot
            if stem != "steps":  # there a jump of relative time makes the bench lose sight of an episode
                assert set(episodes(reading)) <= set(driven(reading))
            if not lost[stem] and stem != "steps":
                assert episodes(reading) == driven(reading)
    if SRC_RAS in BUILDS[name].others:
        assert verdicts["samples"] > 100  # software has the capture off, or another nominal interval, for a while
        assert verdicts["agree"] > 10
    assert lost["no_loss"] == lost["steps_told"] == 0
    assert min(lost["stalls"], lost["dead_sink"]) >= 200


BARE = {"JITTER": 0, "RAS": 0, "TOKEN": 0, "REGS": 0}
FULL_RATE = {**BARE, "NUM_BP": 1, "LAYERS": 1, "DRY_MASK": 0, "RAW": 1}
"""With the default queues and frames; a sample in which something is hot is a record."""


def test_rate(sim):
    bench("nps_top", sim, FULL_RATE, module="tb.nps_top.bench_rate")


def test_slower_group_is_caught(pytestconfig):
    patch = Patch("nps_trace_frame.v", "PAUSE = 5;", "PAUSE = 15;")
    options = {"module": "tb.nps_top.bench_rate", "tests": ["test_sustained"], "env": {"NPS_TOP_FRAMES": "16"}}
    caught("nps_top", pytestconfig.getoption("--sim").split(",")[0], patch, FULL_RATE, by="samples lost", **options)


REGISTERS = {**BARE, "REGS": 1, "NUM_BP": 2, "FIFO_DEPTH": 16}


def test_registers(sim):
    bench("nps_top", sim, REGISTERS, module="tb.nps_top.bench_regs")


def test_registers_see_a_planted_bug():
    patch = Patch("nps_top.v", ".drop(dropped),", ".drop({SOURCES{1'b0}}),")
    options = {"module": "tb.nps_top.bench_regs", "tests": ["test_losses_are_counted"]}
    caught("nps_top", "icarus", patch, REGISTERS, **options)


BLOCKS = {"NUM_BP": 2, "FIFO_DEPTH": 16}
"""Everything is built in by default."""
BY_SOFTWARE = {"module": "tb.nps_top.bench_blocks"}


def test_blocks_by_registers(sim):
    bench("nps_top", sim, BLOCKS, **BY_SOFTWARE)


def test_blocks_by_registers_see_a_planted_bug():
    """Sums that are read while they change."""
    patch = Patch("nps_csr.v", ".jitter_snap(jitter_stat_snap)", ".jitter_snap()")
    caught("nps_top", "icarus", patch, BLOCKS, tests=["test_statistics_are_one_snapshot"], **BY_SOFTWARE)


SMALL = {**BARE, "NUM_BP": 2, "LAYERS": 0x1_0000_000F, "DRY_MASK": 0, "FIFO_DEPTH": 4}


@pytest.mark.parametrize("signals", [WATCHED, EVENTS], ids=["outputs", "events"])
def test_nothing_watched_depends_on_the_sink(signals):
    assert not depend(signals, SMALL)


def test_dependence_on_the_sink_is_seen(tmp_path):
    assert depend(EVENTS, SMALL, cut=False), "a start waits for the sink"
    changed = tmp_path / "nps_top.v"
    text = (TREE / "rtl" / "nps_top.v").read_text()
    assert text.count("stepped_ts <= ts_step;") == 1
    changed.write_text(text.replace("stepped_ts <= ts_step;", "stepped_ts <= ts_step && m_axis_tready;"))
    assert depend(EVENTS, SMALL, rtl=changed)


PLANTED = {
    "loss mask forgets": ("stalls", Patch("nps_trace_loss.v", "mask <= mask | touched;", "mask <= touched;")),
    "first samples of a stream lost": (
        "restarts",
        Patch("nps_top.v", "valid <= trace_valid & {NUM_BP{sampling}};", "valid <= trace_valid & {NUM_BP{sampled}};"),
    ),
    "no doubt after loss of lock": ("steps_told", Patch("nps_top.v", "(had_time && !has_time)", "1'b0")),
}
"""Bugs of the wiring and of the fabric, and the test that must see each, on both simulators."""

MORE_PLANTED = {
    "no heartbeat": ("old_frames", Patch("nps_trace_close.v", "heartbeat <= age >= HEARTBEAT_NS", "heartbeat <= 1'b0")),
    "age never fires": ("old_frames", Patch("nps_trace_close.v", "old <= age >= FRAME_AGE_NS", "old <= 1'b0")),
    "first pair closes": (
        "steps_told",
        Patch("nps_trace_close.v", "step_due <= step_told && !step_pending;", "step_due <= step_told;"),
    ),
    "wet one code late": (
        "steps_told",
        Patch("nps_trace_mirror.v", "wets = occ >= th_wet;", "wets = occ > th_wet;"),
    ),
    "first drop moves": ("stalls", Patch("nps_trace_loss.v", "times[{account, open}] <=", "times[{account, 1'b0}] <=")),
}
"""More, where one simulator is enough: the first two change only when groups come."""


SOURCES_PLANTED = {
    "resume of software lost": ("everything", Patch("nps_top.v", "token_resume || resume_order", "token_resume")),
    "tokens a clock late": (
        "steps_told",
        Patch("nps_source_token.v", "`NPS_BP_LATENCY + 1 - `NPS_TOKEN", "`NPS_BP_LATENCY + 2 - `NPS_TOKEN"),
    ),
    "tokens counted after the flush": (
        "restarts",
        Patch("nps_trace_fabric.v", "if (offer[g]) ev_bp_samples", "ev_bp_samples"),
    ),
    "reneg_done ahead of its clock": (
        "no_loss",
        Patch("nps_top.v", ".reneg_done(renegotiated[`NPS_JITTER_LATENCY-1])", ".reneg_done(reneg_over)"),
    ),
    "events of no stream told": (
        "restarts",
        Patch("nps_top.v", ".js_offer(offered[`NPS_JITTER_LATENCY-1])", ".js_offer(1'b1)"),
    ),
    "END before the last RAS record": ("no_loss", Patch("nps_top.v", "flush && !ras_offers", "flush")),
    "RAS limits to nobody": (
        "limits",
        Patch("nps_csr.v", "assign ras_apply = apply_ras;", "assign ras_apply = 1'b0;"),
    ),
}
"""Bugs of the sources beside the trace ports and of their registers; they need the build that has all."""


def planted(sim: str, test: str, patch: Patch, build: str = "one") -> None:
    caught("nps_top", sim, patch, BUILDS[build].parameters, tests=[f"test_{test}"], env={"NPS_TOP_BUILD": build})


@pytest.mark.parametrize("bug", PLANTED)
def test_planted_bug_is_caught(bug, sim):
    planted(sim, *PLANTED[bug])


@pytest.mark.parametrize("bug", MORE_PLANTED)
def test_planted_bug_of_timing_is_caught(bug, pytestconfig):
    planted(pytestconfig.getoption("--sim").split(",")[0], *MORE_PLANTED[bug])


@pytest.mark.parametrize("bug", SOURCES_PLANTED)
def test_planted_bug_of_a_source_is_caught(bug, pytestconfig):
    planted(pytestconfig.getoption("--sim").split(",")[0], *SOURCES_PLANTED[bug], build="full")


ILLEGAL = {
    "NUM_BP": ({"NUM_BP": 63, "LAYERS": 1, "DRY_MASK": 0}, "nps_error__NUM_BP_must_be_1_to_62"),
    "FIFO_DEPTH": ({"FIFO_DEPTH": 48}, "nps_error__FIFO_DEPTH_must_be_a_power_of_two_from_4_to_4096"),
    "FRAME_RECORDS": ({"FRAME_RECORDS": 31}, "nps_error__FRAME_RECORDS_must_be_32_to_512"),
    "HEARTBEAT_NS": (
        {"FRAME_AGE_NS": 2000, "HEARTBEAT_NS": 1999},
        "nps_error__HEARTBEAT_NS_must_not_be_below_FRAME_AGE_NS",
    ),
    "TH_OFF": ({"TH_OFF": 56}, "nps_error__TH_OFF_must_be_below_TH_ON"),
    "LAYERS": ({"NUM_BP": 1, "LAYERS": 0, "DRY_MASK": 0}, "nps_error__LAYERS_must_not_be_empty"),
}


@pytest.mark.parametrize("parameter", ILLEGAL)
def test_illegal_parameters_are_refused(parameter, any_tool):
    refused("nps_top", any_tool, *ILLEGAL[parameter])
