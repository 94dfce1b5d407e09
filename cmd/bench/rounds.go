package main

import (
	"context"
	"fmt"
	"time"
)

// warmUp is how long each side is loaded before the first round.
const warmUp = 500 * time.Millisecond

// unlimited is more requests than any round can hold.
const unlimited = 10_000_000

// side is one of the servers that are compared, and what is asked of it.
type side struct {
	name    string
	server  *server
	request request
}

// interleave loads the sides in turns, rounds times. The results stand by side, then by round.
func (b *bench) interleave(ctx context.Context, clients int, sides ...side) ([][]result, error) {
	results := make([][]result, len(sides))
	for round := range b.rounds + 1 {
		for i, s := range sides {
			lasting := b.round
			if round == 0 {
				lasting = warmUp
			}
			r, err := s.load(ctx, clients, lasting)
			if err != nil {
				return nil, fmt.Errorf("%s, c=%d, round %d: %w", s.name, clients, round, err)
			}
			if round > 0 {
				results[i] = append(results[i], r)
				say("round %d/%d  c=%-2d  %-24s %8.0f/s  p50 %.3f ms  server CPU %.0f us", round, b.rounds, clients,
					s.name,
					r.rate(), r.p50(), float64(r.cpu.Microseconds())/float64(r.requests))
			}
		}
	}
	return results, nil
}

func (s side) load(ctx context.Context, clients int, lasting time.Duration) (result, error) {
	cpu := s.server.CPU()
	r, err := load{addr: s.server.addr, clients: clients, request: s.request, lasting: lasting,
		atMost: unlimited}.run(ctx)
	r.cpu = s.server.CPU() - cpu
	if err == nil {
		err = s.server.calm(ctx)
	}
	return r, err
}

// once sends each of n requests once.
func (s *server) once(ctx context.Context, what request, n int) error {
	_, err := load{addr: s.addr, clients: min(16, n), request: what, lasting: time.Minute, atMost: n}.run(ctx)
	if err == nil {
		err = s.calm(ctx)
	}
	return err
}

// figures takes one number out of every result.
func figures(results []result, of func(result) float64) []float64 {
	var all []float64
	for _, r := range results {
		all = append(all, of(r))
	}
	return all
}

// pairwise divides the figures of the same round.
func pairwise(over, under []float64) []float64 {
	ratios := make([]float64, len(over))
	for i := range over {
		ratios[i] = over[i] / under[i]
	}
	return ratios
}
