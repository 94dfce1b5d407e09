package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"orchestrator/cmd/bench/http1"
)

// request appends the n-th request of a load to dst, whole.
type request func(dst []byte, n int) []byte

// load is a number of clients, each with a connection of its own on which it sends one request after another.
// It ends by time or by count, whichever comes first.
type load struct {
	addr    string
	clients int
	request request
	lasting time.Duration
	atMost  int           // requests in all
	refused bool          // every request is to be refused, with 4xx
	pause   time.Duration // of a client after each answer
}

// result is what became of a load of which every request succeeded.
type result struct {
	requests  int
	took      time.Duration
	latencies []time.Duration // sorted
	cpu       time.Duration   // that the server used
}

func (r result) rate() float64 { return float64(r.requests) / r.took.Seconds() }

// p50 returns the median in milliseconds.
func (r result) p50() float64 { return r.latencies[len(r.latencies)/2].Seconds() * 1000 }

// run fails when any request does: no connection, no answer in time, an answer that is not 2xx (or 4xx).
func (l load) run(ctx context.Context) (result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	latencies, errs := make([][]time.Duration, l.clients), make([]error, l.clients)
	client := http1.Client{Addr: l.addr, Request: l.request, Class: '2', Pause: l.pause}
	if l.refused {
		client.Class = '4'
	}
	start := time.Now()
	var clients sync.WaitGroup
	for i := range l.clients {
		clients.Go(func() {
			latencies[i], errs[i] = client.Run(ctx, i, l.clients, l.atMost, start.Add(l.lasting))
			if errs[i] != nil {
				cancel()
			}
		})
	}
	clients.Wait()
	r := result{took: time.Since(start), latencies: slices.Concat(latencies...)}
	r.requests = len(r.latencies)
	slices.Sort(r.latencies)
	if err := errors.Join(errs...); err != nil {
		return r, err
	}
	if r.requests == 0 {
		return r, errors.New("no request was sent")
	}
	return r, nil
}

// fetch makes one request and returns the body of its answer.
func fetch(addr string, what []byte) ([]byte, error) { return http1.Fetch(addr, what) }
