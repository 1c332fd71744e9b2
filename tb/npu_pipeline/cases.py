# SPDX-License-Identifier: Apache-2.0
"""Pipelines of the bench, by name: files of tb/vip/pipelines, and ``<kind>-<seed>`` of the random generator."""

from pathlib import Path

from npuscope.pipeline import Pipeline, load, random_pipeline

PIPELINES = Path(__file__).resolve().parents[1] / "vip" / "pipelines"
CLOCKS = 2500
"""Clocks of a comparison; the windows of the random pipelines lie within."""


def case(name: str) -> Pipeline:
    """The pipeline called ``name``."""
    if name.rpartition("-")[0]:
        kind, _, seed = name.rpartition("-")
        return random_pipeline(int(seed), kind, CLOCKS)
    return load(PIPELINES / f"{name}.toml")
