# Targets for people and for CI. `make help` lists them.

SHELL := /bin/bash
.DEFAULT_GOAL := build
export CGO_ENABLED = 0

# -trimpath and no version control stamp: the same source gives the same binary, wherever it lies.
BUILD := go build -trimpath -buildvcs=false -ldflags "-s -w"
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: build
build: ## the binary, static, in bin/
	$(BUILD) -o bin/runlace ./cmd/runlace

# The MCP servers and pyright that the tests and the demo use, as their lock file has them.
SERVERS := testdata/servers/node_modules/.package-lock.json
$(SERVERS): testdata/servers/package-lock.json
	npm ci --prefix testdata/servers --no-audit --no-fund
	@touch $@

.PHONY: servers
servers: $(SERVERS) ## the MCP servers of the tests and the demo, from npm

# The test binaries share one cache, so that the sandbox is compiled once.
.PHONY: test
test: export RUNLACE_CACHE = $(CURDIR)/.cache/test
test: $(SERVERS) check ## all tests
	go test -timeout 20m ./...

.PHONY: check
check: ## formatting and vet
	@unformatted=$$(gofmt -l $$(find . -name '*.go' -not -path './.guest/*')); \
	  if [ -n "$$unformatted" ]; then echo "not formatted: $$unformatted (run gofmt -w)"; exit 1; fi
	go vet ./...

.PHONY: demo
demo: build $(SERVERS) ## shows the main job; fails if anything is not as it should be
	testdata/demo/demo.sh bin/runlace

.PHONY: demo-sandbox
demo-sandbox: build ## shows the sandbox on its own
	testdata/demo/sandbox.sh bin/runlace

.PHONY: bench
bench: ## measures the sandbox
	go run ./internal/bench

.PHONY: docs
docs: ## docs/commands.md and docs/errors.md after a change of commands or codes
	go test ./cmd/runlace -run 'TestDocs$$' -update

.PHONY: proof
proof: export RUNLACE_CACHE = $(CURDIR)/.cache/test
proof: $(SERVERS) ## the proofs at full size: 100 000 replays, 1 000 kills, 10 000 queued runs
	RUNLACE_PROOF=full go test -count 1 -timeout 2h -v ./internal/proof

.PHONY: cross
cross: ## the binary for every platform, in bin/
	@set -e; for p in $(PLATFORMS); do \
	  os=$${p%/*}; arch=$${p#*/}; out=bin/runlace-$$os-$$arch; [ $$os = windows ] && out=$$out.exe; \
	  echo "$$out"; GOOS=$$os GOARCH=$$arch $(BUILD) -o $$out ./cmd/runlace; \
	done

.PHONY: guest
guest: ## the embedded Python anew, from source (Debian, root, ten minutes), then its licences
	wasm/build.sh
	go run ./assets/licenses

.PHONY: guest-profile
guest-profile: ## the profile that the guest is optimised with anew
	wasm/build.sh packages sources profile

.PHONY: licenses
licenses: ## the licence texts after a change of dependencies
	go run ./assets/licenses

.PHONY: clean
clean: ## removes what was built
	rm -rf bin

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
