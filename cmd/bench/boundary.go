package main

import (
	"context"
	"fmt"
	"time"

	"orchestrator/cmd/bench/guard"
)

// guarded is the product as it is asked about its boundary.
type guarded struct{ *server }

func (g guarded) Ask(path string) (float64, error) {
	begun := time.Now()
	_, err := fetch(g.addr, g.get("viewer", path)(nil, 0))
	return time.Since(begun).Seconds(), err
}

func (g guarded) Recorded() (float64, error) {
	return g.metric("orchestrator_boundary_lines_recorded_total")
}
func (g guarded) Resident() (float64, error) { return g.memory("VmRSS") }

// guardedReports measures the boundary's reports on a long journal.
func guardedReports(b *bench, ctx context.Context) ([]row, error) {
	f, err := guard.Bench{
		Rounds: b.rounds, Say: say,
		Folder: func(name string) (string, error) { return b.folder(name, 1, shortText) },
		Start: func(ctx context.Context, dir string) (guard.Server, error) {
			s, err := b.product(ctx, dir, "--export-wait=0")
			return guarded{s}, err
		},
	}.Reports(ctx)
	if err != nil {
		return nil, err
	}
	of, ratio := fmt.Sprintf(" of the boundary, %d decisions", guard.Calls), pairwise(f.Many, f.Few)
	return []row{
		newRow("first report"+of, "s", nil, f.First, nil, nil),
		newRow("later reports"+of+", one of them new", "s", nil, f.Later, nil, atMost(0.3)),
		newRow("later readiness"+of+", one of them new", "s", nil, f.Ready, nil, atMost(0.3)),
		newRow("resident memory after reports"+of, "MB", nil, f.Resident, nil, nil),
		newRow("first readiness, twice the decisions and switches of the mode", "s", f.Few, f.Many, ratio, atMost(2.5)),
	}, nil
}
