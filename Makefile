# Every target does the set-up it needs; python3, gcc and make are enough to begin with.

PYTHON ?= python3
BIN := .venv/bin
# Modules are compiled when they are imported: all of them would take 40 s.
PIP := PYTHONWARNINGS=ignore $(BIN)/pip --disable-pip-version-check --quiet install --no-compile
TESTS := .venv/.extras .venv/.group-test
KERNELS := $(wildcard cython_ext/*/*.pyx cython_ext/*/*.pxd cython_ext/*/*/*.pxd)

.DEFAULT_GOAL := help
.PHONY: help build board debug reproduce test test-some test-long test-recent test-pythons fuzz transcripts test-debug check bench simplify results evaluations golden figures pictures docs clean

help:  ## what there is to make
	@sed -n 's/^\([a-z-]*\):.*## */\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name what; \
	do printf '  make %-12s %s\n' "$$name" "$$what"; done

build: .venv/.built  ## .venv with the package and its kernels
	@echo "optsearch is ready. Enter this next:"
	@echo "  . .venv/bin/activate && optsearch --help"

.venv/.made:
	@echo "setting up .venv (some minutes, once) ..."
	@$(PYTHON) -m venv .venv
	@$(PIP) "setuptools>=77.0.3" wheel "cython>=3.1"
	@touch $@

.venv/.built: .venv/.made pyproject.toml setup.py $(KERNELS)
	@mkdir -p build
	@$(BIN)/python setup.py --quiet build_ext --inplace 2> build/compiler.log || (cat build/compiler.log; exit 1)
	@$(PIP) --no-build-isolation --editable .
	@touch $@

# What an extra needs: the package is there.
.venv/.extras: .venv/.built
	@$(PIP) 'optsearch[board,dask,gymnasium,puzzles]'
	@touch $@

.venv/.board: .venv/.built
	@$(PIP) 'optsearch[board]'
	@touch $@

.venv/.group-%: .venv/.built
	@$(PIP) "pip>=25.1"  # the first that knows dependency groups
	@$(PIP) --group $*
	@touch $@

board: .venv/.board  ## the board in the browser: advice, play, review (GAME=, else it asks)
	@$(BIN)/optsearch serve $(if $(GAME),'$(GAME)')

debug: .venv/.built  ## the kernels once more with every memory access checked
	@OPTSEARCH_DEBUG=1 $(BIN)/python setup.py --quiet build_ext --inplace

reproduce: .venv/.built  ## the numbers of the paper, printed beside computed (FULL=1: all sources, an hour)
	@$(BIN)/optsearch reproduce $(if $(FULL),--full --resume build/reproduce)

test: $(TESTS)  ## the tests, on all processors (five to eight minutes on two)
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --quiet --numprocesses auto --dist worksteal

SOME := board drawing environment game json posterior replies told

test-some: $(TESTS)  ## a tenth of the tests, which meets most packages and kernels, in half a minute
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --quiet --numprocesses auto --dist worksteal \
	$(SOME:%=tests/test_%.py) tests/test_fuzz.py::test_commands_beside_the_definition

test-long: $(TESTS)  ## the tests that take long, and those of properties with all their examples
	@$(BIN)/python -m pytest --quiet -m "long or hypothesis" --hypothesis-profile=all

test-recent: $(TESTS)  ## of test-long what recent commits can have broken, in five minutes (UNTIL=, of `date +%s`)
	@$(BIN)/python -m pytest --quiet --numprocesses auto --dist load --maxschedchunk 1 \
	-p tests.recent --until $(or $(UNTIL),$$(($$(date +%s) + 300))) \
	-m "long or hypothesis" --hypothesis-profile=all

transcripts: $(TESTS)  ## write anew, after a change that was meant: tests/transcripts, tables in docs
	@WRITE_TRANSCRIPTS=1 $(BIN)/python -m pytest --quiet tests/test_transcripts.py tests/test_pages.py \
	tests/test_budget.py tests/test_bad_input.py tests/test_notebook.py -m "" -k "transcript or page or bad_requests"

fuzz: $(TESTS)  ## ten minutes of random games, all commands (FUZZ_SECONDS=, FUZZ_SEED=)
	@$(BIN)/python -m pytest --quiet -m long tests/test_fuzz.py

test-pythons: .venv/.built  ## set-up, reproduce and tests with each Python that is here (PYTHONS="oldest least")
	@UNTIL=$(UNTIL) $(BIN)/python -m tests.pythons $(PYTHONS)

test-debug: debug $(TESTS)  ## the tests on the kernels with every memory access checked
	@OPTSEARCH_DEBUG=1 PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 \
	LD_PRELOAD="$(foreach l,asan.so stdc++.so.6,$(shell $(CC) -print-file-name=lib$(l)))" \
	$(BIN)/python -m pytest --quiet

check: .venv/.group-check  ## ruff, cython-lint and mypy
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check --quiet
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cython-lint cython_ext
	@$(BIN)/mypy

bench: .venv/.built  ## the paper's algorithms beside ours, in one run (FULL=1 for what takes minutes)
	@$(BIN)/python -m experiments.bench $(if $(FULL),--full)

simplify: .venv/.built  ## the switches of the solver that cost nothing to do without, on eleven games
	@$(BIN)/python -m experiments.ablation --simplify

results: .venv/.extras  ## recompute data/results (about six hours)
	@$(BIN)/python -m experiments --make

evaluations: .venv/.built  ## strategies on all configurations of the large games (hours; goes on if stopped)
	@$(BIN)/python -m experiments.patterns
	@$(BIN)/python -m experiments.evaluations
	@$(BIN)/python -m experiments.evaluation_check

golden: .venv/.extras  ## recompute tables from nothing and compare (MINUTES=1, the longest)
	@$(BIN)/python -m experiments.golden --within $(or $(MINUTES),1)

figures: .venv/.built  ## draw every figure from data/results into paper_figures/output
	@$(BIN)/python -m paper_figures

pictures: $(TESTS)  ## draw docs/pictures: small figures, the board (with chromium), a game by nested
	@$(BIN)/python -m docs.pictures

docs: .venv/.group-docs  ## the documentation as a site, site/index.html
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict
	@echo site/index.html

clean:  ## remove .venv and everything that was built
	rm -rf .venv build optsearch/compiled/builds optsearch/compiled/*.so optsearch/compiled/*/*.so *.egg-info paper_figures/output site
