package main

import (
	"context"
	"errors"
	"fmt"

	"orchestrator/cmd/bench/fixture"
)

// progressing measures how long it takes to tell how n requirements get on, each of which was planned: the first time
// after a start, and after one change.
func (b *bench) progressing(ctx context.Context) (rows []row, err error) {
	dir, err := b.folder("progress", started, shortText)
	if err != nil {
		return nil, err
	}
	var first, later []float64
	for round := range b.rounds {
		cold, warm, err := b.progressRound(ctx, dir, round)
		if err != nil {
			return nil, err
		}
		first, later = append(first, cold), append(later, warm)
		say("told progress in %.3f s, after a change in %.4f s", cold, warm)
	}
	of := fmt.Sprintf(" of %d requirements", started)
	return []row{
		newRow("progress"+of+", the first time after a start", "s", nil, first, nil, atMost(0.6)),
		newRow("progress"+of+", after one change", "s", nil, later, nil, atMost(0.015)),
	}, nil
}

func (b *bench) progressRound(ctx context.Context, dir string, round int) (first, later float64, err error) {
	s, err := b.product(ctx, dir, "--export-wait=0")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if round == 0 {
		say("planning %d requirements", started)
		if err := s.once(ctx, s.move("planned", 0), started); err != nil {
			return 0, 0, err
		}
	}
	if first, err = s.ask("/project/progress", started); err != nil {
		return 0, 0, err
	}
	if err := s.once(ctx, s.move("design_in_progress", round), 1); err != nil {
		return 0, 0, err
	}
	later, err = s.ask("/project/progress", started)
	return first, later, err
}

// move returns a PATCH by the pm of one requirement after the other, from one on.
func (s *server) move(to string, from int) request {
	head := fmt.Sprintf("HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n", s.addr, s.secret("pm"))
	move := fixture.Step{Change: fixture.To(to)}
	return func(dst []byte, n int) []byte {
		body := move.Body(from+n, 0)
		return fmt.Appendf(dst, "PATCH /requirements/%s %sContent-Length: %d\r\n\r\n%s", requirementID(from+n), head, len(body), body)
	}
}
