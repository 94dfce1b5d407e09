package replicas

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"orchestrator/cmd/bench/report"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore"
	"orchestrator/internal/system/child"
)

// What the ceiling of one log is measured by.
var (
	roundTrips = []time.Duration{0, time.Millisecond, 5 * time.Millisecond}
	waiting    = []int{1, 64, 512} // callers at the same time
)

// logs are how many logs share one server.
var logs = []int{1, 4, 16}

// So many projects are left alone for so long to see what they cost.
const (
	idleProjects = 4
	idle         = 5 * time.Second
)

// Ceiling measures what one log can take by the round trip and by how many updates wait, and what many logs on one
// server cost.
func (b Bench) Ceiling(ctx context.Context) ([]report.Row, error) {
	return b.with(ctx, (*run).trips, (*run).manyLogs, (*run).idleProjects)
}

// trips measures a store behind networks of several lengths.
func (r *run) trips(ctx context.Context) (rows []report.Row, err error) {
	for _, trip := range roundTrips {
		url, done, err := r.network(trip)
		if err != nil {
			return rows, err
		}
		s, err := pgstore.Open(ctx, url, pgstore.Options{})
		if err != nil {
			return rows, errors.Join(err, done())
		}
		some, err := r.callers(ctx, s, trip)
		if rows = append(rows, some...); err != nil {
			return rows, errors.Join(err, s.Close(), done())
		}
		if err := errors.Join(s.Close(), done()); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// network returns the URL of a new schema at the end of a network, and what closes that.
func (r *run) network(trip time.Duration) (url string, done func() error, err error) {
	url = r.url()
	if trip == 0 {
		return url, func() error { return nil }, nil
	}
	p, err := r.server.NewProxy()
	if err != nil {
		return "", nil, err
	}
	p.Delay(trip / 2)
	return fmt.Sprintf("%s&search_path=bench_%d", p.URL(""), r.schemas), p.Close, nil
}

func (r *run) callers(ctx context.Context, s *pgstore.Store, trip time.Duration) (rows []report.Row, err error) {
	var u updater
	for _, c := range waiting {
		var rates, sizes []float64
		for round := range r.Rounds + 1 {
			before := s.Stats()
			rate, err := u.rate(ctx, c, r.Round, s)
			if err != nil {
				return rows, err
			}
			after := s.Stats()
			if round > 0 {
				rates = append(rates, rate)
				sizes = append(sizes, float64(after.Updates-before.Updates)/float64(after.Batches-before.Batches))
			}
		}
		name := fmt.Sprintf("one log, round trip %v more, %d callers", trip, c)
		r.Say("%s: %.0f/s", name, report.Median(rates))
		rows = append(rows, report.NewRow("updates of "+name, "/s", nil, rates, nil, nil),
			report.NewRow("updates in a batch of "+name, "", nil, sizes, nil, nil))
	}
	return rows, nil
}

// openLogs opens so many logs on the server.
func (r *run) openLogs(ctx context.Context, n int) (all []store.Store, done func() error, err error) {
	done = func() error {
		var errs []error
		for _, s := range all {
			errs = append(errs, s.Close())
		}
		return errors.Join(errs...)
	}
	for range n {
		s, err := pgstore.Open(ctx, r.url(), pgstore.Options{})
		if err != nil {
			return nil, nil, errors.Join(err, done())
		}
		all = append(all, s)
	}
	return all, done, nil
}

// manyLogs measures what several logs on one server take in sum.
func (r *run) manyLogs(ctx context.Context) (rows []report.Row, err error) {
	rates := make([][]float64, len(logs))
	for i, n := range logs {
		all, done, err := r.openLogs(ctx, n)
		if err != nil {
			return nil, err
		}
		var u updater
		for round := range r.Rounds + 1 {
			rate, err := u.rate(ctx, clients, r.Round, all...)
			if err != nil {
				return nil, errors.Join(err, done())
			}
			if round > 0 {
				rates[i] = append(rates[i], rate)
			}
		}
		r.Say("%d logs on one server: %.0f/s in sum", n, report.Median(rates[i]))
		if err := done(); err != nil {
			return nil, err
		}
		rows = append(rows, rateRow(fmt.Sprintf("updates of %d logs on one server in sum, c=64, against one log", n),
			rates[0], rates[i], nil))
	}
	return rows, nil
}

// idleProjects measures what projects cost that nobody uses, each with one replica.
func (r *run) idleProjects(ctx context.Context) ([]report.Row, error) {
	before, err := r.cost(ctx)
	if err != nil {
		return nil, err
	}
	for range idleProjects {
		if _, err := r.replica(ctx, r.url(), nil); err != nil {
			return nil, err
		}
	}
	time.Sleep(idle) // the first export and what else follows a start
	begun, err := r.cost(ctx)
	if err != nil {
		return nil, err
	}
	time.Sleep(idle)
	ended, err := r.cost(ctx)
	if err != nil {
		return nil, err
	}
	row := func(name, unit string, sum float64) report.Row {
		return report.NewRow(name+" of an idle project", unit, nil, []float64{sum / idleProjects}, nil, nil)
	}
	perSecond := func(d time.Duration) float64 { return d.Seconds() * 1000 / idle.Seconds() }
	return []report.Row{
		row("connections", "", begun.connections-before.connections),
		row("transactions", "/s", (ended.transactions-begun.transactions)/idle.Seconds()),
		row("processor time of the server", "ms/s", perSecond(ended.processor-begun.processor)),
		row("processor time of the process", "ms/s", perSecond(ended.replicas-begun.replicas)),
		row("memory of the server", "MB", (begun.memory-before.memory)/1e6),
		row("memory of the process", "MB", begun.resident),
		row("disk", "KB", (begun.disk-before.disk)/1e3),
		row("relations", "", begun.relations-before.relations),
	}, nil
}

// cost is what a server has and has done.
type cost struct {
	connections, transactions, disk, relations float64

	processor time.Duration
	memory    float64 // bytes that its processes have for themselves

	replicas time.Duration // processor time
	resident float64       // MB
}

func (r *run) cost(ctx context.Context) (c cost, err error) {
	time.Sleep(time.Second) // what the server counts of a session, it tells after a while
	text, err := r.server.SQL(
		ctx,
		"",
		"SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), "+
			"(SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database), pg_database_size(current_database()), "+
			"(SELECT count(*) FROM pg_class), split_part(pg_read_file('postmaster.pid'), chr(10), 1)",
	)
	if err != nil {
		return c, err
	}
	var numbers []float64
	for column := range strings.SplitSeq(text, "|") {
		n, err := strconv.ParseFloat(column, 64)
		if err != nil {
			return c, err
		}
		numbers = append(numbers, n)
	}
	c.connections, c.transactions, c.disk, c.relations = numbers[0], numbers[1], numbers[2], numbers[3]
	for _, s := range r.started {
		c.replicas += s.CPU()
		megabytes, err := child.Memory(s.Pid(), "VmRSS")
		if err != nil {
			return c, err
		}
		c.resident += megabytes
	}
	return c, c.addProcesses(int(numbers[4]))
}

// addProcesses adds what the processes of the server use.
func (c *cost) addProcesses(first int) error {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, _ := os.ReadFile(path) // a process may have ended
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 13 || fields[1] != strconv.Itoa(first) {
			continue
		}
		for _, field := range fields[11:13] {
			ticks, _ := strconv.Atoi(field)
			c.processor += time.Duration(ticks) * 10 * time.Millisecond
		}
		own, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "smaps_rollup"))
		for line := range strings.Lines(string(own)) {
			if kilobytes, is := strings.CutPrefix(line, "Private_Dirty:"); is {
				n, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(kilobytes), " kB"), 64)
				c.memory += n * 1024
			}
		}
	}
	return err
}
