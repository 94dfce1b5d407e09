package main

import (
	"context"
	"errors"
	"fmt"

	"orchestrator/cmd/bench/looking"
)

// pages measures how soon the pages for people begin to come, against reading the whole state by the API, and how many
// bytes a browser without a cache takes for each.
func (b progress) pages(ctx context.Context) (rows []row, err error) {
	dir, err := b.planned(ctx, "pages")
	if err != nil {
		return nil, err
	}
	s, err := b.product(ctx, dir, "--export-wait=0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	all, err := looking.Rounds(ctx, "http://"+s.addr, s.secret("pm"), b.rounds)
	for _, f := range all {
		name := fmt.Sprintf("first byte of %s, %d requirements, against GET /project", f.Page, started)
		rows = append(rows, newRow(name, "ms", f.Project, f.First, pairwise(f.First, f.Project), nil))
		rows = append(rows, newRow("all that "+f.Page+" loads, packed", "KB", nil, f.KB, nil, atMost(100)))
	}
	return rows, err
}
