package main

import (
	"context"
	"errors"
	"fmt"
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

// starting is a project whose starts are measured, with its goals.
type starting struct {
	requirements, text int // how many, and bytes of text of each

	ready, importing  *goal // seconds: to the first answer, and of processor time of the start that imports
	resident, highest *goal // MB after traffic
}

var startings = []starting{
	{started, wholeText, atMost(0.5), atMost(1), atMost(80), atMost(110)},
	{many, middleText, atMost(3), atMost(8), nil, nil},
}

// startUp measures how soon the product answers, and how much memory it then takes.
func (b *bench) startUp(ctx context.Context) (rows []row, err error) {
	for _, of := range startings {
		more, err := of.measure(ctx, b)
		if rows = append(rows, more...); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

func (of starting) measure(ctx context.Context, b *bench) ([]row, error) {
	dir, err := b.folder(fmt.Sprint("start-", of.requirements), of.requirements, of.text)
	if err != nil {
		return nil, err
	}
	say("first start, which imports %d requirements", of.requirements)
	var imported float64
	first, peak, err := b.startOnce(ctx, dir, func(s *server) (float64, error) {
		imported = s.CPU().Seconds()
		return s.memory("VmHWM")
	})
	var seconds, resident, highest []float64
	for n := 0; n < b.rounds && err == nil; n++ {
		var took, left float64
		took, left, err = b.startOnce(ctx, dir, func(s *server) (float64, error) {
			err := s.traffic(ctx, of.requirements)
			high, unread := s.memory("VmHWM")
			resident, failed := s.memory("VmRSS")
			highest = append(highest, high)
			return resident, errors.Join(err, unread, failed)
		})
		seconds, resident = append(seconds, took), append(resident, left)
	}
	if err != nil {
		return nil, err
	}
	among := fmt.Sprintf(", %d requirements", of.requirements)
	return []row{
		newRow("start to first 200"+among, "s", nil, seconds, nil, of.ready),
		newRow("first start, with import"+among, "s", nil, []float64{first}, nil, of.importing),
		newRow("processor time of the first start"+among, "s", nil, []float64{imported}, nil, nil),
		newRow("resident memory after traffic"+among, "MB", nil, resident, nil, of.resident),
		newRow("highest resident memory"+among, "MB", nil, highest, nil, of.highest),
		newRow("highest resident memory, first start"+among, "MB", nil, []float64{peak}, nil, nil),
	}, nil
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

// traffic makes some of every request, among so many requirements.
func (s *server) traffic(ctx context.Context, requirements int) error {
	if err := s.once(ctx, s.get("viewer", "/requirements/"+requirementID(1)), 2_000); err != nil {
		return err
	}
	if err := s.once(ctx, s.patch(requirements, requirements/patched), patched); err != nil {
		return err
	}
	time.Sleep(500 * time.Millisecond)
	return s.calm(ctx)
}
