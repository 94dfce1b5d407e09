package guard

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"orchestrator/internal/boundary/shell"
	"orchestrator/internal/rules/boundary"
)

// Times are how long each of a number of rounds took, in microseconds.
type Times struct{ Parsed, Read, Judged []float64 }

// Judging returns how long it takes to parse a command, to read and judge it, and to judge it when it has been read.
// The garbage collector is left out: a hook ends long before its first collection; and so is memory that was never
// touched: each batch fits into what a program begins with, and what the batch before has used stays with the program.
func Judging(command string, rounds int) (t Times) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.KeepAlive(make([]byte, ballast))
	policy := boundary.DefaultPolicy()
	policy.Mode = boundary.Enforce
	call := callOf(command)
	work := []func(){
		func() { _, _ = syntax.NewParser().Parse(strings.NewReader(command), "") },
		func() { boundary.Judge(&policy, callOf(command)) },
		func() { boundary.Judge(&policy, call) },
	}
	for range rounds {
		batches := make([][]float64, len(work))
		for range batchesInRound {
			for i := range work {
				batches[i] = append(batches[i], microsEach(work[i]))
			}
		}
		for i, took := range []*[]float64{&t.Parsed, &t.Read, &t.Judged} {
			*took = append(*took, middle(batches[i]))
		}
	}
	return t
}

// ballast is never touched. Of what a collection frees, the runtime gives back to the system all but a tenth of what is
// in use; with less in use, each batch would begin with some 450 page faults.
const ballast = 64 << 20

// batchesInRound is how many batches are timed in a round.
const batchesInRound = 20

func middle(values []float64) float64 {
	slices.Sort(values)
	return (values[len(values)/2] + values[(len(values)-1)/2]) / 2
}

// microsEach returns how long each call of a batch takes.
func microsEach(work func()) float64 {
	const each = 150
	runtime.GC()
	begun := time.Now()
	for range each {
		work()
	}
	return float64(time.Since(begun).Nanoseconds()) / 1000 / each
}

func callOf(command string) boundary.Call {
	reading := shell.Bash(command)
	call := boundary.Call{Tool: "Bash", IsShell: true, Actor: boundary.Actor{Kind: boundary.Main}, Text: reading.Text,
		Parts: make([]boundary.Part, 0, len(reading.Parts))}
	for _, p := range reading.Parts {
		part := boundary.Part{Words: p.Words, Class: boundary.Class(p.Class), Why: p.Why, Foreign: p.Unknown}
		for _, t := range p.Targets {
			part.Targets = append(part.Targets, boundary.Target{Path: t.Path, Unknown: !t.Known})
		}
		call.Parts = append(call.Parts, part)
	}
	return call
}
