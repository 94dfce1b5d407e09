# `make run` and `make test` are the two commands of the README; `make check` is everything else that CI runs.

VERSION ?= $(shell git describe --always --dirty 2>/dev/null || echo unknown)
GO      ?= go

# Tools are built from source into .tools, so that a fresh machine needs Go alone.
LINT      := .tools/golangci-lint-v2.15.0
VULNCHECK := .tools/govulncheck-v1.1.4
FSCK      := .tools/fsck-v1.0.4

.PHONY: build run test test-long check fmt-check vet lint layout coverage size vuln fuzz tamper fsck bench bench-log torture module clean FORCE

build: bin/orchestrator bin/orchestrator-hook

bin/orchestrator: FORCE
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.buildVersion=$(VERSION)" -o $@ ./cmd/orchestrator

# The hook of the boundary as a program of its own, which starts faster.
bin/orchestrator-hook: FORCE
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w" -o $@ ./cmd/orchestrator-hook

run: build
	./bin/orchestrator serve --demo-tokens

# Every test, the long ones with fewer cases. No test looks at the clock to pass, so it may take as long as the machine
# needs: -timeout ends a test that hangs. check vets the tests as well. Properties keep their 100 cases, which are cheap:
# rapid takes a fifth of its number for -short.
test:
	RAPID_CHECKS=500 $(GO) test -short -vet=off -timeout 1h ./...

# Every test at its full length, with the race detector where there is a C compiler, which it needs; and tampering
# without it, since that makes each case ten times slower. Run it before a release, and before a large change is done.
ifeq ($(shell $(GO) env CGO_ENABLED),1)
RACE := -race
endif
test-long:
	@test -n "$(RACE)" || echo "NOTE: no C compiler; the tests run WITHOUT the race detector"
	$(GO) test $(RACE) -timeout 3h ./...
	$(GO) test -timeout 3h ./internal/auditor

check: fmt-check vet lint layout coverage size vuln

fmt-check:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }

vet:
	$(GO) vet ./...
	$(GO) mod verify
	$(GO) mod tidy -diff

lint: $(LINT)
	$(LINT) run ./...

$(LINT):
	@mkdir -p .tools
	GOBIN=$(CURDIR)/.tools $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(subst .tools/golangci-lint-,,$@)
	mv .tools/golangci-lint $@

$(VULNCHECK):
	@mkdir -p .tools
	GOBIN=$(CURDIR)/.tools $(GO) install golang.org/x/vuln/cmd/govulncheck@$(subst .tools/govulncheck-,,$@)
	mv .tools/govulncheck $@

# govulncheck needs its database; where that cannot be reached the check is skipped, and says so.
vuln:
	@if curl -fsS -m 10 -o /dev/null https://vuln.go.dev/index/db.json 2>/dev/null; then \
		$(MAKE) --no-print-directory $(VULNCHECK) && $(VULNCHECK) ./...; \
	else echo "NOTE: vuln.go.dev cannot be reached with curl; known vulnerabilities were NOT checked"; fi

# The table of allowed imports, what must stay pure, and the size of files.
layout:
	$(GO) test -count=1 ./internal

# What the product decides by is covered whole: every statement of the rules, of the shell reader and of the log.
DECIDING := ./internal/rules/... ./internal/boundary/shell ./internal/ledger/audit
coverage:
	@mkdir -p .tools
	@$(GO) test -coverprofile=.tools/cover.out $(DECIDING) > /dev/null
	@$(GO) tool cover -func=.tools/cover.out | awk '$$3 != "100.0%" { print; bad = 1 } END { exit bad }' \
		|| { echo "every statement of these packages must be covered: $(DECIDING)"; exit 1; }
	@for pkg in $$($(GO) list $(DECIDING)); do grep -q "^$$pkg/" .tools/cover.out || { echo "$$pkg was not covered"; exit 1; }; done
	@echo "coverage of $(DECIDING): 100 %"

# The binary stays below 34 MB: conditions and MCP brought 9, and templates of prompts 5, as whatever reflection may call is kept for them.
size: build
	@bytes=$$(wc -c < bin/orchestrator); echo "binary: $$bytes bytes"; test $$bytes -lt 34000000

# Each fuzz target for FUZZTIME; not part of CI.
FUZZTIME ?= 2m
fuzz:
	@for pkg in $$($(GO) list ./...); do for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
		echo "$$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; done; done

# What is found of a log that was tampered with, 100 random cases of each kind; docs/audit.md has the table.
tamper:
	$(GO) test -count=1 -v -run Tamper ./internal/auditor | grep -v '^=== \|^ *--- PASS'

# A bundle, checked by the tool of another project for logs of this kind; not part of CI, since it is fetched.
fsck: $(FSCK)
	FSCK=$(CURDIR)/$(FSCK) $(GO) test -count=1 -v -run Fsck ./internal/auditor

$(FSCK):
	@mkdir -p .tools
	GOBIN=$(CURDIR)/.tools $(GO) install github.com/transparency-dev/tessera/cmd/fsck@$(subst .tools/fsck-,,$@)
	mv .tools/fsck $@

# Ratios against floors that are measured in the same run; takes minutes, needs a quiet machine.
bench:
	$(GO) run ./cmd/bench

# A log of a million records: one more change, and its verification. It takes a quarter of an hour and 4 GB of disk.
bench-log:
	$(GO) run ./cmd/bench --only log --log 1000000 --longest 2h

# Kills, power cuts and faults of the disk under load, with a disk that lies as the control; takes about ten minutes.
# Without root only the kills run. TORTURE takes flags, such as TORTURE='--only cut --runs 50'.
torture:
	@if [ "$$(id -u)" = 0 ] && ! { command -v xfs_io && command -v strace && command -v mkfs.ext4; } > /dev/null; then \
		{ apt-get update && apt-get install -y xfsprogs strace e2fsprogs; } > /dev/null \
			|| echo "NOTE: xfsprogs, strace and e2fsprogs cannot be installed; the rows that need them are skipped"; fi
	$(GO) run ./cmd/torture $(TORTURE)

# The path of the module, and with it every import: make module MODULE=example.org/you/orchestrator
module:
	@test -n "$(MODULE)" || { echo "name the path: make module MODULE=example.org/you/orchestrator"; exit 1; }
	@old=$$($(GO) list -m) && $(GO) mod edit -module "$(MODULE)" && grep -rlE "\"$$old/(api|cmd|internal|schemas)" --include='*.go' . \
		| xargs sed -i -E "s#\"$$old/(api|cmd|internal|schemas)#\"$(MODULE)/\1#"
	gofmt -w api cmd internal schemas

clean:
	rm -rf bin .tools
