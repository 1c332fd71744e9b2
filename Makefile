# Thin: each target is one command. Everything runs from .venv, which the first target that needs it makes.
SHELL := /bin/sh
VENV ?= .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
SEEDS ?= 10
FUZZ_SECONDS ?= 20

.DEFAULT_GOAL := help
.PHONY: help demo test lint gen gen-check regress soak fuzz prove mutate equiv signoff synth gates faults bench clean setup

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

$(READY): pyproject.toml tools/constraints.txt tools/setup.sh
	@tools/setup.sh $(VENV)
	@touch $@

setup: $(READY)  ## virtual environment, packages, simulators

demo: $(READY)  ## simulate the NPU pipeline, decode its trace, name the culprit, write the report
	$(PY) tb/demo/run.py

test: $(READY)  ## all tests, on Icarus and Verilator
	$(PY) -m pytest -n 2 --dist loadgroup

lint: $(READY)  ## Python and RTL lint
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) tb/lint.py

gen: $(READY)  ## write what follows from rtl/spec
	$(PY) -m npuscope.specgen

gen-check: $(READY)  ## fail if a generated file differs from rtl/spec
	$(PY) -m npuscope.specgen --check

regress: $(READY)  ## the benches with SEEDS random seeds each, and 500 random pipelines against their truth
	NPUSCOPE_SEEDS=$(SEEDS) $(PY) -m pytest -n 2 --dist loadgroup tb
	$(PY) -m tests.analysis.closed_loop --pipelines 500 --seed 1

soak: $(READY)  ## 10,000 damaged dumps through the decoder, about 5 minutes
	$(PY) -m tests.records.soak

fuzz: $(READY)  ## every reader under a coverage-guided fuzzer, FUZZ_SECONDS each
	$(PY) -c 'import atheris' 2>/dev/null || $(PY) -m pip install --quiet -c tools/constraints.txt -e '.[fuzz]'
	$(PY) -m tests.fuzz --seconds $(FUZZ_SECONDS)

prove: $(READY)  ## formal proofs, a few minutes
	$(PY) -m npuscope.sim.prove

mutate: $(READY)  ## named mutants of the threshold book on both simulators, minutes
	$(VENV)/bin/npuscope dv mutate

equiv: $(READY)  ## RTL against its ice40 netlist, module by module
	$(PY) tb/equiv.py

gates: $(READY)  ## module benches on gate level, on their ice40 netlists
	$(PY) tb/gate.py

faults: $(READY)  ## random netlist faults against the benches, survivors proven equivalent or listed
	$(PY) tb/mutate.py --write

signoff: $(READY)  ## all evidence afresh, then GO or NO-GO; an hour or more
	-$(VENV)/bin/npuscope dv run
	-$(VENV)/bin/npuscope dv mutate
	-$(VENV)/bin/npuscope dv cover --run
	-$(VENV)/bin/npuscope dv prove --run
	$(VENV)/bin/npuscope dv signoff

synth: $(READY)  ## area and clock of what changed since it was measured, and the tables of it
	$(PY) tb/synth_table.py
	$(PY) -m npuscope.specgen

bench: $(READY)  ## speed, as ratios to named peers and limits
	$(PY) -m npuscope.bench

clean:  ## remove build results (not the virtual environment)
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .hypothesis
