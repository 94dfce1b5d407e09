package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A lone change is sent so long after the answer to the last one that it finds the service at rest. One round has so
// many.
const (
	lonePause   = 50 * time.Millisecond
	loneChanges = 60
)

// sizes measures how the product depends on the number of requirements.
type sizes struct{ *bench }

// sizedFigures are what was measured with one number of requirements, by round.
type sizedFigures struct {
	lone, loneNow []float64 // p50 of a lone change in ms, by default and with --export-wait 0
	get           []float64 // p50 of a GET in ms
	ready         []float64 // start to first 200 in s
	resident      []float64 // memory in MB
}

// lone compares the latency of lone changes by default with that of changes that wait for no export.
func (b sizes) lone(ctx context.Context) (rows []row, err error) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		f, err := b.at(ctx, n)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("lone PATCH p50, default against export-wait 0, %d requirements", n)
		rows = append(rows, newRow(name, "ms", f.loneNow, f.lone, pairwise(f.lone, f.loneNow), atMost(3)))
	}
	return rows, nil
}

// at returns the figures for n requirements, which are measured once.
func (b sizes) at(ctx context.Context, n int) (*sizedFigures, error) {
	if f := b.sized[n]; f != nil {
		return f, nil
	}
	f := &sizedFigures{}
	dir, err := b.measureAt(ctx, n, f)
	if err == nil {
		err = b.restartAt(ctx, dir, f)
	}
	if err != nil {
		return nil, fmt.Errorf("%d requirements: %w", n, err)
	}
	b.sized[n] = f
	return f, nil
}

// measureAt measures requests to two services in turns, and returns the folder of the one with default settings.
func (b sizes) measureAt(ctx context.Context, n int, f *sizedFigures) (dir string, err error) {
	usual, err := b.startAt(ctx, n, "sized")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, usual.stop()) }()
	now, err := b.startAt(ctx, n, "sized-0", "--export-wait=0")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, now.stop()) }()
	for round := range b.rounds {
		for _, side := range []struct {
			server *server
			p50    *[]float64
		}{{now, &f.loneNow}, {usual, &f.lone}} {
			r, err := side.server.loneChanges(ctx, n)
			if err != nil {
				return "", err
			}
			*side.p50 = append(*side.p50, r.p50())
		}
		r, err := load{addr: usual.addr, clients: 1, request: usual.get("viewer", "/requirements/"+requirementID(n/2)),
			lasting: b.round / 3, atMost: unlimited}.run(ctx)
		if err != nil {
			return "", err
		}
		resident, err := usual.memory("VmRSS")
		if err != nil {
			return "", err
		}
		f.get, f.resident = append(f.get, r.p50()), append(f.resident, resident)
		say("round %d/%d  %d requirements  lone PATCH %.3f ms, with export-wait 0 %.3f ms; GET %.3f ms; %.0f MB",
			round+1, b.rounds, n, f.lone[round], f.loneNow[round], r.p50(), resident)
	}
	return usual.dir, nil
}

// startAt starts the product with n requirements, and changes those once that the rounds will change.
func (b sizes) startAt(ctx context.Context, n int, name string, flags ...string) (*server, error) {
	dir, err := b.folder(fmt.Sprint(name, "-", n), n, shortText)
	if err != nil {
		return nil, err
	}
	say("importing %d requirements", n)
	s, err := b.product(ctx, dir, flags...)
	if err != nil {
		return nil, err
	}
	if err := s.once(ctx, s.patch(n, spread(n)), min(n, patched)); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// spread returns how far apart those of n requirements stand that are changed.
func spread(n int) int { return max(1, n/patched) }

// loneChanges sends changes one at a time, with a pause after each, and waits for the export.
func (s *server) loneChanges(ctx context.Context, n int) (result, error) {
	r, err := load{addr: s.addr, clients: 1, request: s.patch(n, spread(n)), lasting: time.Minute, atMost: loneChanges,
		pause: lonePause}.run(ctx)
	return r, errors.Join(err, s.calm(ctx))
}

// restartAt measures how soon the product answers that starts again in dir.
func (b sizes) restartAt(ctx context.Context, dir string, f *sizedFigures) error {
	for range b.rounds {
		s, err := b.product(ctx, dir)
		if err != nil {
			return err
		}
		f.ready = append(f.ready, s.ready.Seconds())
		if err := s.stop(); err != nil {
			return err
		}
	}
	say("starts in %.3f s", median(f.ready))
	return nil
}
