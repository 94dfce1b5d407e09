package main

import (
	"context"
	"errors"
	"fmt"

	"orchestrator/cmd/bench/fixture"
)

// progress measures how long it takes to tell how requirements get on.
type progress struct{ *bench }

// rows tells it of requirements that were planned: the first time after a start, and after one change.
func (b progress) rows(ctx context.Context) ([]row, error) {
	dir, err := b.planned(ctx, "progress")
	if err != nil {
		return nil, err
	}
	var first, later []float64
	for n := range b.rounds {
		cold, warm, err := b.told(ctx, dir, n)
		if err != nil {
			return nil, err
		}
		first, later = append(first, cold), append(later, 1e3*warm)
		say("told progress in %.3f s, after a change in %.4f s", cold, warm)
	}
	return []row{
		newRow(fmt.Sprintf("progress, %d requirements", started), "s", nil, first, nil, atMost(0.6)),
		newRow("progress after a change", "ms", nil, later, nil, atMost(15)),
	}, nil
}

// planned returns a folder in which the pm has planned all requirements.
func (b progress) planned(ctx context.Context, name string) (dir string, err error) {
	if dir, err = b.folder(name, started, shortText); err != nil {
		return "", err
	}
	s, err := b.product(ctx, dir, "--export-wait=0")
	if err != nil {
		return "", err
	}
	return dir, errors.Join(s.once(ctx, s.move("planned", 0), started), s.stop())
}

// told starts the product, and asks for progress twice: a requirement moves in between.
func (b progress) told(ctx context.Context, dir string, n int) (first, later float64, err error) {
	s, err := b.product(ctx, dir, "--export-wait=0")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if first, err = s.ask("/project/progress", started); err != nil {
		return 0, 0, err
	}
	if err := s.once(ctx, s.move("design_in_progress", n), 1); err != nil {
		return 0, 0, err
	}
	later, err = s.ask("/project/progress", started)
	return first, later, err
}

// move returns a PATCH by the pm of one requirement after the other, from one on.
func (s *server) move(to string, from int) request {
	move := fixture.Step{Change: fixture.To(to)}
	return func(dst []byte, n int) []byte { return s.patchOne(dst, "pm", from+n, move.Body(from+n, 0)) }
}
