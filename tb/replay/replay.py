# SPDX-License-Identifier: Apache-2.0
"""Recorded or random samples through nps_bp_probe at native speed, its events compared with the golden model after it.

``python tb/replay/replay.py [STIMULUS] [--clocks N] [--soak N]``: a file of ``npuscope export --to stimulus``, without
one random samples; both simulators against the model. --soak: then N clocks on Verilator for the speed.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from npuscope.dv.evidence import REPLAY, save
from npuscope.dv.tree import Tree, load_json
from npuscope.encode import BpLimits, BpProbeModel, Sample, SourceConfig, TimeBus
from npuscope.errors import Exit, NpuscopeError, leave
from npuscope.layout import THRESHOLDS
from npuscope.sim import SIMULATORS, Patch, tools
from npuscope.sim.build import locked
from tb.runner import BUILD, TREE, design

__all__ = ["EVENT", "compare", "golden", "random_samples", "replay"]

PERIOD_NS, START_NS, EPOCH_NS = 5, 1000, 1_700_000_000_000_000_000  # as in probe.cpp and replay_probe.v
EVENT = np.dtype([("ts", "<u8"), ("kind", "u1"), ("sub", "u1"), ("zero", "<u2"), ("payload", "<u4")])
HERE = Path(__file__).parent
LAYERS = (1 << 32) - 1
LATENCY_CLOCKS = 16  # idle clocks behind the samples, so that every event comes out


def random_samples(clocks: int, seed: int) -> np.ndarray:
    """Walks of 32 buffers, one of them sampled a clock, near the limits as often as far from them."""
    dice = np.random.default_rng(seed)
    layer = dice.integers(0, 32, clocks, dtype=np.uint16)
    near = np.array([THRESHOLDS[name].value for name in ("TH_ON", "TH_OFF", "TH_WET")] + [0, 63])
    occupancy = np.clip(dice.choice(near, clocks) + dice.integers(-2, 3, clocks), 0, 63).astype(np.uint16)
    valid = (dice.random(clocks) < 0.8).astype(np.uint16)
    held = (dice.random(clocks) < 0.5).astype(np.uint16)
    return valid | layer << 1 | occupancy << 6 | held << 12


def golden(samples: np.ndarray) -> np.ndarray:
    """What the golden model says of the samples."""
    book = {name: entry.value for name, entry in THRESHOLDS.items()}
    names = ("TH_ON", "TH_OFF", "TH_WET", "LEVEL_STEP", "DWELL_SHIFT")
    limits = BpLimits(*(book[name] for name in names), 0, book["STALE_NS"])
    model = BpProbeModel(SourceConfig(LAYERS, 0, limits), 0, book["STEADY"])
    rel, events = START_NS, []
    model.clock(TimeBus(rel, EPOCH_NS + rel, 2), restart=True)
    for word in samples.tolist():
        rel += PERIOD_NS
        sample = Sample(word >> 1 & 31, word >> 6 & 63, word >> 12 & 1) if word & 1 else None
        entry = model.clock(TimeBus(rel, EPOCH_NS + rel, 2), sample)
        if entry is not None and entry.kind is not None:
            events.append((entry.ts, entry.kind, entry.sub, 0, entry.payload))
    return np.array(events, EVENT)


def _program(sim: str, patch: Patch | None) -> Path:
    """The compiled harness, built unless that was done before."""
    tools.need_simulator(sim)
    made = design("nps_bp_probe")
    harness = HERE / ("replay_probe.v" if sim == "icarus" else "probe.cpp")
    digest = hashlib.sha256(repr(patch).encode())
    headers = [path for folder in made.includes for path in sorted(folder.glob("*.vh"))]
    for path in (*made.sources, *headers, harness):
        digest.update(path.read_bytes())
    folder = BUILD / "replay" / f"{sim}-{digest.hexdigest()[:16]}"
    program = folder / "replay"
    with locked(folder):
        if not program.exists():
            folder.mkdir(exist_ok=True)
            made = patch.apply(made, folder) if patch else made
            includes = [f"-I{path}" for path in made.includes]
            files = [str(path) for path in made.sources]
            if sim == "icarus":
                command = [
                    "iverilog",
                    "-g2005-sv",
                    "-o",
                    str(program),
                    "-s",
                    "replay_probe",
                    *includes,
                    *files,
                    str(harness),
                ]
            else:
                command = ["verilator", "--cc", "--exe", "--build", "-O3", "--x-assign", "fast", "--x-initial", "fast"]
                command += ["--noassert", "-Wno-fatal", "-CFLAGS", "-O3 -march=native", "--top-module", "nps_bp_probe"]
                command += ["--Mdir", str(folder / "obj"), "-o", str(program), *includes, *files, str(harness)]
            done = subprocess.run(command, capture_output=True, text=True, check=False, env=tools.environment())
            if done.returncode:
                raise NpuscopeError("the replay harness does not build", found=(done.stdout + done.stderr)[-300:])
    return program


def replay(samples: np.ndarray, sim: str, patch: Patch | None = None, rounds: int = 1) -> tuple[np.ndarray, float]:
    """Events of the RTL on a simulator, and clocks per CPU second of the simulation."""
    program = _program(sim, patch)
    folder = program.parent
    given, told = folder / "samples.bin", folder / "events.out"
    whole = np.concatenate([samples, np.zeros(LATENCY_CLOCKS, np.uint16)]).astype("<u2")
    with locked(folder / "run"):
        whole.tofile(given)
        if sim == "icarus":
            command = ["vvp", "-n", str(program), f"+STIMULUS={given}", f"+EVENTS={told}"]
        else:
            command = [str(program), str(given), str(told), str(rounds)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=tools.environment())
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if done.returncode or not done.stdout.strip():
            raise NpuscopeError(f"the replay on {sim} failed", found=(done.stdout + done.stderr)[-300:] or "no output")
        if sim == "icarus":
            rows = [tuple(int(word) for word in line.split()) for line in told.read_text().splitlines()]
            found = np.array([(ts, kind, sub, 0, payload) for ts, kind, sub, payload in rows], EVENT)
        else:
            found = np.fromfile(told, EVENT)
    return found, len(whole) * rounds / max(seconds, 1e-9)


def compare(samples: np.ndarray, sim: str, wanted: np.ndarray, patch: Patch | None = None) -> float:
    """Clocks per CPU second; the events are the wanted ones, of which there must be some.

    Raises:
        NpuscopeError: they differ, or nothing was compared.
    """
    found, speed = replay(samples, sim, patch)
    if not len(wanted):
        raise NpuscopeError("the samples make no event: nothing to compare", exit_code=Exit.CHECK_FAILED)
    count = min(len(found), len(wanted))
    odd = np.flatnonzero(found[:count] != wanted[:count])
    if len(odd) or len(found) != len(wanted):
        at = int(odd[0]) if len(odd) else count
        shown = [str(events[at]) if at < len(events) else "none" for events in (found, wanted)]
        raise NpuscopeError(
            f"event {at} on {sim} is not the model's", found=shown[0], expected=shown[1], exit_code=Exit.CHECK_FAILED
        )
    return speed


def _note(name: str, sim: str, clocks: int) -> None:
    """Keep it for the sign-off."""
    target = Tree(TREE).evidence / REPLAY
    before = load_json(target)["replayed"] if target.exists() else []
    row = {"file": name, "sim": sim, "clocks": clocks, "verdict": "as the model"}
    rows = [*(old for old in before if (old["file"], old["sim"]) != (name, sim)), row]
    save(target, Tree(TREE), ["nps_bp_probe"], {"replayed": rows})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stimulus", nargs="?", type=Path)
    parser.add_argument("--clocks", type=int, default=200_000, help="random samples (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--soak", type=int, default=0, help="clocks on Verilator after the comparison")
    options = parser.parse_args()
    recorded = options.stimulus is not None
    samples = np.fromfile(options.stimulus, "<u2") if recorded else random_samples(options.clocks, options.seed)
    wanted = golden(samples)
    for sim in SIMULATORS:
        speed = compare(samples, sim, wanted)
        _note(str(options.stimulus or f"random, seed {options.seed}"), sim, len(samples))
        print(
            f"{sim}: {len(samples):,} clocks, {len(wanted):,} events as the model's, {speed / 1e6:.2f} M clocks/CPU-s"
        )
    if options.soak:
        _, speed = replay(samples, "verilator", rounds=max(1, options.soak // len(samples)))
        print(f"soak: {options.soak:,} clocks on verilator, {speed / 1e6:.2f} M clocks/CPU-s")
    return 0


if __name__ == "__main__":
    leave(main)
