"""The lanes of sync, RAS and token events: every column against a plain count, and unknown time never drawn as calm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from npuscope.cli import run
from npuscope.layout import SRC_JITTER, SRC_RAS, SRC_TOKEN, Cfg, JitterSub, RasClass, Severity, TokenSub
from npuscope.records import decode
from npuscope.source import open_source
from npuscope.tables import TABLE_KINDSUBS, Setting, Tables
from npuscope.units import width
from npuscope.views.events import EventCells, event_cells, levels, short, strip_lanes, strip_legend
from npuscope.views.lanes import column_edges
from tests.tables.dumps import START, context, pulse, ras, token, tokint, writer

US = 1_000
SPAN = 40 * US
COLUMNS = 40


def dump() -> bytes:
    """A pulse each 500 ns, tokens each 80 ns for 10 us, an interrupt with a freeze, faults, a loss at 30..32 us."""
    entries = []
    for number in range(1, 80):
        ts = START + 500 * number
        jitter = {20: 12_501 * 256, 30: -40_001 * 256, 40: 100_001 * 256}.get(number, number)
        sub = JitterSub.UNLOCKED if 50 <= number < 54 else JitterSub.OK
        entries.append(pulse(ts, 0 if sub else jitter, sub))
    entries += [token(START + 80 * i, i) for i in range(1, 125)]
    entries += [
        tokint(START + 12 * US, 200, 1, context()),
        token(START + 12 * US + 5, 200, TokenSub.FROZEN),
        token(START + 18 * US, 200, TokenSub.RESUMED),
        token(START + 18 * US + 50, 201),
        token(START + 25 * US, 202),
    ]
    entries += [ras(START + 15 * US, RasClass.A, severity=Severity.RECOVERABLE), ras(START + 15 * US + 9, RasClass.ACK)]
    entries += [ras(START + 20 * US, RasClass.REDUNDANCY_EXHAUSTED, severity=Severity.FATAL)]
    entries += [ras(START + 31 * US, RasClass.R), token(START + 31 * US, 203), ras(START + 35 * US, RasClass.ENABLED)]
    made = writer()
    lost = {SRC_JITTER: [], SRC_RAS: [], SRC_TOKEN: []}  # type: ignore[var-annotated]
    for entry in sorted(entries, key=lambda entry: entry.ts):
        if 30 * US <= entry.ts - START < 32 * US:
            lost[entry.src].append(entry)
            continue
        if entry.ts - START >= 32 * US:
            for src, gone in lost.items():
                if gone:
                    made.drop(src, gone)
            lost.clear()
        made.offer(entry)
    made.flush(START + SPAN)
    return made.data()


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    path = tmp_path_factory.mktemp("events") / "run.npt"
    path.write_bytes(dump())
    found = Tables()
    with open_source(path) as source:
        for batch in decode(source, keep=TABLE_KINDSUBS):
            found.feed(batch)
    found.finish()
    return found


@pytest.fixture(scope="module")
def cells(tables: Tables) -> EventCells:
    return event_cells(tables, column_edges(START, START + SPAN, COLUMNS))


def test_every_column_counts_what_lies_in_it(cells: EventCells, tables: Tables) -> None:
    assert cells.present == ("jitter", "ras", "tokens")
    pulses, arrivals, events = tables.jitter, tables.arrivals, tables.ras
    for column in range(COLUMNS):
        low, high = int(cells.edges[column]), int(cells.edges[column + 1])
        own = pulses[(pulses["time"] >= low) & (pulses["time"] < high)]
        good = own["jitter"][own["sub"] == JitterSub.OK]
        assert cells.samples[column] == len(own)
        assert cells.invalid[column] == len(own) - len(good)
        assert (cells.low[column], cells.high[column]) == (min(good, default=0), max(good, default=0))
        inside = (arrivals["time"] >= low) & (arrivals["time"] < high)
        assert cells.tokens[column] == np.count_nonzero(inside)
        assert cells.late[column] == np.count_nonzero(inside & (arrivals["gap"] > 87))
        told = events[(events["time"] >= low) & (events["time"] < high)]
        assert cells.ras[column] == len(told)
        assert cells.severity[column] == max(told["severity"], default=-1)
    assert cells.frozen.sum() == 6 * US - 5
    assert cells.interrupts.tolist() == [int(i == 12) for i in range(COLUMNS)]
    assert cells.faults.sum() == 2
    assert [i for i in range(COLUMNS) if cells.level[i]] == [10, 15, 20]
    assert cells.level[[10, 15, 20]].tolist() == [1, 2, 3]
    assert np.flatnonzero(cells.unknown["jitter"]).tolist() == [30, 31]
    assert np.flatnonzero(cells.unknown["ras"]).tolist() == [31]
    assert cells.limits == {"R": 12_500 * 256, "A": 40_000 * 256, "S": 100_000 * 256}


def test_the_lanes_of_the_strip(cells: EventCells) -> None:
    lanes = strip_lanes(cells, ("jitter", "ras", "tokens"), ".", "?")
    text = {lane.name: "".join(glyph for _, glyph in lane.cells) for lane in lanes}
    assert text["jitter"] == "..........R....A....S....xx...??........"
    assert text["ras"] == " " * 15 + "r    F" + " " * 10 + "?   i    "
    assert text["tokens"][:9] == "........."
    assert text["tokens"][12:18] == "I#####"
    assert text["tokens"][25] == "-"
    assert text["tokens"][31] == "?"
    assert {lane.name: lane.total for lane in lanes} == {"jitter": "100us", "ras": "2", "tokens": "127"}
    assert [lane.name for lane in strip_lanes(cells, ("ras",), ".", "?")] == ["ras"]
    assert len(strip_legend(lanes, ".").splitlines()) == 3
    assert max(map(width, strip_legend(lanes, ".").splitlines())) <= 80


def test_levels_use_the_limit_in_force(tables: Tables) -> None:
    rows = tables.jitter
    words = [Setting(-1, SRC_RAS, Cfg.R_LIMIT, 5), Setting(int(rows["at"][9]), SRC_RAS, Cfg.R_LIMIT, 1 << 30)]
    found = levels(rows, words)
    assert found.tolist() == [int(i <= 9 and row["jitter"] > 5) for i, row in enumerate(rows)]
    assert not levels(rows, []).any()


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0ns"), (-999 * 256, "999ns"), (12_500 * 256, "12.5us"), (125_000 * 256, "125us"), ((1 << 31) - 1, "8.4ms")],
)
def test_short_values_have_six_characters_at_most(value: int, text: str) -> None:
    assert short(value) == text
    assert len(short(value)) <= 6


@pytest.mark.parametrize("power", range(32))
def test_no_value_is_longer(power: int) -> None:
    assert all(len(short(value)) <= 6 for value in ((1 << power) - 1, 1 << power, 999_499 * 256, 999_500 * 256))


def test_show_draws_them_and_leaves_them_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.npt").write_bytes(dump())
    assert run(["show", "run.npt", "--allow-loss", "100"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(width, lines)) <= 80
    names = [line.split()[0] for line in lines if line.strip() and "  " in line]
    assert {"jitter", "ras", "tokens", "loss"} <= set(names)
    assert run(["show", "run.npt", "--allow-loss", "100", "--lanes", "ras"]) == 0
    assert not any(line.startswith(("jitter", "tokens")) for line in capsys.readouterr().out.splitlines())
    assert run(["show", "run.npt", "--allow-loss", "100", "--lanes", "none", "--width", "60"]) == 0
    assert not any(line.startswith(("jitter", "ras")) for line in capsys.readouterr().out.splitlines())
    assert run(["show", "run.npt", "--lanes", "ras,frogs"]) == 2
    assert "no such lane: found 'frogs', expected jitter, ras, tokens, or none" in capsys.readouterr().err
