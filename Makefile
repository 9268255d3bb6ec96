# Everything runs from a fresh clone with nothing but Go. check also wants a C compiler for the race detector, and npm
# to see that the page of expert view is what its sources say; e2e wants npm and Chromium.

GO      ?= go
FUZZTIME ?= 1m
RECORDINGS ?= 300
SETS ?= 10000
STRESS ?= 1h
BIN     := bin
UI      := report/web/ui
NPM     := $(UI)/node_modules/.package-lock.json

.PHONY: help build demo test truth check gate ui page e2e screenshots planted services stress figures simfigures bench crossbuild profile fmt vet race fuzz generate clean

help: ## list the targets
	@sed -n 's/^\([a-z0-9]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 18

# Without C libraries, threads need less address space, so that the recorder lives where that is limited (ulimit -v).
build: ## build tracerec and expert into bin/
	@mkdir -p $(BIN)
	CGO_ENABLED=0 $(GO) build -o $(BIN)/ ./cmd/...

demo: build ## record a gas dynamics program whose work is uneven, and say what is wrong with it
	$(GO) build -o $(BIN)/hydro ./examples/hydro
	rm -rf $(BIN)/trace.dir
	$(BIN)/tracerec -o $(BIN)/trace.dir $(BIN)/hydro -skew
	$(BIN)/expert analyze $(BIN)/trace.dir

# Nobody debugs these programs of tests, which take a third less to link without what a debugger needs.
test: ## run all tests
	$(GO) test -ldflags=-w -timeout 600s ./...
	cd lab && $(GO) test -ldflags=-w -timeout 600s ./...

truth: ## record programs with known counts RECORDINGS times, open SETS event sets: the truth lies within the bounds; all of docs/validation.md
	$(GO) test -count=1 -timeout 0 -v -run 'TestCheapCounters|TestExactCounters' ./cmd/tracerec -recordings $(RECORDINGS)
	$(GO) test -count=1 -timeout 0 -v -run 'TestSetsCountTheThreadOfStart|TestCertainIsRight' ./counters -sets $(SETS) -turns $(RECORDINGS)
	$(GO) test -count=1 -timeout 0 -run Table ./simulator/count -args -all

check: fmt vet race page gate ## what a change must pass beside the tests: format, vet, race detector, the page, gate

fmt:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'gofmt these files'; exit 1; }

vet:
	$(GO) vet ./...
	$(GO) vet -tags tracerec_runtime ./instrument
	GOOS=darwin $(GO) vet ./instrument/... ./cmd/expert
	GOOS=windows GOARCH=386 $(GO) build ./instrument/...
	GOARCH=arm64 $(GO) vet ./instrument/... ./internal/...
	GOARCH=riscv64 $(GO) vet ./instrument/... ./internal/... ./recorder ./cmd/tracerec
	cd lab && $(GO) vet ./...

# The race detector needs cgo. -short leaves out sweeps over many inputs, which go the same ways again and again; make test has them.
race:
	@if CGO_ENABLED=1 $(GO) build -race -o /dev/null ./metric 2>/dev/null; then \
		for module in . lab; do \
			echo "$$module: $(GO) test -race -short ./..."; (cd $$module && CGO_ENABLED=1 $(GO) test -race -pgo=off -short -vet=off -timeout 600s ./...) || exit 1; \
		done; \
	else \
		echo 'no C compiler: the race detector is left out'; \
	fi

# Tests replay what was ever found; this searches at random, so it is no part of check: it would turn away a change for what another
# one brought. A run may fail for no other reason than that its time was up while a worker was busy. A second run starts with what the
# first one found, so it fails again if that was an input.
fuzz: ## search inputs at random that break a parser, FUZZTIME for each target
	@for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo fuzz $$package $$target; \
			run="$(GO) test -run ^$$target\$$ -fuzz ^$$target\$$ -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package"; \
			$$run || $$run || exit 1; \
		done; \
	done

# The examples hold their limits, and do not when something is planted in them.
gate: build ## hold the examples against their limits with expert check
	@GO=$(GO) .ci/gate

ui: $(NPM) ## rebuild the page of expert view from report/web/ui (needs npm)
	cd $(UI) && npm run --silent build

# The page that is checked in is what its sources give, byte for byte.
page:
	@if ! command -v npm >/dev/null; then echo 'no npm: that the page of expert view fits its sources is not checked'; \
	elif ! $(MAKE) --no-print-directory $(NPM); then echo 'npm cannot fetch packages: that the page fits its sources is not checked'; \
	else cd $(UI) && npm run --silent check; fi

$(NPM): $(UI)/package.json $(UI)/package-lock.json
	cd $(UI) && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

e2e: build $(NPM) ## test the page in a real browser (needs npm and Chromium)
	@GO=$(GO) $(UI)/e2e/record
	node --test --test-reporter=spec $(UI)/e2e/all.mjs

# Two directories, so that the report of README is the one whose picture it shows.
screenshots: build $(NPM) ## run the commands of README and the tutorial again: their output, and docs/pictures (needs npm and Chromium)
	rm -rf $(BIN)/readme $(BIN)/tutorial
	mkdir -p $(BIN)/readme $(BIN)/tutorial
	PATH="$(CURDIR)/$(BIN):$$PATH" $(GO) run ./internal/consoledoc -dir $(BIN)/readme README.md
	PATH="$(CURDIR)/$(BIN):$$PATH" $(GO) run ./internal/consoledoc -dir $(BIN)/tutorial docs/tutorial.md
	E2E_PICTURES=docs/pictures node --test --test-reporter=spec $(UI)/e2e/pictures.mjs

planted: ## forty programs with known causes, whole and partly recorded: how often the analysis says first what holds them up
	cd lab && $(GO) test -count=1 -timeout 0 -v ./planted -all

services: ## nine servers with known causes of slow requests, under load, from execution traces and recordings
	cd lab && $(GO) test -count=1 -timeout 0 -v ./services -all

stress: build ## record tests of the Go distribution and random programs in random settings for STRESS: nothing fails or hangs that does not unrecorded
	cd lab && $(GO) run ./stress -for $(STRESS)

figures: ## measure how near multiplexed counts come to the truth: tables and plots of docs/multiplexing.md, in some minutes
	cd lab && $(GO) run ./figures -doc ../docs/multiplexing.md

simfigures: ## the same on the simulator, on any machine
	cd lab && $(GO) run ./figures -simulated -iterations 22 -doc ../docs/multiplexing.md

crossbuild: ## build what programs link, package instrument, for every system that Go knows
	@failed=; for target in $$($(GO) tool dist list); do \
		GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0 $(GO) build ./instrument || failed="$$failed $$target"; \
	done; test -z "$$failed" || { echo "package instrument does not build for:$$failed"; exit 1; }

generate: ## rewrite the generated documents
	$(GO) generate ./...

# The compiler inlines what is called often. A profile stays good while code changes; a new one is worth it after larger changes of the analysis.
profile: ## measure where the time of an analysis goes, for the compiler: cmd/expert/default.pgo
	$(GO) test ./internal/tracetest -run '^$$' -bench Analyze -benchtime 4s -cpuprofile cmd/expert/default.pgo -o /dev/null

bench: ## measure beside peers: regions, channel and lock operations, archive size, analysis, the simulator
	cd bench && $(GO) run .

clean: ## remove what was built and recorded
	rm -rf $(BIN) trace.dir*
