# Everything a developer needs. `make run` and `make test` are the two commands of the README.

VERSION ?= $(shell git describe --always --dirty 2>/dev/null || echo unknown)
LINT_VERSION := v2.12.2
VULN_VERSION := v1.1.4
GO ?= go

.PHONY: build run test race check fmt lint vuln cover bench fuzz clean

build: bin/orchestrator

bin/orchestrator: FORCE
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.buildVersion=$(VERSION)" -o $@ ./cmd/orchestrator

FORCE:

run: build
	./bin/orchestrator serve
