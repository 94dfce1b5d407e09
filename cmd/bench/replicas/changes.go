package replicas

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"orchestrator/cmd/bench/baseline"
	"orchestrator/cmd/bench/fixture"
	"orchestrator/cmd/bench/report"
)

// changes compares PATCH with the handlers that put the same, and two replicas with one.
func (r *run) changes(ctx context.Context) ([]report.Row, error) {
	url := r.url()
	one, err := r.replica(ctx, url, nil, "--export-wait=0")
	if err != nil {
		return nil, err
	}
	puts, err := r.puts(ctx, url, one)
	if err != nil {
		return nil, err
	}
	waiting, err := r.replica(ctx, r.url(), nil)
	if err != nil {
		return nil, err
	}
	shared := r.url()
	first, err := r.replica(ctx, shared, nil, "--export-wait=0")
	if err != nil {
		return nil, err
	}
	second, err := r.replica(ctx, shared, first, "--export-wait=0")
	if err != nil {
		return nil, err
	}
	floor, err := r.putter(ctx, baseline.FloorGroup, puts)
	if err != nil {
		return nil, err
	}
	lone, err := r.putter(ctx, baseline.Lone, puts)
	if err != nil {
		return nil, err
	}
	for _, s := range []*service{one, waiting, first} {
		if err := once(ctx, s.patch(), requirements); err != nil { // from now on none grows
			return nil, err
		}
	}
	all, err := r.inTurns(ctx, clients, side{"same puts, same groups", []target{floor.patch()}},
		side{"same puts, a transaction each", []target{lone.patch()}},
		side{"product, export-wait 0", []target{one.patch()}},
		side{"product, default export-wait", []target{waiting.patch()}},
		side{"two replicas, export-wait 0", []target{first.patch(), second.patch()}})
	if err != nil {
		return nil, err
	}
	n, size := sum(puts)
	what := fmt.Sprintf("PATCH on PostgreSQL, %d puts of %d bytes, c=64, ", n, size)
	return []report.Row{
		rateRow(what+"export-wait 0", all[0], all[2], atLeast(0.5)),
		rateRow(what+"default export-wait", all[0], all[3], nil),
		rateRow(what+"export-wait 0, against a transaction for each", all[1], all[2], atLeast(5)),
		rateRow("PATCH at two replicas in sum, c=64, against one", all[2], all[4], atLeast(0.9)),
	}, nil
}

// putter starts a handler that puts the same in a database of its own.
func (r *run) putter(ctx context.Context, kind string, puts []baseline.Put) (*service, error) {
	r.schemas++
	name := fmt.Sprintf("handler_%d", r.schemas)
	if _, err := r.server.SQL(ctx, "", "CREATE DATABASE "+name); err != nil {
		return nil, err
	}
	address := fmt.Sprintf("%s dbname=%s", r.server.Address(clients), name)
	return r.handler(ctx, kind, map[string][]byte{
		baseline.FilePuts: asJSON(puts), baseline.FileDatabase: []byte(address),
	})
}

// puts returns what one change puts into the store, as the database shows it after lone changes of two requirements.
func (r *run) puts(ctx context.Context, url string, s *service) ([]baseline.Put, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	var samples [2][]baseline.Put
	for i := range samples {
		change := func(dst []byte, _ int) []byte { return s.patch().request(dst, i) }
		if err := once(ctx, target{s.Addr, change}, 1); err != nil {
			return nil, err
		}
		rows, err := conn.Query(
			ctx,
			"SELECT tbl, key, value FROM entries WHERE xmin::text = (SELECT xmin::text FROM head)",
		)
		if err != nil {
			return nil, err
		}
		samples[i], err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (p baseline.Put, err error) {
			return p, row.Scan(&p.Table, &p.Key, &p.Value)
		})
		if err != nil {
			return nil, err
		}
	}
	return classified(samples), nil
}

// classified returns the puts of the second of two changes, with whose their keys are.
func classified(samples [2][]baseline.Put) []baseline.Put {
	var puts []baseline.Put
	for _, p := range samples[1] {
		p.Whose = baseline.OfChange
		for _, before := range samples[0] {
			if bytes.Equal(before.Table, p.Table) && bytes.Equal(before.Key, p.Key) {
				p.Whose = baseline.OfAll
			}
		}
		if bytes.Contains(p.Key, []byte(fixture.RequirementID(1))) {
			p.Whose = baseline.OfRequirement
		}
		puts = append(puts, p)
	}
	return puts
}

// sum returns how many puts there are, and of how many bytes.
func sum(puts []baseline.Put) (n, size int) {
	for _, p := range puts {
		size += len(p.Table) + len(p.Key) + len(p.Value)
	}
	return len(puts), size
}
