// Package replicas measures the product on PostgreSQL, with one replica and with two, beside floors of the same run.
//
// The floor of a change is a handler that commits the same puts in the same groups through pgx. The product is a
// process, as are the handlers; stores by themselves are measured within this one.
package replicas

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"orchestrator/cmd/bench/http1"
	"orchestrator/cmd/bench/report"
	"orchestrator/internal/ledger/store/pgstore/postgres"
)

// Clients is how many clients load a service, where a row does not say otherwise.
const clients = 64

// requirements is how many requirements a project has.
const requirements = 1000

// connections is how many connections the server takes: a handler of the comparison has as many as it has clients.
const connections = 200

// warmUp is how long each side is loaded before the first round.
const warmUp = 2 * time.Second

// Bench is one run.
type Bench struct {
	Rounds       int
	Round        time.Duration // of one load
	Dir          string        // for projects; the servers lie beside it, where their user can enter
	Binary, Self string        // the product, and the program that serves the handlers
	Say          func(format string, args ...any)
}

// run is a Bench with its server, and what runs on it.
type run struct {
	Bench
	server  *postgres.Server
	started []*service
	schemas int
}

// Rows measures the product beside its floors.
func (b Bench) Rows(ctx context.Context) ([]report.Row, error) {
	return b.with(ctx, (*run).alone, (*run).changes, (*run).reads, (*run).lag, (*run).silence)
}

// with measures parts on one server.
func (b Bench) with(ctx context.Context, parts ...func(*run, context.Context) ([]report.Row, error)) (rows []report.Row,
	err error) {
	server, err := postgres.Start(ctx, filepath.Dir(b.Dir), connections)
	if errors.Is(err, postgres.ErrMissing) {
		return nil, report.Skipped(err.Error())
	}
	if err != nil {
		return nil, err
	}
	r := &run{Bench: b, server: server}
	defer func() { err = errors.Join(err, r.stop(), server.Stop()) }()
	for _, part := range parts {
		some, err := part(r, ctx)
		if rows = append(rows, some...); err != nil {
			return rows, err
		}
		if err := r.stop(); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// stop ends what was started.
func (r *run) stop() error {
	var errs []error
	for _, s := range r.started {
		errs = append(errs, s.Stop())
	}
	r.started = nil
	return errors.Join(errs...)
}

// url returns the URL of a new schema.
func (r *run) url() string {
	r.schemas++
	return fmt.Sprintf("%s&search_path=bench_%d", r.server.URL(""), r.schemas)
}

// target is a service and what is asked of it.
type target struct {
	addr    string
	request func(dst []byte, n int) []byte
}

// side is what is compared: some targets that share the clients.
type side struct {
	name    string
	targets []target
}

// load has clients send requests, each to one target, and returns how many were answered a second.
func load(ctx context.Context, clients int, lasting time.Duration, targets []target) (float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	counts, errs := make([]int, clients), make([]error, clients)
	begun := time.Now()
	var running sync.WaitGroup
	for i := range clients {
		running.Go(func() {
			to := targets[i%len(targets)]
			client := http1.Client{Addr: to.addr, Request: to.request, Class: '2'}
			took, err := client.Run(ctx, i, clients, 1<<40, begun.Add(lasting))
			if counts[i], errs[i] = len(took), err; err != nil {
				cancel()
			}
		})
	}
	running.Wait()
	sum := 0
	for i, n := range counts {
		if sum += n; errs[i] != nil {
			return 0, errs[i]
		}
	}
	return float64(sum) / time.Since(begun).Seconds(), nil
}

// inTurns loads the sides in turns, and returns the rates by side, then by round.
func (r *run) inTurns(ctx context.Context, clients int, sides ...side) ([][]float64, error) {
	rates := make([][]float64, len(sides))
	for round := range r.Rounds + 1 {
		for i, s := range sides {
			lasting := r.Round
			if round == 0 {
				lasting = warmUp
			}
			rate, err := load(ctx, clients, lasting, s.targets)
			if err != nil {
				return nil, fmt.Errorf("%s, c=%d, round %d: %w", s.name, clients, round, err)
			}
			if round > 0 {
				rates[i] = append(rates[i], rate)
				r.Say("round %d/%d  c=%-2d  %-40s %8.0f/s", round, r.Rounds, clients, s.name, rate)
			}
		}
	}
	return rates, nil
}

func atLeast(x float64) *report.Goal { return &report.Goal{AtLeast: x} }
func atMost(x float64) *report.Goal  { return &report.Goal{AtMost: x} }

// over divides round by round.
func over(value, base []float64) (ratios []float64) {
	for i := range value {
		ratios = append(ratios, value[i]/base[i])
	}
	return ratios
}

// rateRow is the row of a comparison of rates.
func rateRow(name string, base, value []float64, g *report.Goal) report.Row {
	return report.NewRow(name, "/s", base, value, over(value, base), g)
}

// p99 returns the time in milliseconds that one of a hundred exceeds.
func p99(times []time.Duration) float64 {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[(len(sorted)-1)*99/100].Seconds() * 1000
}
