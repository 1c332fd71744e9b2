"""Host logs: every wording, layer and agent checked by the status word, nothing dropped, chance beside coincidence."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import npuscope
from npuscope.analysis.align import align
from npuscope.analysis.coincidence import coincidence
from npuscope.cli import run
from npuscope.encode import SourceConfig, Writer
from npuscope.errors import Exit, NpuscopeError
from npuscope.hostlog import HostEvent, aer_agent, aer_layer, parse_log, read_events
from npuscope.layout import TokenSub
from tests.tables.dumps import START, token

Captured = pytest.CaptureFixture[str]
EVENTS = "traces/synthetic/events.npt"
AER = """\
pcieport 0000:00:1c.0: AER: Corrected error received: 0000:01:00.0
npu 0000:01:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)
npu 0000:01:00.0:   device [10ee:9034] error status/mask=00001000/00002000
npu 0000:01:00.0:    [12] Timeout
pcieport 0000:00:1c.0: AER: Multiple Uncorrected (Fatal) error received: id=00e0
npu 0000:01:00.0: AER: PCIe Bus Error: severity=Uncorrectable (Non-Fatal), type=Transaction Layer, (Requester ID)
npu 0000:01:00.0:   device [10ee:9034] error status/mask=00004000/00000000
npu 0000:01:00.0:    [14] CmpltTO                (First)
npu 0000:01:00.0: AER:   TLP Header: 04000001 0000000f 01000004 00000000
pcieport 0000:00:1c.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, id=00e0(Receiver ID)
pcieport 0000:00:1c.0:   device [8086:a110] error status/mask=00000001/00002000
pcieport 0000:00:1c.0: AER: Correctable error message received from 0000:01:00.0
"""


def one(line: str) -> HostEvent:
    (event,), _, others = parse_log([line], "log")
    assert not others
    return event


def test_aer_in_its_wordings() -> None:
    events, coverage, others = parse_log(AER.splitlines(), "dmesg")
    assert (coverage.lines, coverage.understood, coverage.other, others) == (12, 12, 0, [])
    assert [(e.severity, e.kind, e.what, e.locator) for e in events] == [
        ("corrected", "R", "AER message received", "0000:01:00.0"),
        ("corrected", "R", "PCIe bus error: Timeout", "0000:01:00.0"),
        ("fatal", "A", "AER message received", "00e0"),
        ("recoverable", "A", "PCIe bus error: CmpltTO", "0000:01:00.0"),
        ("corrected", "R", "PCIe bus error", "0000:00:1c.0"),
        ("corrected", "R", "AER message received", "0000:01:00.0"),
    ]
    assert all(event.consistent for event in events)
    assert (events[2].count, events[2].count_is_lower_bound, events[2].reporter) == (2, True, "0000:00:1c.0")
    assert events[3].registers == {
        "status": 0x4000,
        "mask": 0,
        "tlp0": 0x04000001,
        "tlp1": 15,
        "tlp2": 0x01000004,
        "tlp3": 0,
    }
    assert events[3].raw.count("\n") == 3


def test_layer_and_agent_are_functions_of_the_status_word() -> None:
    wrong = AER.replace("type=Data Link Layer, (Transmitter ID)", "type=Physical Layer, (Receiver ID)")
    assert [e.consistent for e in parse_log(wrong.splitlines(), "dmesg")[0]].count(False) == 1
    assert (aer_layer(1, "corrected"), aer_agent(1, "corrected")) == ("Physical Layer", "Receiver ID")
    assert (aer_layer(1 << 4, "fatal"), aer_agent(1 << 4, "fatal")) == ("Data Link Layer", "Receiver ID")
    assert (aer_layer(1 << 15, "recoverable"), aer_agent(1 << 15, "recoverable")) == (
        "Transaction Layer",
        "Completer ID",
    )
    assert aer_agent(1 << 20, "recoverable") == "Requester ID"


@pytest.mark.parametrize(
    ("line", "severity", "component", "what"),
    [
        (
            "NVRM: Xid (PCI:0000:3b:00): 79, pid=0, GPU has fallen off the bus.",
            "fatal",
            "gpu",
            "Xid 79: pid=0, GPU has",
        ),
        ("EDAC MC0: 3 CE memory read error on DIMM#0", "corrected", "memory", "memory read error"),
        ("EDAC MC0: 1 UE memory read error on DIMM#0", "fatal", "memory", "memory read error"),
        ("mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 7", "unknown", "cpu", "CPU 3: Machine Check"),
        ("ptp4l[5.250]: master offset  -12 s2 freq +1204 path delay 520", "informational", "clock", "ptp4l offset"),
        (
            "phc2sys[7.1]: CLOCK_REALTIME phc offset 340 s0 freq -4 delay 9",
            "recoverable",
            "clock",
            "phc2sys offset, not",
        ),
        ("ts2phc[7.1]: eth0 offset 3 s2 freq +7", "informational", "clock", "ts2phc offset"),
        ("ptp4l[9.1]: rms 12 max 30 freq +10 +/- 3 delay 500", "informational", "clock", "ptp4l rms 12 ns"),
        ("ptp4l[9.1]: port 1: SLAVE to FAULTY on FAULT_DETECTED", "recoverable", "clock", "SLAVE to FAULTY"),
        (
            " 1 | 11/30/2025 | 04:00:01 | Memory #0x53 | Uncorrectable ECC | Asserted",
            "fatal",
            "bmc",
            "Memory #0x53: Unc",
        ),
        (
            " 2 | 11/30/2025 | 04:00:01 | Memory #0x53 | Correctable ECC | Asserted",
            "corrected",
            "bmc",
            "Memory #0x53: Cor",
        ),
    ],
)
def test_other_formats(line: str, severity: str, component: str, what: str) -> None:
    event = one(line)
    assert (event.severity, event.component) == (severity, component)
    assert event.what.startswith(what)


def test_ghes_lines_are_one_record() -> None:
    lines = [
        "{1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 1",
        "{1}[Hardware Error]: event severity: corrected",
        "{1}[Hardware Error]:   section_type: memory error",
        "{2}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 1",
        "{2}[Hardware Error]: event severity: fatal",
    ]
    first, second = parse_log(lines, "log")[0]
    assert (first.severity, first.component, first.kind, first.raw.count("\n")) == ("corrected", "memory error", "R", 2)
    assert (second.severity, second.kind) == ("fatal", "A")


@pytest.mark.parametrize(
    ("stamp", "domain", "time"),
    [
        ("2025-11-30T04:00:00.000123+00:00 node kernel: ", "utc", (1764475200000123000, 1764475200000123999)),
        ("2025-11-30T05:00:00+0100 node kernel: ", "utc", (1764475200000000000, 1764475200999999999)),
        ("2025-11-30 04:00:00 node kernel: ", "local", (1764475200000000000, 1764475200999999999)),
        ("[  101.500000] ", "boot", (101500000000, 101500000999)),
        ("Nov 30 04:00:00 node kernel: ", "local", None),
        ("", "none", None),
    ],
)
def test_a_time_is_as_wide_as_its_last_digit(stamp: str, domain: str, time: tuple[int, int] | None) -> None:
    event = one(f"{stamp}EDAC MC0: 1 CE x")
    assert (event.domain, event.time_ns) == (domain, time)


def test_random_text_is_kept_and_nothing_crashes() -> None:
    chance = random.Random(1)
    words = [
        *AER.split(),
        "{1}[Hardware",
        "Error]:",
        "|",
        "NVRM:",
        "Xid",
        "[",
        "ptp4l[1.2]:",
        "offset",
        "s2",
        "\x00",
        "é",
    ]
    lines = [" ".join(chance.choices(words, k=chance.randrange(1, 12))) for _ in range(2000)]
    events, coverage, others = parse_log(lines, "noise")
    assert coverage.understood + coverage.other == coverage.lines == len(lines)
    assert len(others) == coverage.other
    assert sum(event.raw.count("\n") + 1 for event in events) == coverage.understood


def test_import_twice_adds_nothing_and_keeps_the_rest(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "dmesg").write_text(AER + "something else\n")
    out = tmp_path / "events.jsonl"
    assert run(["ras", "import", str(tmp_path / "dmesg"), "-o", str(out)]) == Exit.OK
    told = capsys.readouterr().out
    assert "13 lines, 1 fatal, 1 recoverable, 4 corrected; 1 lines kept as text" in told
    before = out.read_text()
    assert run(["ras", "import", str(tmp_path / "dmesg"), "-o", str(out)]) == Exit.USAGE
    assert run(["ras", "import", str(tmp_path / "dmesg"), "-o", str(out), "--add"]) == Exit.OK
    assert out.read_text() == before
    events, coverage = read_events(before.splitlines(), "x")
    assert [len(events), coverage[0].lines, coverage[0].other] == [6, 13, 1]
    with pytest.raises(NpuscopeError, match="line 1 is no host event"):
        read_events(["{}"], "x")


def test_coincidence_against_chance() -> None:
    rng = np.random.default_rng(3)
    span, within = (0, 1_000_000), 50
    second = np.sort(rng.integers(0, span[1], 100))
    counts, expected = [], 0.0
    for _ in range(40):
        first = [(int(t), int(t) + 20) for t in rng.integers(0, span[1], 200)]
        found = coincidence(first, second, span, within)
        slow = sum(any(low - within <= t <= high + within for t in second) for low, high in first)
        assert len(found.pairs) == slow
        assert all(gap <= within for _, _, gap in found.pairs)
        counts.append(slow)
        expected = found.expected
    assert np.mean(counts) == pytest.approx(expected, rel=0.15)
    near = coincidence([(int(t), int(t)) for t in second], second, span, within)
    assert (len(near.pairs), near.looked) == (100, 100)
    assert near.chance < 1e-9
    assert coincidence([(5, 5), (2_000_000, 2_000_000)], second[:0], span, 1).looked == 1


def test_near_puts_the_host_on_the_axis_of_the_device(tmp_path: Path, capsys: Captured) -> None:
    rows = npuscope.open(EVENTS).ras
    fault = int(rows["ts"][rows["class"] == 0][0])  # R
    utc = fault - 37_000_000_000
    seconds, rest = divmod(utc, 10**9)
    stamp = np.datetime64(seconds, "s").astype(str) + f".{rest // 1000:06d}+00:00"
    first = np.datetime64(seconds - 1, "s").astype(str) + ".000000+00:00"
    log = f"{first} node kernel: hello\n{stamp} node kernel: EDAC MC0: 1 CE near\nEDAC MC0: 1 CE without a time\n"
    last = np.datetime64(seconds + 1, "s").astype(str) + ".000000+00:00"
    (tmp_path / "log").write_text(f"{log}{last} node kernel: bye\n")
    host = str(tmp_path / "e.jsonl")
    assert run(["ras", "import", str(tmp_path / "log"), "-o", host]) == Exit.OK
    capsys.readouterr()
    assert run(["ras", "near", EVENTS, "--host", host, "--within", "2us", "--allow-loss", "5"]) == Exit.OK
    out = capsys.readouterr().out
    assert out.startswith("1 of 1 host events within 2.000 us of a RAS fault of the device; by chance 0.0")
    assert "1 host events have no time that can be placed" in out
    assert "near" in out.splitlines()[-1]
    assert run(["ras", "near", EVENTS, "--host", host, "--tai-utc", "0"]) == Exit.USAGE
    assert "have no time in common: found" in capsys.readouterr().err


def tokens(path: Path, times: list[int]) -> None:
    writer = Writer([SourceConfig(1)], start_ts=START, others={59: {}})
    for number, time in enumerate(times):
        writer.offer(token(time, number, TokenSub.NEXT))
    writer.mark(times[-1] + 10, 77)
    writer.mark(times[-1] + 20, 78)
    writer.flush(times[-1] + 100)
    path.write_bytes(writer.data())


def test_align_finds_offset_and_drift(tmp_path: Path, capsys: Captured) -> None:
    chance = random.Random(2)
    first = [START + 1_000_000 * i for i in range(1, 60)]
    second = [t + 5_000 + (t - START) // 50_000 + chance.randrange(-3, 4) for t in first]  # 20 ppm
    names = [str(tmp_path / "a.npt"), str(tmp_path / "b.npt")]
    for name, times in zip(names, (first, second), strict=True):
        tokens(Path(name), times)
    assert run(["align", *names, "--json"]) == Exit.OK
    found = json.loads(capsys.readouterr().out)
    assert found["points"] == 59
    assert found["drift_ppb"] == pytest.approx(20_000, rel=0.01)
    assert found["error_ns"] <= 8
    middle = first[59 // 2]
    assert found["offset_ns"] == pytest.approx(5_000 + (middle - START) // 50_000, abs=5)
    assert run(["align", *names, "--on", "marker"]) == Exit.OK
    assert "2 markers that both saw" in capsys.readouterr().out
    assert run(["align", *names, "--offset", "0"]) == Exit.CHECK_FAILED
    assert "not +0 ns" in capsys.readouterr().err
    assert run(["align", names[0]]) == Exit.USAGE
    with pytest.raises(NpuscopeError, match="too few events that both sources saw: found 1 of 1 and 1"):
        align({1: 5}, {1: 6})
