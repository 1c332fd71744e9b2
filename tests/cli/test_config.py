"""npuscope.toml: found upward, checked by key and type, paths relative to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from npuscope.cli import config
from npuscope.errors import NpuscopeError


def write(folder: Path, text: str) -> Path:
    path = folder / config.NAME
    path.write_text(text)
    return path


def test_nearest_file_upward_wins(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    outer = write(tmp_path, "")
    assert config.find(inner) == outer
    near = write(tmp_path / "a", "")
    assert config.find(inner) == near


def test_common_keys_reach_every_verb_and_a_table_wins(tmp_path: Path) -> None:
    path = write(tmp_path, 'graph = "npu.toml"\nallow-loss = 1.5\n[stalls]\ntop = 3\nallow-loss = 2\n')
    found = config.defaults(path)
    assert found["show"] == {"graph": str(tmp_path / "npu.toml"), "allow_loss": 1.5}
    assert found["stalls"] == {"graph": str(tmp_path / "npu.toml"), "allow_loss": 2, "top": 3}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("grahp = 'x'", "unknown key 'grahp'; did you mean 'graph'"),
        ("[stalls]\ntpo = 3", "unknown key 'stalls.tpo'; did you mean 'top'"),
        ("stalls = 3", "'stalls' must be a table"),
        ("graph = 3", "'graph' has the wrong type: found int"),
        ("allow_loss = true", "'allow_loss' has the wrong type: found bool"),
        ("graph = ", "not valid TOML"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(NpuscopeError) as caught:
        config.defaults(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
