"""A pipeline file: what is read, and the one line that each mistake gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from npuscope.errors import NpuscopeError
from npuscope.pipeline import Fifo, Stage, Window, load

GOOD = """
title = "two stages"
seed = 7
tokens = 100
[source]
service = 4
burst = 8
gap = 64
[[stage]]
name = "a"
service = 3
jitter = 2
[[stage]]
name = "b"
[[buffer]]
name = "in"
from = "source"
to = "a"
depth = 16
[[buffer]]
name = "ab"
from = "a"
to = "b"
depth = 8
[[buffer]]
name = "out"
from = "b"
to = "sink"
depth = 8
[[window]]
stage = "b"
first = 100
end = 200
[[window]]
stage = "b"
first = 300
end = 400
extra = 9
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "p.toml"
    path.write_text(text)
    return path


def test_all_keys_are_read(tmp_path: Path) -> None:
    p = load(write(tmp_path, GOOD))
    assert (p.title, p.seed, p.tokens, p.sources, p.clock_period_ps) == ("two stages", 7, 100, 1, 5000)
    assert p.stages == (Stage("source", 4, 0, 8, 64), Stage("a", 3, 2), Stage("b"), Stage("sink"))
    assert p.buffers[1] == Fifo("ab", "a", "b", 8)
    assert p.windows == (Window("b", 100, 200), Window("b", 300, 400, 9))
    assert p.schedule("b") == ((100, True, 0), (200, False, 0), (300, False, 9), (400, False, 0))


MISTAKES = [
    ("seed = 7", "seed = true", "pipeline: seed: found True, expected int"),
    ("seed = 7", "sede = 7", "pipeline: unknown key: found sede, expected title seed clock_period_ps tokens sources"),
    ("seed = 7", "seed = ", "not TOML: found"),
    ("seed = 7", "sources = 4", "sources: found 4, expected 1..3"),
    ("depth = 16", "depth = 0", "buffer 'in': depth: found 0, expected 1..1024"),
    ("depth = 16", "", "buffer 'in': missing key: expected depth"),
    ('to = "a"', 'to = "c"', "buffer 'in': to: no such stage: found 'c'"),
    ('name = "ab"', 'name = "in"', "buffer name used twice: found 'in'"),
    ('name = "b"', 'name = "a"', "stage name used twice: found 'a'"),
    ('name = "b"', 'name = ""', "stage name empty: found ''"),
    ("service = 3", "service = 0", "stage 'a': service: found 0, expected 1..65535"),
    ("jitter = 2", "jitter = 70000", "stage 'a': jitter: found 70000, expected 0..65535"),
    ("end = 200", "end = 100", "window of 'b': end: found 100, expected 101..4294967295"),
    ("extra = 9", "extra = 0", "window of 'b': extra: found 0, expected 1..65535"),
    ('stage = "b"', 'stage = "z"', "window: no such stage: found 'z'"),
    ('from = "b"', 'from = "a"', "stage 'b' has no output buffer"),
    ('to = "b"\n', 'to = "a"\n', "stage 'b' has no input buffer"),
    ("[[window]]", "[window]", "not TOML: found"),
]


@pytest.mark.parametrize(("old", "new", "text"), MISTAKES)
def test_each_mistake_gets_one_line(tmp_path: Path, old: str, new: str, text: str) -> None:
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(NpuscopeError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: {text}")
    assert "\n" not in str(caught.value)


def test_a_cycle_is_named(tmp_path: Path) -> None:
    back = '[[buffer]]\nname = "back"\nfrom = "b"\nto = "a"\ndepth = 4\n'
    with pytest.raises(NpuscopeError, match="the buffers form a cycle: found a -> b -> a"):
        load(write(tmp_path, GOOD + back))


def test_tables_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(NpuscopeError, match="source is not a table"):
        load(write(tmp_path, "source = 3\n"))
    with pytest.raises(NpuscopeError, match=r"buffer is not an array of tables; write \[\[buffer\]\]"):
        load(write(tmp_path, "[buffer]\nname = 'x'\n"))
    with pytest.raises(NpuscopeError, match="cannot read the pipeline"):
        load(tmp_path / "none.toml")
    (tmp_path / "p.toml").write_bytes(b"title = '\xff'")
    with pytest.raises(NpuscopeError, match="byte 9: the pipeline is no UTF-8 text"):
        load(tmp_path / "p.toml")
    with pytest.raises(NpuscopeError, match="stages: found source sink"):
        load(write(tmp_path, ""))


def test_overlapping_windows_add_up(tmp_path: Path) -> None:
    more = '[[window]]\nstage = "b"\nfirst = 350\nend = 450\nextra = 5\n'
    p = load(write(tmp_path, GOOD + more))
    assert p.schedule("b")[2:] == ((300, False, 9), (350, False, 14), (400, False, 5), (450, False, 0))
