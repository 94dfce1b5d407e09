package main

import (
	"context"
	"errors"
	"fmt"

	"orchestrator/cmd/bench/fixture"
	"orchestrator/cmd/bench/streams"
)

// floodClients refuse to take no for an answer.
const floodClients = 8

// flooded measures how much longer a change takes while other clients send, as fast as they can, what is refused.
func (b *bench) flooded(ctx context.Context) (rows []row, err error) {
	s, err := b.startPatched(ctx, "flood", "--export-wait=0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	change := load{addr: s.addr, clients: 1, request: s.patch(patched, 1), lasting: warmUp, atMost: unlimited}
	if _, err := change.run(ctx); err != nil {
		return nil, err
	}
	change.lasting = b.round
	var calm, beside, floods []result
	for round := range b.rounds {
		alone, err := change.run(ctx)
		if err != nil {
			return nil, err
		}
		with, flood, err := s.besideFlood(ctx, change)
		if err != nil {
			return nil, err
		}
		calm, beside, floods = append(calm, alone), append(beside, with), append(floods, flood)
		say("round %d/%d  a change takes %.3f ms, and %.3f ms beside %.0f refusals/s", round+1, b.rounds, alone.p50(),
			with.p50(), flood.rate())
	}
	base, value := figures(calm, result.p50), figures(beside, result.p50)
	return []row{
		newRow(fmt.Sprintf("PATCH p50, c=1, beside refusals, c=%d", floodClients), "ms", base, value,
			pairwise(value, base), atMost(5)),
		newRow("the refusals beside it", "/s", nil, figures(floods, result.rate), nil, nil),
	}, nil
}

// besideFlood runs a load while as long a flood of refusals does.
func (s *server) besideFlood(ctx context.Context, change load) (with, flood result, err error) {
	refused := load{addr: s.addr, clients: floodClients, request: s.forbidden(), lasting: change.lasting,
		atMost: unlimited, refused: true}
	var floodErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		flood, floodErr = refused.run(ctx)
	}()
	with, err = change.run(ctx)
	<-done
	return with, flood, errors.Join(err, floodErr, s.calm(ctx))
}

// forbidden returns a PATCH by who may only read.
func (s *server) forbidden() request {
	head := fmt.Sprintf("PATCH /requirements/%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: "+
		"application/json\r\nContent-Length: %d\r\n\r\n",
		requirementID(0), s.addr, s.secret("viewer"), len(fmt.Sprintf(fixture.Change, 0)))
	return func(dst []byte, n int) []byte { return fmt.Appendf(append(dst, head...), fixture.Change, n) }
}

// besideReaders measures a change beside readers of the stream of events.
func besideReaders(b *bench, ctx context.Context) (rows []row, err error) {
	s, err := b.startPatched(ctx, "events", "--export-wait=0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	tokens, err := streams.Tokens(ctx, b.binary, s.dir)
	if err != nil {
		return nil, err
	}
	return streams.Bench{Rounds: b.rounds, Lasting: b.round, Program: b.self, Addr: s.addr, Tokens: tokens, Say: say,
		CPU: s.CPU, Change: s.patch(patched, 1),
		Records: func() (float64, error) { return s.metric("orchestrator_log_records") }}.Rows(ctx)
}
