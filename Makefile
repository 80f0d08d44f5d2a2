# `make demo` and `make test` are all the set-up there is: both build `.venv` first.

PYTHON := .venv/bin/python
INSTALLED := .venv/.installed
PEERS := .peers/.installed
COMPILE := .venv/bin/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 \
	--custom-compile-command "make lock"
# Tests marked `node` need Node.js and npm, which no Python package brings.
NODE := $(shell command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 && echo yes)
MARKS := $(if $(NODE),not editor,not editor and not node)

.PHONY: help demo test test-editors test-vscode vsix vsix-all lint format lock mutants quality bench picture

help:
	@echo "make demo          the tour: a real language server, a real MCP server, one cell"
	@echo "make test          all tests that need no editor"
	@echo "make test-editors  the tests that drive a real editor"
	@echo "make test-vscode   the extension, packed and driven in a real Visual Studio Code"
	@echo "make vsix          dist/codeact-lsp.vsix, the extension for this machine"
	@echo "make vsix-all      one for each platform, with REPOSITORY=<address>, to publish"
	@echo "make lint          ruff, mypy, import contracts, licences"
	@echo "make format        ruff format, and the fixes that ruff is sure of"
	@echo "make lock          write the requirements files anew"
	@echo "make mutants       remove guards one by one and see whether a test notices"
	@echo "make quality       what this server and general Python servers say at the same places"
	@echo "make bench         what a keystroke costs us and general Python servers, a start, a huge listing"
	@echo "make picture       draw the README's picture from a real demo run"

demo: $(INSTALLED)
	@$(PYTHON) -m codeact_lsp demo

test: $(INSTALLED)
	@$(PYTHON) -m pytest -q -m "$(MARKS)"
	@$(if $(NODE),,echo "left out: tests that need Node.js and npm (pytest -m node)";)

test-editors: $(INSTALLED)
	@$(PYTHON) -m pytest -q -m editor

test-vscode: $(INSTALLED)
	@tests/editors/vscode/run

vsix: $(INSTALLED)
	@mkdir -p dist
	@cd editors/vscode && npm ci --ignore-scripts --no-audit --no-fund --silent
	@node editors/vscode/scripts/package.mjs --out dist/codeact-lsp.vsix

# The registries give `universal` to every platform that has none of its own.
vsix-all: $(INSTALLED)
	@test -n "$(REPOSITORY)" || { echo "say where it comes from: make vsix-all REPOSITORY=<address>" >&2; exit 2; }
	@mkdir -p dist
	@cd editors/vscode && npm ci --ignore-scripts --no-audit --no-fund --silent
	@for target in linux-x64 linux-arm64 darwin-x64 darwin-arm64 universal; do \
		node editors/vscode/scripts/package.mjs --target $$target --repository $(REPOSITORY) \
			--out dist/codeact-lsp-$$target.vsix || exit 1; \
	done

lint: $(INSTALLED)
	$(PYTHON) -m ruff check
	$(PYTHON) -m ruff format --check
	$(PYTHON) -m mypy
	.venv/bin/lint-imports --no-logo
	$(PYTHON) .ci/licences.py

format: $(INSTALLED)
	$(PYTHON) -m ruff format
	$(PYTHON) -m ruff check --fix

lock: $(INSTALLED)
	$(COMPILE) pyproject.toml -o requirements.txt
	$(COMPILE) pyproject.toml --group dev -c requirements.txt -o requirements-dev.txt
	$(COMPILE) --group node -o requirements-node.txt
	$(COMPILE) --group peers -o requirements-peers.txt

mutants: $(INSTALLED)
	$(PYTHON) tests/mutants/check.py

quality: $(INSTALLED) $(PEERS)
	$(PYTHON) -m benchmarks.quality --write docs/quality.md

bench: $(INSTALLED) $(PEERS)
	$(PYTHON) -m benchmarks.keystrokes --write docs/performance.md
	$(PYTHON) -m benchmarks.start
	$(PYTHON) -m benchmarks.listing

picture: $(INSTALLED)
	$(PYTHON) -m codeact_lsp demo --picture docs/demo.svg

$(INSTALLED): pyproject.toml requirements-dev.txt .ci/venv
	@.ci/venv .venv requirements-dev.txt
	@$(PYTHON) -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(PEERS): requirements-peers.txt .ci/venv
	@.ci/venv .peers requirements-peers.txt
	@touch $@
