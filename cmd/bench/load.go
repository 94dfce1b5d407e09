package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"orchestrator/cmd/bench/fixture"
)

// loadClients flood one route with the token of one actor.
const loadClients = 16

// mostAdded is the most MB that a flood of bodies may add to what is resident.
const mostAdded = 256

// loaded measures what floods with the worst bodies, at the default rate limit, do to others: their GET and their
// PATCH, and the memory.
func (b *bench) loaded(ctx context.Context) (rows []row, err error) {
	var gets, patches, added []float64
	for _, w := range fixture.Worsts() {
		get, patch, mb, err := b.besideWorst(ctx, w)
		if err != nil {
			return rows, fmt.Errorf("%s: %w", w.Name, err)
		}
		say("%-34s GET p99 × %6.2f, PATCH p99 × %6.2f, %7.1f MB added", w.Name, get, patch, mb)
		gets, patches, added = append(gets, get), append(patches, patch), append(added, mb)
	}
	largest := func(all []float64) []float64 { return []float64{slices.Max(all)} }
	return []row{
		newRow("another's GET p99 beside the worst body of any route", "x", nil, largest(gets), nil, atMost(3)),
		newRow("another's PATCH p99 beside the worst body of any route", "x", nil, largest(patches), nil, atMost(3)),
		newRow("memory that the worst body of any route adds", "MB", nil, largest(added), nil, atMost(mostAdded)),
	}, nil
}

// besideWorst floods a fresh service with one body.
func (b *bench) besideWorst(ctx context.Context, w fixture.Worst) (get, patch, added float64, err error) {
	dir, err := b.folder("load", patched, shortText)
	if err != nil {
		return 0, 0, 0, err
	}
	s, err := b.product(ctx, dir, "--export-wait=0", "--rate-limit=100", "--rate-burst=200")
	if err != nil {
		return 0, 0, 0, err
	}
	defer func() { err = errors.Join(err, s.stop(), os.RemoveAll(filepath.Join(b.dir, "load"))) }()
	others := func() (getP99, patchP99 float64, err error) {
		g := paced(load{addr: s.addr, clients: 1, request: s.get("architect", "/requirements/"+requirementID(0)),
			lasting: b.round, atMost: unlimited})
		g99, err := g.run(ctx)
		if err != nil {
			return 0, 0, err
		}
		p := paced(load{addr: s.addr, clients: 1, request: s.patch(patched, 1), lasting: b.round, atMost: unlimited})
		p99, err := p.run(ctx)
		return g99, p99, err
	}
	if _, _, err = others(); err != nil { // warm
		return 0, 0, 0, err
	}
	quietGet, quietPatch, err := others()
	if err != nil {
		return 0, 0, 0, err
	}
	before, err := s.memory("VmRSS")
	if err != nil {
		return 0, 0, 0, err
	}
	flooding, stop := context.WithCancel(ctx)
	var clients sync.WaitGroup
	for range loadClients {
		clients.Go(func() { s.insist(flooding, w) })
	}
	time.Sleep(300 * time.Millisecond) // the flood is under way
	get, patch, err = others()
	stop()
	clients.Wait()
	if err != nil {
		return 0, 0, 0, err
	}
	most, err := s.memory("VmHWM")
	return get / quietGet, patch / quietPatch, most - before, err
}

// insist sends a body again and again, at its share of the default rate limit, whatever comes back, until ctx ends.
func (s *server) insist(ctx context.Context, w fixture.Worst) {
	head := fmt.Appendf(nil,
		"%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n",
		w.Method, w.Path, s.addr, s.secret(w.Role), len(w.Body))
	whole := bytes.Join([][]byte{head, w.Body}, nil)
	ticks := time.NewTicker(loadClients * time.Second / 100) // all clients together: the default rate limit
	defer ticks.Stop()
	for ctx.Err() == nil {
		_, _ = fetch(s.addr, whole)
		<-ticks.C
	}
}

// pacing keeps the others below the default rate limit.
const pacing = 12 * time.Millisecond

// pacedLoad is a client that waits between its requests.
type pacedLoad struct{ load }

func paced(l load) pacedLoad { return pacedLoad{l} }

// run returns the p99 in milliseconds.
func (l pacedLoad) run(ctx context.Context) (float64, error) {
	one := l.load
	var all []time.Duration
	end := time.Now().Add(l.lasting)
	for n := 0; time.Now().Before(end) && ctx.Err() == nil; n++ {
		begun := time.Now()
		if _, err := fetch(one.addr, one.request(nil, n)); err != nil {
			return 0, err
		}
		all = append(all, time.Since(begun))
		time.Sleep(pacing)
	}
	if len(all) == 0 {
		return 0, errors.New("no request was answered in time")
	}
	slices.Sort(all)
	return all[len(all)*99/100].Seconds() * 1000, nil
}
