package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// scale compares the latency of PATCH among many requirements with that among few.
func (b *bench) scale(ctx context.Context) (rows []row, err error) {
	small, err := b.startScaled(ctx, few)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, small.server.stop()) }()
	large, err := b.startScaled(ctx, many)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, large.server.stop()) }()
	results, err := b.interleave(ctx, 1, small, large)
	if err != nil {
		return nil, err
	}
	base, value := figures(results[0], result.p50), figures(results[1], result.p50)
	return []row{newRow(fmt.Sprintf("PATCH p50, %d against %d requirements, c=1", many, few), "ms", base, value,
		pairwise(value, base), atMost(1.5))}, nil
}

// startScaled starts the product with n requirements, and changes those once that the rounds will change.
func (b *bench) startScaled(ctx context.Context, n int) (side, error) {
	s, err := sizes{b}.startAt(ctx, n, "scale", "--export-wait=0")
	if err != nil {
		return side{}, err
	}
	return side{fmt.Sprintf("product, %d", n), s, s.patch(n, spread(n))}, nil
}

// startUp measures how soon the product answers, and how much memory it then takes.
func (b *bench) startUp(ctx context.Context) (rows []row, err error) {
	dir, err := b.folder("start", started, wholeText)
	if err != nil {
		return nil, err
	}
	say("first start, which imports %d requirements", started)
	first, peak, err := b.startOnce(ctx, dir, func(s *server) (float64, error) { return s.memory("VmHWM") })
	if err != nil {
		return nil, err
	}
	var seconds, resident, highest []float64
	for range b.rounds {
		took, now, err := b.startOnce(ctx, dir, func(s *server) (float64, error) {
			if err := s.traffic(ctx); err != nil {
				return 0, err
			}
			high, err := s.memory("VmHWM")
			highest = append(highest, high)
			return now(s, err)
		})
		if err != nil {
			return nil, err
		}
		seconds, resident = append(seconds, took), append(resident, now)
		say("start %.3f s, then %.1f MB resident, %.1f MB at most", took, now, highest[len(highest)-1])
	}
	info, err := os.Stat(filepath.Join(dir, "project_status.json"))
	if err != nil {
		return nil, err
	}
	limit := 60 + 4*float64(info.Size())/1e6
	of := fmt.Sprintf("%d requirements, export of %.1f MB", started, float64(info.Size())/1e6)
	return []row{
		newRow("start to first 200, "+of, "s", nil, seconds, nil, atMost(1)),
		newRow("first start, with import", "s", nil, []float64{first}, nil, nil),
		newRow("resident memory after traffic", "MB", nil, resident, nil, atMost(limit)),
		newRow("highest resident memory", "MB", nil, highest, nil, atMost(limit)),
		newRow("highest resident memory, first start", "MB", nil, []float64{peak}, nil, nil),
	}, nil
}

// now returns what is resident.
func now(s *server, err error) (float64, error) {
	if err != nil {
		return 0, err
	}
	return s.memory("VmRSS")
}

// startOnce starts the product, takes a measure and ends it.
func (b *bench) startOnce(ctx context.Context, dir string,
	measure func(*server) (float64, error)) (seconds, measured float64, err error) {
	s, err := b.product(ctx, dir)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	measured, err = measure(s)
	return s.ready.Seconds(), measured, err
}

// traffic makes some of every request.
func (s *server) traffic(ctx context.Context) error {
	if err := s.once(ctx, s.get("viewer", "/requirements/"+requirementID(1)), 2_000); err != nil {
		return err
	}
	if err := s.once(ctx, s.patch(started, started/patched), patched); err != nil {
		return err
	}
	time.Sleep(500 * time.Millisecond)
	return s.calm(ctx)
}
