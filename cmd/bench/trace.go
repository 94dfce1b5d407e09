package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"orchestrator/cmd/bench/fixture"
)

const (
	tracedFiles = 10_000
	tracedBytes = 4_000 // of each file, about
)

// tracing measures how long the product takes to find what names 10,000 requirements in as many files of a repository.
// A quarter of the files is tracked; the others are new.
func (b *bench) tracing(ctx context.Context) ([]row, error) {
	dir, err := b.folder("trace", tracedFiles, shortText)
	if err != nil {
		return nil, err
	}
	for i := range tracedFiles {
		name, content := fixture.Source(i, tracedBytes)
		folder := filepath.Join(dir, fmt.Sprintf("src/%02d", i%100))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{{"init", "-q"},
		{"add", "src/0*", "src/1*", "src/20", "src/21", "src/22", "src/23", "src/24"}} {
		git := exec.CommandContext(ctx, "git", args...)
		git.Dir = dir
		if out, err := git.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	var seconds []float64
	for range b.rounds {
		took, err := b.traceOnce(ctx, dir)
		if err != nil {
			return nil, err
		}
		seconds = append(seconds, took)
		say("traced %d files in %.3f s", tracedFiles, took)
	}
	of := fmt.Sprintf("trace, %d files of %.1f KB, %d requirements", tracedFiles, tracedBytes/1e3, tracedFiles)
	return []row{newRow(of, "s", nil, seconds, nil, atMost(2))}, nil
}

// traceOnce runs the command once, and wants every requirement to be found.
func (b *bench) traceOnce(ctx context.Context, dir string) (seconds float64, err error) {
	cmd := exec.CommandContext(ctx, b.binary, "trace", "--json", "--check", "--requirements", "REQUIREMENTS-1.md")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	begun := time.Now()
	out, err := cmd.Output()
	took := time.Since(begun)
	if err != nil {
		return 0, err
	}
	var report struct{ Summary struct{ Marked, Files int } }
	if err := json.Unmarshal(out, &report); err != nil {
		return 0, err
	}
	if report.Summary.Marked != tracedFiles || report.Summary.Files != tracedFiles {
		return 0, fmt.Errorf("trace found %+v", report.Summary)
	}
	return took.Seconds(), nil
}

var exploredStates = regexp.MustCompile(`rework: ([0-9]+) states, ([0-9]+) transitions`)

// explored measures how long the test takes that explores the rules, with all of them in force. It is run in the folder
// of the module.
func explored(ctx context.Context) ([]row, error) {
	test := func(more ...string) ([]byte, error) {
		args := append([]string{"test", "-count=1", "-short", "-v", "-run", "^TestTheRulesExploredWhole$"}, more...)
		return exec.CommandContext(ctx, "go", append(args, "./internal/rules/lifecycle")...).CombinedOutput()
	}
	if out, err := test("-list", "^TestTheRulesExploredWhole$"); err != nil { // compiles it
		return nil, fmt.Errorf("go test: %w: %s", err, out)
	}
	begun := time.Now()
	out, err := test()
	took := time.Since(begun).Seconds()
	found := exploredStates.FindSubmatch(out)
	if err != nil || found == nil {
		return nil, fmt.Errorf("go test: %w: %s", err, out)
	}
	say("explored %s states in %.1f s", found[1], took)
	of := fmt.Sprintf("exploration of the rules, %s states, %s transitions", found[1], found[2])
	return []row{newRow(of, "s", nil, []float64{took}, nil, atMost(60))}, nil
}
