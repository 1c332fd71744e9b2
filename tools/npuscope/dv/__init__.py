"""Sign-off of threshold logic: the book, plans, regression, coverage, mutants, proofs, and the verdict over all of it.

It works on a tree (``rtl/``, ``tb/``, ``rtl/spec/thresholds.toml``) and leaves evidence in ``build/dv``; each piece
carries the hash of what it was found with. Behind the verbs ``npuscope book`` and ``npuscope dv``.
"""
