# The README names `make run` and `make test`; `make check` is what CI runs besides the tests.

VERSION ?= $(shell git describe --always --dirty 2>/dev/null || echo unknown)
GO      ?= go

# Tools are built from source into .tools, so that a fresh machine needs Go alone.
LINT      := .tools/golangci-lint-v2.15.0
VULNCHECK := .tools/govulncheck-v1.1.4
FSCK      := .tools/fsck-v1.0.4
OAPI      := .tools/oapi-codegen-v2.8.2
NFPM      := .tools/nfpm-v2.45.0

# Where make install puts things, and what make release says of whose they are. Nothing is made up: what is empty is left
# out, and a Debian package is made only where somebody maintains it.
PREFIX     ?= /usr/local
DESTDIR    ?=
MAINTAINER ?=
LICENSE    ?=
HOMEPAGE   ?=
PLATFORMS  ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64

.PHONY: build install release check-release check-deb cross run test test-long check fmt-check vet lint layout requirements coverage size vuln lint-contract check-contract check-events check-mcp check-web check-web-part web-fixture web-aged web-assets check-clients check-drive fuzz tamper fsck format-data bench bench-peers bench-device bench-log postgres torture module clean FORCE

build: bin/orchestrator bin/orchestrator-hook

bin/orchestrator: FORCE
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X $(shell $(GO) list -m)/cmd/orchestrator/cli.BuildVersion=$(VERSION)" -o $@ ./cmd/orchestrator

# The hook of the boundary as a program of its own, which starts faster.
bin/orchestrator-hook: FORCE
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w" -o $@ ./cmd/orchestrator-hook

# install -d and -m are all that it needs of install, so that it works on macOS as well.
install: build
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 bin/orchestrator bin/orchestrator-hook "$(DESTDIR)$(PREFIX)/bin"
	packaging/completions.sh bin/orchestrator "$(DESTDIR)$(PREFIX)/share" site-functions
	@for file in $(wildcard LICENSE LICENSE.* COPYING); do install -d "$(DESTDIR)$(PREFIX)/share/doc/orchestrator" \
		&& install -m 644 $$file "$(DESTDIR)$(PREFIX)/share/doc/orchestrator"; done

# Passed on by the environment, where quotes in them do no harm.
release check-release: export VERSION := $(VERSION)
release check-release: export PLATFORMS := $(PLATFORMS)
release check-release: export GO := $(GO)
release check-release: export MAINTAINER := $(MAINTAINER)
release check-release: export LICENSE := $(LICENSE)
release check-release: export HOMEPAGE := $(HOMEPAGE)
release check-release: export NFPM_TOOL := $(CURDIR)/$(NFPM)

# Archives, Debian packages, SBOMs and SHA256SUMS, in dist; docs/packages.md. It needs Linux, for GNU tar and date.
release: $(NFPM)
	packaging/release.sh dist

# Two releases in two folders must be the same, byte for byte. Slow: nothing is taken from a cache.
check-release: $(NFPM)
	packaging/check-release.sh

# Installs the package of this machine in a clean Debian, and serves a project there. It needs root and debootstrap.
check-deb:
	@test "$$(id -u)" = 0 || { echo "make check-deb needs root"; exit 1; }
	$(MAKE) --no-print-directory release PLATFORMS=linux/$$($(GO) env GOARCH) MAINTAINER='Nobody <nobody@example.org>'
	packaging/check-deb.sh dist

$(NFPM):
	@mkdir -p .tools
	GOBIN=$(CURDIR)/.tools $(GO) install github.com/goreleaser/nfpm/v2/cmd/nfpm@$(subst .tools/nfpm-,,$@)
	mv .tools/nfpm $@

run:
	@test -x bin/orchestrator || echo "compiling: on a fresh machine this takes some minutes, and fetches modules first"
	@$(MAKE) --no-print-directory build
	./bin/orchestrator serve --demo-tokens

# Every test, the long ones with fewer cases. -timeout only ends a test that hangs: no test depends on the speed of the
# machine. vet is left to check. Properties still run 100 cases each: with -short, rapid divides RAPID_CHECKS by five.
test:
	RAPID_CHECKS=500 $(GO) test -short -vet=off -timeout 1h ./...

# Every test at its full length, before a release and before a large change is done. The race detector needs a C
# compiler. It makes tampering ten times slower, so the full number of cases of that runs without it.
ifeq ($(shell $(GO) env CGO_ENABLED),1)
RACE := -race
endif
test-long:
	@test -n "$(RACE)" || echo "NOTE: no C compiler; the tests run WITHOUT the race detector"
	$(GO) test $(RACE) -timeout 3h ./...
	$(GO) test -timeout 3h ./internal/auditor

check: fmt-check vet cross lint layout requirements coverage size vuln lint-contract

fmt-check:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }

vet:
	$(GO) vet ./...
	$(GO) mod verify
	$(GO) mod tidy -diff

# What is released for macOS compiles.
cross:
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build ./cmd/orchestrator ./cmd/orchestrator-hook

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

# govulncheck downloads a database. Where that cannot be reached, the check is skipped with a note.
vuln:
	@if curl -fsS -m 10 -o /dev/null https://vuln.go.dev/index/db.json 2>/dev/null; then \
		$(MAKE) --no-print-directory $(VULNCHECK) && $(VULNCHECK) ./...; \
	else echo "NOTE: vuln.go.dev cannot be reached with curl; known vulnerabilities were NOT checked"; fi

# Directions of imports, purity of packages, sizes of files, and what the documents name.
layout:
	$(GO) test -count=1 ./internal

# The product holds its own requirements: REQUIREMENTS.md can be imported without an error, and every mark names one of
# its requirements. There is no export in the tree to compare with, as each merge of two branches that change the document
# would conflict in it; the document is imported into a new project instead. BASE=REVISION takes that import from an
# earlier revision: the check then lists, word by word, what has changed since, and fails if anything has.
# These scripts have projects of their own within, whose marks name other requirements.
STRANGERS := adopt qualify rename rename_qualify short_shared trace trace_json trace_refused trace_without_git
requirements: build
	@project=$$(mktemp -d) && trap 'rm -rf "$$project"' EXIT \
		&& if test -n "$(BASE)"; then git show "$(BASE):REQUIREMENTS.md"; else cat REQUIREMENTS.md; fi > "$$project/REQUIREMENTS.md" \
		&& { (cd "$$project" && "$(CURDIR)/bin/orchestrator" init --here --yes --data .orchestrator --evidence record) > "$$project/init.txt" 2>&1 \
			|| { cat "$$project/init.txt"; exit 1; }; } \
		&& bin/orchestrator import --check --strict --data "$$project/.orchestrator" --export none REQUIREMENTS.md
	@mkdir -p .tools
	@bin/orchestrator trace --check --requirements REQUIREMENTS.md $(STRANGERS:%=--exclude testdata/scripts/%.txtar) > .tools/trace.txt \
		|| { grep ', which ' .tools/trace.txt; exit 1; }
	@tail -n 1 .tools/trace.txt

# Tests cover every statement of the packages that decide: the rules, the reader of shell commands, and the Merkle tree.
DECIDING := ./internal/rules/... ./internal/boundary/shell/... ./internal/ledger/audit
coverage:
	@mkdir -p .tools
	@$(GO) test -coverprofile=.tools/cover.out $(DECIDING)
	@$(GO) tool cover -func=.tools/cover.out | awk '$$3 != "100.0%" { print; bad = 1 } END { exit bad }' \
		|| { echo "every statement of these packages must be covered: $(DECIDING)"; exit 1; }
	@for pkg in $$($(GO) list $(DECIDING)); do grep -q "^$$pkg/" .tools/cover.out || { echo "$$pkg was not covered"; exit 1; }; done
	@echo "coverage of $(DECIDING): 100 %"

# The binary stays below 44.5 MB. CEL and MCP, as a client and as a server, take 10 of them, and text/template 5: the
# linker keeps every method that its reflection may call. The store on PostgreSQL with its driver takes 1.6, the pages for
# people 1.3, and the contract 0.8, as YAML and as one file of JSON.
size: build
	@bytes=$$(wc -c < bin/orchestrator); echo "binary: $$bytes bytes"; test $$bytes -lt 44500000

# Redocly and Spectral lint the contract where Node is. The tools are downloaded once, in the versions of
# api/check/package-lock.json, and none of their install scripts runs.
lint-contract:
	@if ! { command -v npm && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; } > /dev/null 2>&1; then \
		echo "NOTE: there is no Node 20 or newer; the contract was NOT linted"; \
	elif $(MAKE) --no-print-directory .tools/contract/lint; then node api/check/check.mjs lint .tools/contract; \
	else echo "NOTE: npm cannot download the linters; the contract was NOT linted"; fi

# What others make of the contract: a life by Redocly's respect, contract tests by Postman's newman, types by
# openapi-typescript, and a client by oapi-codegen. It needs Node and downloads, so it is not part of CI.
check-contract: build $(OAPI) .tools/contract/all
	node api/check/check.mjs all .tools/contract bin/orchestrator
	OAPI_CODEGEN=$(CURDIR)/$(OAPI) ORCHESTRATOR=$(CURDIR)/bin/orchestrator $(GO) test -count=1 -v -run GeneratedClient ./cmd/openapi

# Follows a service over a restart with two clients of event streams that others wrote, and holds what they are told
# against the log. It needs Node and downloads, so it is not part of CI.
check-events: build .tools/events/done
	node api/check/events/resume.mjs .tools/events bin/orchestrator

# Has the public conformance runner of the Model Context Protocol and the command line of its Inspector look at a service.
# It needs Node and downloads, so it is not part of CI.
check-mcp: build .tools/mcp/done
	node api/check/mcp/check.mjs .tools/mcp bin/orchestrator

# Compares the scripts of others that the web page serves with the packages that its manifest names. RENEW=1 writes them
# anew: raise the version in the manifest first. It needs Node and downloads, so it is not part of CI.
web-assets:
	RENEW="$(RENEW)" node packaging/web-assets.mjs internal/httpapi/web/asset/third-party .tools/web-assets

# Has Chromium look at the pages under /ui in projects of every size, and people do their work in them; first the looks
# themselves are tried. It needs Node and downloads; for root, it installs Debian's package of Chromium. WEB passes
# options, such as WEB='--page board --shots /tmp/shots'. The first time it takes minutes to compile what web-aged makes.
check-web: build web-aged .tools/web/done
	@if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && ! command -v chromium > /dev/null && test -z "$(CHROMIUM)"; then \
		{ apt-get update && apt-get install -y --no-install-recommends chromium; } > /dev/null || echo "NOTE: Chromium cannot be installed"; fi
	TOOLS=.tools/web node --test --test-reporter=dot api/check/web/looks.test.mjs
	node api/check/web/check.mjs .tools/web bin/orchestrator --aged .tools/web/aged $(WEB)

# Serves a project to look at: 40 requirements of a parking garage with a past of weeks, or what SIZE says. It prints the
# address and the tokens.
web-fixture: build web-aged
	@node api/check/web/fixture.mjs --keep --size $(or $(SIZE),40) --aged .tools/web/aged bin/orchestrator

web-aged:
	@GO="$(GO)" api/check/web/aged/build.sh .tools/web/aged

# The part of it that every change must pass, where Node and Chromium are: three pages, and a sign-off.
WEB_PART := --size 40 --page sign-in --page waits --page dossier --width 1280 --scheme light \
	--only page --only head --only axe --only csp --only script --only sign-off
check-web-part: build
	@if ! { command -v npm && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; } > /dev/null 2>&1; then \
		echo "NOTE: there is no Node 20 or newer; the web page was NOT looked at"; \
	elif ! command -v "$(or $(CHROMIUM),chromium)" > /dev/null; then echo "NOTE: there is no Chromium; the web page was NOT looked at"; \
	elif $(MAKE) --no-print-directory .tools/web/done; then node api/check/web/check.mjs .tools/web bin/orchestrator $(WEB_PART); \
	else echo "NOTE: npm cannot download what drives a browser; the web page was NOT looked at"; fi

NPM_CI := npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=2 --fetch-retry-maxtimeout=10000
.tools/contract/lint: api/check/package-lock.json
	@mkdir -p .tools/contract && cp api/check/package.json api/check/package-lock.json .tools/contract && rm -f .tools/contract/all
	@cd .tools/contract && $(NPM_CI) --omit=dev
	@touch $@

.tools/contract/all: api/check/package-lock.json
	@mkdir -p .tools/contract && cp api/check/package.json api/check/package-lock.json .tools/contract
	@cd .tools/contract && $(NPM_CI)
	@touch $@ .tools/contract/lint

# npm ci refuses a lock without an optional package that some registries lack.
.tools/mcp/done: api/check/mcp/package-lock.json
	@mkdir -p .tools/mcp && cp api/check/mcp/package.json api/check/mcp/package-lock.json .tools/mcp
	@cd .tools/mcp && $(subst npm ci,npm install --no-save,$(NPM_CI))
	@touch $@

.tools/events/done: api/check/events/package-lock.json
	@mkdir -p .tools/events && cp api/check/events/package.json api/check/events/package-lock.json .tools/events
	@cd .tools/events && $(NPM_CI)
	@touch $@

.tools/web/done: api/check/web/package-lock.json
	@mkdir -p .tools/web && cp api/check/web/package.json api/check/web/package-lock.json .tools/web
	@cd .tools/web && $(NPM_CI)
	@touch $@

$(OAPI):
	@mkdir -p .tools
	GOBIN=$(CURDIR)/.tools $(GO) install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@$(subst .tools/oapi-codegen-,,$@)
	mv .tools/oapi-codegen $@

# Each fuzz target for FUZZTIME; not part of CI.
FUZZTIME ?= 2m
fuzz:
	@for pkg in $$($(GO) list ./...); do for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
		echo "$$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; done; done

# How often verification finds that a log was tampered with, in 100 random cases of each kind: the table of docs/audit.md.
tamper:
	$(GO) test -count=1 -v -run Tamper ./internal/auditor | grep -v '^=== \|^ *--- PASS'

# Checks a bundle with fsck of transparency-dev/tessera. It is downloaded, so this is not part of CI.
fsck: $(FSCK)
	FSCK=$(CURDIR)/$(FSCK) $(GO) test -count=1 -v -run Fsck ./internal/auditor

$(FSCK):
	@mkdir -p .tools
	GOBIN=$(CURDIR)/.tools $(GO) install github.com/transparency-dev/tessera/cmd/fsck@$(subst .tools/fsck-,,$@)
	mv .tools/fsck $@

# Runs the agent clients themselves against the hook, without a network, and prints what held: docs/check-clients.md.
# CLIENTS=latest takes the newest versions, CLIENT=codex one client, UPDATE=1 keeps what they sent, and
# TRANSCRIPT=FILE writes how a PM's session takes a requirement through its life. It needs Linux and
# Node, and downloads the clients, so it is not part of CI. MCP=1 checks the MCP server that the clients start instead:
# docs/mcp.md.
check-clients: build
	$(GO) run ./cmd/checkclients -clients $(or $(CLIENTS),pinned) -client "$(CLIENT)" $(if $(UPDATE),-update) \
		$(if $(TRANSCRIPT),-transcript "$(TRANSCRIPT)") $(if $(MCP),-mcp)

# Has orchestrator drive bring one requirement to done, with an agent client in the role of architect, coder and tester,
# and prints what happened: docs/check-clients.md. It needs the same as check-clients. CLIENT=codex-plain takes another
# client than Claude Code, TRANSCRIPT=FILE writes to a file, and UPDATE=1 keeps what the client says of its usage.
check-drive: build
	$(GO) run ./cmd/checkclients -drive -client "$(or $(CLIENT),claude)" $(if $(UPDATE),-update) \
		$(if $(TRANSCRIPT),-transcript "$(TRANSCRIPT)")

# Keeps a database, a bundle and a backup of the format of this version in testdata/logs, made by
# testdata/scripts/life.txtar. Run it once before the format is raised; commit what it made.
format-data:
	KEEP_FORMAT=$(CURDIR)/testdata/logs $(GO) test -count=1 -run Scripts/life ./cmd/orchestrator

# Speed and memory as ratios against baselines measured in the same run. It takes minutes, and needs a quiet machine.
bench:
	$(GO) run ./cmd/bench

# PATCH beside a handler with chi and PostgreSQL, with Debian's package of it.
bench-peers: postgres
	$(GO) run ./cmd/bench --only peers

# Installs Debian's package of PostgreSQL for the tests and programs that start servers of their own, without the cluster
# that the package would start. For that it needs root.
postgres:
	@if ! ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 && [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' >> /etc/postgresql-common/createcluster.conf \
			&& { apt-get update && apt-get install -y --no-install-recommends postgresql; } > /dev/null 2>&1; fi; \
	ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 \
		|| echo "NOTE: there is no PostgreSQL, and it cannot be installed; the store on PostgreSQL, replicas and failover were NOT tested"

# The bytes that a change writes to the device, on ext4 and xfs. It needs root, and installs what makes them.
bench-device:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && ! { command -v mkfs.xfs && command -v mkfs.ext4; } > /dev/null; then \
		{ apt-get update && apt-get install -y xfsprogs e2fsprogs; } > /dev/null || echo "NOTE: xfsprogs and e2fsprogs cannot be installed"; fi
	$(GO) run ./cmd/bench --only device

# Appends to a log of a million records, and verifies it. It takes a quarter of an hour and 4 GB of disk.
bench-log:
	$(GO) run ./cmd/bench --only log --log 1000000 --longest 2h

# Kills, power cuts and disk faults under load; docs/torture.md explains the rows. Some rows need root.
# TORTURE passes flags, such as TORTURE='--only cut --runs 50'.
torture:
	@if [ "$$(id -u)" = 0 ] && ! { command -v xfs_io && command -v strace && command -v mkfs.ext4; } > /dev/null; then \
		{ apt-get update && apt-get install -y xfsprogs strace e2fsprogs; } > /dev/null \
			|| echo "NOTE: xfsprogs, strace and e2fsprogs cannot be installed; the rows that need them are skipped"; fi
	$(GO) run ./cmd/torture $(TORTURE)

# Renames the module, and every import with it: make module MODULE=example.org/you/orchestrator
module:
	@test -n "$(MODULE)" || { echo "name the path: make module MODULE=example.org/you/orchestrator"; exit 1; }
	@old=$$($(GO) list -m) && $(GO) mod edit -module "$(MODULE)" && grep -rlE "\"$$old/(api|cmd|internal|schemas)" --include='*.go' . \
		| xargs sed -i -E "s#\"$$old/(api|cmd|internal|schemas)#\"$(MODULE)/\1#"
	gofmt -w api cmd internal schemas

clean:
	rm -rf bin dist .tools
