# Everything runs from a fresh clone with nothing but Go; check also wants a C compiler for the race detector.

GO      ?= go
FUZZTIME ?= 5s
BIN     := bin

.PHONY: help build demo test check bench crossbuild fmt vet race fuzz generate clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 18

build: ## build tracerec and expert into bin/
	@mkdir -p $(BIN)
	$(GO) build -o $(BIN)/ ./cmd/...

demo: build ## record a gas dynamics program whose work is uneven, and say what is wrong with it
	$(GO) build -o $(BIN)/hydro ./examples/hydro
	rm -rf $(BIN)/trace.dir
	$(BIN)/tracerec -o $(BIN)/trace.dir $(BIN)/hydro -skew
	$(BIN)/expert analyze $(BIN)/trace.dir

test: ## run all tests
	$(GO) test -timeout 600s ./...

check: fmt vet race fuzz ## everything a change must pass: format, vet, lint and tests with race detector, short fuzzing

fmt:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'gofmt these files'; exit 1; }

vet:
	$(GO) vet ./...
	GOOS=darwin $(GO) vet ./instrument/... ./cmd/expert
	GOOS=windows GOARCH=386 $(GO) build ./instrument/...
	GOARCH=arm64 $(GO) vet ./instrument/... ./internal/...

# The race detector needs cgo; lint (internal/lint) and the check of generated files are tests too.
race:
	@if CGO_ENABLED=1 $(GO) build -race -o /dev/null ./metric 2>/dev/null; then \
		echo $(GO) test -race ./...; CGO_ENABLED=1 $(GO) test -race -timeout 600s ./...; \
	else \
		echo 'no C compiler: tests run without the race detector'; $(GO) test -timeout 600s ./...; \
	fi

# A fuzz run may fail for no other reason than that its time was up while a worker was busy. A second run starts with
# what the first one found, so it fails again if that was an input.
fuzz:
	@for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo fuzz $$package $$target; \
			run="$(GO) test -run ^$$target\$$ -fuzz ^$$target\$$ -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package"; \
			$$run || $$run || exit 1; \
		done; \
	done

crossbuild: ## build what programs link, package instrument, for every system that Go knows
	@failed=; for target in $$($(GO) tool dist list); do \
		GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0 $(GO) build ./instrument || failed="$$failed $$target"; \
	done; test -z "$$failed" || { echo "package instrument does not build for:$$failed"; exit 1; }

generate: ## rewrite the generated documents
	$(GO) generate ./...

bench: ## measure beside peers: regions, channel and lock operations, archive size, analysis
	cd bench && $(GO) run .

clean: ## remove what was built and recorded
	rm -rf $(BIN) trace.dir*
