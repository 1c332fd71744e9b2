"""The proofs of a tree as rows: what each promises, how far it reaches, what it assumes, and its last result."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import asdict
from typing import Any

from npuscope.dv.evidence import PROOFS, Evidence, save
from npuscope.dv.tree import Tree
from npuscope.errors import NpuscopeError
from npuscope.sim.proofs import Proof, load
from npuscope.sim.prove import prove_all

__all__ = ["row", "rows", "run", "select", "text"]


def select(tree: Tree, benches: tuple[str, ...]) -> list[Proof]:
    """The proofs of these benches, all without.

    Raises:
        NpuscopeError: a bench without a proof.
    """
    proofs = load(tree.root)
    if unknown := sorted(set(benches) - {proof.module for proof in proofs}):
        raise NpuscopeError("no proof", found=", ".join(unknown), hint="npuscope dv prove")
    return [proof for proof in proofs if not benches or proof.module in benches]


def run(tree: Tree, proofs: list[Proof], jobs: int) -> None:
    """Prove them and put the results with those of other benches."""
    module = {proof.name: proof.module for proof in proofs}
    with contextlib.redirect_stdout(sys.stderr):  # the table as it grows is no result
        results = prove_all(proofs, tree.root / "build/prove", jobs)
    found = [{**asdict(result), "module": module[result.proof]} for result in results]
    old = Evidence(tree, tree.evidence).proofs
    fresh = {proof.module for proof in proofs}
    kept = [result for result in old.get("rows", []) if result["module"] not in fresh]
    save(tree.evidence / PROOFS, tree, fresh, {"rows": kept + found}, old["hashes"])


def row(proof: Proof, evidence: Evidence) -> dict[str, Any]:
    """One proof."""
    return {
        "name": proof.name, "module": proof.module, "unbounded": "prove" in proof.depths, "depths": proof.depths,
        "properties": proof.asserts, "covers": proof.covers, "assumptions": list(proof.assumptions),
        "bugs": len(proof.bugs), "state": evidence.proof(proof.module, proof.name),
    }  # fmt: skip


def rows(proofs: list[Proof], evidence: Evidence) -> list[dict[str, Any]]:
    """All of them."""
    return [row(proof, evidence) for proof in proofs]


def text(rows: list[dict[str, Any]]) -> str:
    """A paragraph for each, then a line of counts."""
    lines = []
    for one in rows:
        reach = (
            f"any number of clocks (k = {one['depths']['prove']})"
            if one["unbounded"]
            else f"{one['depths']['bmc']} clocks"
        )
        lines.append(f"{one['name']} ({one['module']}): {reach}, {one['bugs']} planted bugs, {one['state']}")
        lines += [f"  assert {label}: {said}" for label, said in one["properties"].items()]
        lines += [f"  cover  {label}: {said}" for label, said in one["covers"].items()]
        lines += [f"  assume {said}" for said in one["assumptions"]]
    properties = sum(len(one["properties"]) for one in rows)
    bounded = sum(not one["unbounded"] for one in rows)
    return "\n".join([*lines, f"{len(rows)} proofs, {properties} properties, {bounded} bounded only"])
