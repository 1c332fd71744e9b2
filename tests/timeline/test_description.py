"""The description: one shape for TOML and JSON, its hash, and one line for every mistake."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from npuscope.description import Buffer, Description
from npuscope.errors import NpuscopeError

FORK = """
title = "a fork and a join"
max_disorder_ns = 500
[[buffer]]
id = 7
src = 0
layer = 0
name = "in"
consumer = "split"
[[buffer]]
src = 0
layer = 1
name = "left"
producer = "split"
consumer = "join"
[[buffer]]
src = 0
layer = 2
producer = "split"
consumer = ["join", "tap"]
[[buffer]]
src = 1
layer = 0
name = "out"
producer = "join"
"""


def read(tmp_path: Path, text: str) -> Description:
    path = tmp_path / "graph.toml"
    path.write_text(text)
    return Description.from_toml(path)


def test_toml_and_json_are_one_shape(tmp_path: Path) -> None:
    graph = read(tmp_path, FORK)
    assert [b.name for b in graph.buffers] == ["left", "b2", "in", "out"]  # by id: 1, 2, 7, 32
    assert graph.index == {(0, 1): 0, (0, 2): 1, (0, 0): 2, (1, 0): 3}
    assert graph.successors == ((3,), (3,), (0, 1), ())
    assert graph.inputs["join"] == (0, 1)
    assert graph.outputs == {"split": (0, 1), "join": (3,), "tap": ()}
    assert [b.drain for b in graph.buffers] == ["join", "join|tap", "split", "sink"]
    again = Description.from_json(graph.to_json())
    assert again == graph
    assert again.hash == graph.hash != 0


def test_the_hash_is_of_the_graph_alone(tmp_path: Path) -> None:
    graph = read(tmp_path, FORK)
    assert read(tmp_path, FORK.replace("a fork", "the fork")).hash == graph.hash
    assert read(tmp_path, FORK.replace('"left"', '"right"')).hash != graph.hash
    assert read(tmp_path, FORK.replace('consumer = "split"', "")).hash != graph.hash
    # what is burnt into a bitstream must never change: first 8 bytes, little endian, of the SHA-256 of this text
    one = Description((Buffer(0, 0, 0, "q"),))
    text = '[{"id":0,"layer":0,"name":"q","src":0}]'
    assert one.hash == 0x7EB06D0514EE3805 == int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def test_an_assumed_chain_says_so() -> None:
    chain = Description.chain([(1, 3), (0, 2), (0, 5)])
    assert [b.id for b in chain.buffers] == [2, 5, 35]
    assert chain.successors == ((1,), (2,), ())
    assert chain.assumed
    assert chain.hash == 0
    assert Description.from_json(chain.to_json()) == chain


def test_json_ignores_keys_that_it_does_not_know() -> None:
    assert Description.from_json('{"buffer": [], "later": 1}') == Description(())


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('consumer = "split"', 'consumr = "split"', "did you mean consumer?"),
        ("max_disorder_ns = 500", "max_disorder_ns = -1", "max_disorder_ns is wrong: found -1, expected an integer 0"),
        ("max_disorder_ns = 500", "max_disorder_ns = true", "max_disorder_ns is wrong: found True"),
        ("layer = 2", "layer = 32", "layer is wrong: found 32, expected an integer 0..31"),
        ("src = 1", "src = 62", "src is wrong: found 62, expected an integer 0..61"),
        ("id = 7", "id = 2", "two buffers have the id 2"),
        ('name = "out"', 'name = "in"', "two buffers have the name in"),
        ("layer = 2", "layer = 1", "buffers left and b1 are both layer 1 of source 0"),
        ('["join", "tap"]', '["join", "join"]', "buffer b2 names a consumer twice"),
        ('["join", "tap"]', '["split"]', "stage split both fills and drains buffer b2"),
        ('["join", "tap"]', "[1]", "consumer of buffer b2 must be a stage name"),
        ('title = "a fork and a join"', "title = 3", "title is wrong: found 3, expected a text"),
        ("[[buffer]]\nid", "[buffer]\nid", "no TOML"),
    ],
)
def test_every_mistake_is_one_line(tmp_path: Path, old: str, new: str, text: str) -> None:
    assert old in FORK
    if "layer = 1" in new:
        new = "id = 3\nlayer = 1"
        text = "buffers left and b3 are both layer 1 of source 0"
    wrong = FORK.replace(old, new, 1)
    with pytest.raises(NpuscopeError) as caught:
        read(tmp_path, wrong)
    assert text in str(caught.value)
    place = wrong.index("[[buffer]]") if "[[buffer]]" in wrong[: wrong.index(new)] else None
    if place is not None and "two buffers" not in text:
        line = wrong[: wrong.rindex("[[buffer]]", 0, wrong.index(new))].count("\n") + 1
        assert f"graph.toml: [[buffer]] in line {line}: " in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(tmp_path / "graph.toml") in str(caught.value)


def test_byte_order_mark_and_line_ends_of_windows(tmp_path: Path) -> None:
    path = tmp_path / "graph.toml"
    path.write_bytes(b"\xef\xbb\xbf" + FORK.replace("\n", "\r\n").encode())
    assert Description.from_toml(path) == read(tmp_path, FORK)


def test_buffers_written_in_one_line_are_counted(tmp_path: Path) -> None:
    with pytest.raises(NpuscopeError, match=r"buffer entry 2: layer is wrong: found 'x'"):
        read(tmp_path, 'buffer = [{src = 0, layer = 0}, {src = 0, layer = "x"}]\n')


def test_a_mistake_in_the_header_page_is_said_to_be_there() -> None:
    with pytest.raises(NpuscopeError, match=r"^a: the header page is no JSON: .*; --graph FILE.toml is used instead"):
        Description.from_json("{", file="a")
    with pytest.raises(NpuscopeError, match=r"^a: header page: buffer entry 1: src is wrong: found None"):
        Description.from_json('{"buffer": [{}]}', file="a")


@pytest.mark.parametrize("text", ["", "[1]", '{"buffer": 1}', '{"assumed": 1}', "[" * 5000, '{"buffer": [3]}'])
def test_json_that_is_no_description_is_refused(text: str) -> None:
    with pytest.raises(NpuscopeError):
        Description.from_json(text)


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(NpuscopeError, match="cannot read the description"):
        Description.from_toml(tmp_path / "none.toml")
    assert json.loads(Description(()).to_json())["buffer"] == []


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "no buffers"),
        (b"title = 'x'\n", "no buffers"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "no TOML"),
        (b"# x\n" * (1 << 21), "too big"),
    ],
    ids=["empty", "no buffers", "nested", "big"],
)
def test_useless_files_are_refused(content: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.toml"
    path.write_bytes(content)
    with pytest.raises(NpuscopeError, match=sentence):
        Description.from_toml(path)
