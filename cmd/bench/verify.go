package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"orchestrator/internal/datadir"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
)

// shortLog is how many records the log has that a long one is compared with.
const shortLog = 1000

// The goals for a log of a million records on two processors.
const (
	million        = 1_000_000
	verifySeconds  = 60
	verifyMegabyte = 350
)

// logs measures what the length of a log costs: one more change at its end, and its verification, in the database and
// in a bundle. The floor of verification reads every record, hashes it and computes the tree, and decides nothing.
func (b *bench) logs(ctx context.Context) (rows []row, err error) {
	dir, err := b.folderOf("log", nil)
	if err != nil {
		return nil, err
	}
	appended, err := b.appends(ctx, dir)
	if err != nil {
		return nil, err
	}
	if _, err := b.timed(ctx, dir, "audit", "bundle", "--data", ".", "-o", "log.zip"); err != nil {
		return nil, err
	}
	checks := []struct {
		name    string
		command []string
		costs   []cost
	}{
		{"", []string{b.self, floorVerify}, nil},
		{"the database", []string{b.binary, "verify", "--data", ".", "--export", "none.json"}, nil},
		{"a bundle", []string{b.binary, "audit", "verify", "log.zip"}, nil},
	}
	for round := range b.rounds {
		for i := range checks {
			c, err := timedCommand(ctx, dir, checks[i].command...)
			if err != nil {
				return nil, err
			}
			checks[i].costs = append(checks[i].costs, c)
			say("round %d/%d  %-60.60s %.2f s, CPU %.2f s, %.0f MB", round+1, b.rounds,
				fmt.Sprint(checks[i].command[1:]), c.seconds, c.cpu, c.peak)
		}
	}
	rows = append(rows, appended)
	floor := column(checks[0].costs, cost.wall)
	for _, c := range checks[1:] {
		took := column(c.costs, cost.wall)
		of := fmt.Sprintf(" of %s of %d records", c.name, b.log)
		rows = append(rows,
			newRow("verification"+of+" against its hashes alone", "s", floor, took, pairwise(took, floor), atMost(6)),
			newRow("verification"+of, "s", nil, took, nil, b.ofMillion(verifySeconds)),
			newRow("highest resident memory of verification"+of, "MB", nil, column(c.costs, cost.memory), nil,
				b.ofMillion(verifyMegabyte)))
	}
	return rows, nil
}

// ofMillion returns a goal that stands for a log of a million records alone.
func (b *bench) ofMillion(most float64) *goal {
	if b.log != million {
		return nil
	}
	return atMost(most)
}

func column(costs []cost, of func(cost) float64) []float64 {
	var values []float64
	for _, c := range costs {
		values = append(values, of(c))
	}
	return values
}

// appends makes the log in dir, and compares a change at its end with one at the end of a short log
// of as many requirements.
func (b *bench) appends(ctx context.Context, dir string) (r row, err error) {
	other, err := b.folderOf("short-log", nil)
	if err != nil {
		return r, err
	}
	short, err := grown(ctx, other, shortLog, requirementsFor(b.log))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, short.close()) }()
	say("making a log of %d records", b.log)
	long, err := grown(ctx, dir, b.log, requirementsFor(b.log))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, long.close()) }()
	var base, value []float64
	for round := range b.rounds + 1 {
		atShort, atLong, err := byTurns(ctx, short, long)
		if err != nil {
			return r, err
		}
		if round == 0 {
			continue // to warm up
		}
		say("round %d/%d  a change after %d records %.3f ms, after %d %.3f ms", round, b.rounds, shortLog, atShort,
			b.log, atLong)
		base, value = append(base, atShort), append(value, atLong)
	}
	return newRow(fmt.Sprintf("one change after %d records against %d", b.log, shortLog), "ms", base, value,
		pairwise(value, base), atMost(1.25)), nil
}

func grown(ctx context.Context, dir string, records, requirements int) (*history, error) {
	h, err := newHistory(ctx, dir, requirements)
	if err != nil {
		return nil, err
	}
	if err := h.grow(ctx, uint64(records)); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

// atEnd is how many changes a round makes at the end of each log.
const atEnd = 300

// byTurns returns the median time of a change at the end of each of two logs, in milliseconds.
func byTurns(ctx context.Context, one, other *history) (a, b float64, err error) {
	var took [2][]float64
	for n := range atEnd {
		for i, h := range []*history{one, other} {
			begun := time.Now()
			if err := h.change(ctx, n); err != nil {
				return 0, 0, err
			}
			took[i] = append(took[i], time.Since(begun).Seconds()*1000)
		}
	}
	return median(took[0]), median(took[1]), nil
}

// readHashes measures the floor of verification: it reads the log in the current folder, and computes its tree.
func readHashes(ctx context.Context) error {
	db, err := boltstore.Open(datadir.Dir(".").Database(), boltstore.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	var head audit.Head
	err = db.View(ctx, func(r store.Reader) error {
		return r.Scan("audit", "", "", func(_ string, row []byte) (err error) {
			head, _, err = head.Seal(ledger.RecordOf(row), head.At)
			return err
		})
	})
	fmt.Fprintln(os.Stdout, head.Size, head.Root)
	return errors.Join(err, db.Close())
}
