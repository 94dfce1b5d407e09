package replicas

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"orchestrator/cmd/bench/baseline"
	"orchestrator/cmd/bench/fixture"
	"orchestrator/cmd/bench/http1"
	"orchestrator/cmd/bench/report"
)

// reads compares GET of a service that asks the database with one that answers from memory.
func (r *run) reads(ctx context.Context) ([]report.Row, error) {
	path := "/requirements/" + fixture.RequirementID(requirements/2)
	memory, err := r.replica(ctx, "", nil)
	if err != nil {
		return nil, err
	}
	asking, err := r.replica(ctx, r.url(), nil)
	if err != nil {
		return nil, err
	}
	stale, err := r.replica(ctx, r.url(), nil, "--stale-reads=1s")
	if err != nil {
		return nil, err
	}
	body, err := http1.Fetch(memory.Addr, memory.get(path).request(nil, 0))
	if err != nil {
		return nil, err
	}
	handler, err := r.handler(ctx, baseline.FloorGet, map[string][]byte{baseline.FileRequirement: body})
	if err != nil {
		return nil, err
	}
	all, err := r.inTurns(ctx, clients, side{"handler that returns the same bytes", []target{handler.get(path)}},
		side{"product on a file, from memory", []target{memory.get(path)}},
		side{"product that asks the head", []target{asking.get(path)}},
		side{"product with stale reads", []target{stale.get(path)}})
	if err != nil {
		return nil, err
	}
	return []report.Row{
		rateRow("GET that asks the head, c=64, against one from memory", all[1], all[2], atLeast(0.6)),
		rateRow("GET with --stale-reads 1s, c=64, against one from memory", all[1], all[3], atLeast(0.9)),
		rateRow("GET that asks the head, c=64, against a handler", all[0], all[2], nil),
		rateRow("GET with --stale-reads 1s, c=64, against a handler", all[0], all[3], nil),
	}, nil
}

// The load beside which the lag is measured: about a thousand changes a second.
const (
	lagClients = 8
	lagPause   = 7 * time.Millisecond
)

// lag measures how long after the answer of one replica the other one shows a change.
func (r *run) lag(ctx context.Context) ([]report.Row, error) {
	url := r.url()
	one, err := r.replica(ctx, url, nil, "--export-wait=0")
	if err != nil {
		return nil, err
	}
	other, err := r.replica(ctx, url, one, "--stale-reads=1s")
	if err != nil {
		return nil, err
	}
	loading, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	errs := make([]error, lagClients)
	for i := range lagClients {
		running.Go(func() {
			client := http1.Client{Addr: one.Addr, Request: one.patch().request, Class: '2', Pause: lagPause}
			_, errs[i] = client.Run(loading, i, lagClients, 1<<40, time.Now().Add(time.Hour))
		})
	}
	var slowest []float64
	for round := range r.Rounds + 1 {
		took, err := r.follow(ctx, one, other)
		if err != nil {
			stop()
			running.Wait()
			return nil, err
		}
		r.Say("round %d/%d  a change is shown elsewhere after %.2f ms at p99", round, r.Rounds, p99(took))
		if round > 0 {
			slowest = append(slowest, p99(took))
		}
	}
	stop()
	running.Wait()
	return []report.Row{
			report.NewRow("until the other replica shows a change, p99, beside 1,000 changes a second", "ms", nil,
				slowest, nil, atMost(5)),
		}, errors.Join(
			errs...)
}

// follow makes changes at one replica, and returns how long the other one took to show each.
func (r *run) follow(ctx context.Context, one, other *service) (took []time.Duration, err error) {
	client := &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	path := "/requirements/" + fixture.RequirementID(0)
	for end, n := time.Now().Add(r.Round), 0; time.Now().Before(end); n++ {
		changed, err := ask(ctx, client, http.MethodPatch, one, "coder", path, fmt.Sprintf(fixture.Change, n))
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(strings.TrimPrefix(changed.Get("Audit-Receipt"), "size="), ",")
		begun := time.Now()
		if _, err := ask(ctx, client, http.MethodGet, other, "viewer", path, "", "If-Log-At-Least", size); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begun))
	}
	return took, nil
}

// ask makes one request, and returns the headers of its answer.
func ask(ctx context.Context, client *http.Client, method string, s *service, role, path, body string,
	headers ...string) (http.Header, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+s.Addr+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.secret(role))
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: status %s", method, path, answer.Status)
	}
	return answer.Header, nil
}
