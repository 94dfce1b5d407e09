package main

import (
	"context"
	"math/rand/v2"
	"time"

	"orchestrator/internal/system/child"
	"orchestrator/internal/system/loopdisk"
)

// How long things last that are not timed on purpose.
const (
	leastLoad    = 50 * time.Millisecond
	killWindow   = 700 * time.Millisecond // the load lasts at most so much longer
	cutWindow    = 1500 * time.Millisecond
	stopPatience = 20 * time.Second // for the service to see a fault, and to end
	nonFatalLoad = time.Second
	calmPatience = 20 * time.Second // for the export to catch up
)

// row is one kind of torture.
type row struct {
	name, what string
	runs       int      // by default
	fresh      int      // a project lives through so many runs
	megabytes  int64    // of its own disk; 0 is none
	padding    int      // bytes that each note has besides its mark
	tools      []string // that it needs, and root with them
	control    bool     // it must lose
	flags      []string // of the service
	mayTear    bool     // the strike may tear an export that was not synced; the next start must write it anew
	strike     func(*run, context.Context) error
}

func rows() []row {
	loop := loopdisk.Needs(loopdisk.Ext4)
	return []row{
		{name: "kill", what: "kill -9 under load", runs: 120, fresh: 20, strike: (*run).kill},
		{name: "cut", what: "power cut (ext4)", runs: 40, fresh: 5, megabytes: 512, tools: append(loop, "xfs_io"), mayTear: true,
			strike: (*run).cut},
		{name: "cut-sync", what: "power cut (ext4), --export-sync", runs: 20, fresh: 5, megabytes: 512,
			tools: append(loop, "xfs_io"), flags: []string{"--export-sync"}, strike: (*run).cut},
		{name: "eio", what: "EIO from the disk", runs: 30, fresh: 10, tools: []string{"strace"}, strike: (*run).fail},
		{name: "full", what: "full disk (ext4)", runs: 6, fresh: 2, megabytes: 256, padding: 1 << 10, tools: loop, strike: (*run).fill},
		{name: "moved", what: "database moved away or replaced", runs: 10, fresh: 5, strike: (*run).move},
		{name: "lie", what: "control: power cut, syncs swallowed", runs: 5, fresh: 1, megabytes: 96, control: true,
			mayTear: true, tools: append(loop, "xfs_io", "strace"), strike: (*run).lie},
	}
}

// lacks returns why a row cannot run here; "" when it can.
func (r row) lacks() string { return child.Lacks(r.tools...) }

// run is one run of a row: a service under load, on which the row strikes.
type run struct {
	*subject
	disk  disk
	rng   *rand.Rand
	tally *tally
	row   row
	load  *load
}

// begin starts the load.
func (r *run) begin() { r.load = startLoad(r.subject, r.rng, r.row.padding) }

// sleep waits for a random part of a window.
func (r *run) sleep(ctx context.Context, window time.Duration) error {
	return pause(ctx, leastLoad+time.Duration(r.rng.Int64N(int64(window))))
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
