package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// loadClients flood one route with the token of one actor.
const loadClients = 16

// mostAdded is the most MB that a flood of bodies may add to what is resident.
const mostAdded = 256

// worst is the worst body that is known for a route.
type worst struct {
	name, role, method, path string
	body                     []byte
}

// worsts returns the worst bodies of all routes that take one.
func worsts() []worst {
	const mb = 1 << 20
	fill := func(begin, item, end string, size int) []byte {
		return []byte(begin + strings.Repeat(item+",", (size-len(begin)-len(end)-len(item))/(len(item)+1)) + item + end)
	}
	one := "/requirements/" + requirementID(0)
	unknown := func(size int) []byte {
		var b strings.Builder
		b.WriteString(`{"x":0`)
		for i := 0; b.Len() < size-20; i++ {
			fmt.Fprintf(&b, `,"m%d":0`, i)
		}
		return []byte(b.String() + "}")
	}
	fact := `{"subject":"s","predicate":"p","object":"` + strings.Repeat("o", 900) + `"}`
	return []worst{
		{"PATCH, many values", "viewer", "PATCH", one, fill(`{"pm_notes":[`, "1", "]}", mb)},
		{"PATCH, 15,000 values by its role", "pm", "PATCH", one, fill(`{"pm_notes":[`, "1", "]}", 30_000)},
		{"PATCH, unknown members", "pm", "PATCH", one, unknown(500_000)},
		{"PATCH, one long text", "viewer", "PATCH", one, []byte(`{"pm_notes":[{"text":"` + strings.Repeat("a1B2", mb/4-20) + `"}]}`)},
		{"PATCH, escapes", "viewer", "PATCH", one, []byte(`{"pm_notes":[{"text":"` + strings.Repeat(`\u0041`, mb/6-20) + `"}]}`)},
		{"test report, TAP", "tester", "POST", one + "/test-report", []byte("TAP version 13\n" + strings.Repeat("ok 1 - t\n", 8*mb/9-10))},
		{"test report, JUnit", "tester", "POST", one + "/test-report",
			[]byte("<testsuite>" + strings.Repeat(`<testcase name="t"/>`, 8*mb/20-10) + "</testsuite>")},
		{"test report, CTRF", "tester", "POST", one + "/test-report",
			fill(`{"results":{"tool":{"name":"t"},"tests":[`, `{"name":"t","status":"passed","duration":1}`, `]}}`,
				8*mb-100)},
		{"obligations, many values", "viewer", "POST", "/obligations", fill(`{"obligations":[`, "1", "]}", mb)},
		{"obligations, facts", "coder", "POST", "/obligations",
			fill(`{"obligations":[{"type":"ACHIEVE","payload":{"kind":"ir.assert","facts":[`, fact, `]}}]}`, 900_000)},
		{"obligations, a question", "viewer", "POST", "/obligations",
			[]byte(`{"obligations":[{"type":"REPORT","payload":{"kind":"query.count_letters","letter":"a","text":"` +
				strings.Repeat("a", 15_000) + `"}}]}`)},
		{"requests", "viewer", "POST", "/requests", []byte(`{"utterance":"` + strings.Repeat("what is 2+2; ", mb/13-10) + `"}`)},
		{"drive", "viewer", "POST", "/drive", fill(`{"requirements":[`, `"R"`, `]}`, mb)},
		{"boundary mode", "viewer", "PUT", "/boundary/mode", fill(`{"mode":[`, "1", "]}", mb)},
		{"import", "viewer", "POST", "/project/import", fill(`{"mode":[`, "1", "]}", mb)},
	}
}

// loaded measures what floods with the worst bodies, at the default rate limit, do to others: their GET and their
// PATCH, and the memory.
func (b *bench) loaded(ctx context.Context) (rows []row, err error) {
	var gets, patches, added []float64
	for _, w := range worsts() {
		get, patch, mb, err := b.besideWorst(ctx, w)
		if err != nil {
			return rows, fmt.Errorf("%s: %w", w.name, err)
		}
		say("%-34s GET p99 × %6.2f, PATCH p99 × %6.2f, %7.1f MB added", w.name, get, patch, mb)
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
func (b *bench) besideWorst(ctx context.Context, w worst) (get, patch, added float64, err error) {
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
func (s *server) insist(ctx context.Context, w worst) {
	head := fmt.Appendf(nil,
		"%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n",
		w.method, w.path, s.addr, s.secret(w.role), len(w.body))
	whole := bytes.Join([][]byte{head, w.body}, nil)
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
