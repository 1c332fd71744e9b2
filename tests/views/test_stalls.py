"""The text of ``npuscope stalls``: the verdict first, then numbers that are the analysis' own, at 80 columns."""

from __future__ import annotations

import dataclasses

import numpy as np

from npuscope.timeline import EPISODE
from npuscope.units import duration, percent_range, width
from npuscope.views.stalls import stalls_text
from tests.views.sample import NASTY, report


def test_first_line_is_the_verdict_and_all_fit() -> None:
    data = report()
    for by in ("stage", "layer"):
        lines = stalls_text(data.stalls, data.timeline, data.trust, by=by).split("\n")
        assert lines[0] == data.stalls.verdict
        assert lines[1] == ""
        assert max(map(width, lines)) <= 80


def test_every_culprit_with_its_bounds() -> None:
    data = report()
    lines = stalls_text(data.stalls, data.timeline, data.trust).split("\n")
    for row in data.stalls.rows:
        line = next(x for x in lines if x.startswith(row.culprit[:20]))
        assert percent_range(*data.stalls.share(row)) in line
        assert duration(row.min_ns) in line
        assert duration(row.draining_ns) in line
    assert any(line.startswith("(not known)") and duration(sum(data.stalls.unknown_ns)) in line for line in lines)


def test_more_rows_than_asked_are_counted() -> None:
    data = report()
    text = stalls_text(data.stalls, data.timeline, data.trust, top=1)
    assert "+2 more" in text
    assert NASTY[:20] not in text
    assert "+11 more" in stalls_text(data.stalls, data.timeline, data.trust, top=1, by="layer")


def test_evidence_is_a_command_to_paste() -> None:
    data = report()
    text = stalls_text(data.stalls, data.timeline, data.trust, command="npuscope show 'a b.npt'")
    first = data.stalls.evidence[0]
    assert text.endswith(f"look: npuscope show 'a b.npt' --around ep:{first}")
    row = data.timeline.episodes[first]
    assert f">={duration(int(row['end'] - row['start']))}" in text, "a censored episode is a lower bound"
    assert "--around" not in stalls_text(data.stalls, data.timeline, data.trust, evidence=0)


def test_nothing_hot_is_just_said() -> None:
    data = report()
    stalls = dataclasses.replace(data.stalls, verdict="No stall.", hot_ns=(0,) * 12, evidence=())
    line = dataclasses.replace(data.timeline, episodes=np.empty(0, EPISODE))
    text = stalls_text(stalls, line, [])
    assert text.strip() == "No stall."
