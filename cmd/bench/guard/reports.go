// Package guard measures what guards sessions of agent clients: the judgement on a call, and the reports on a long
// journal.
package guard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// How many decisions, and how many switches of the mode, the journals have that are reported on.
const (
	Calls        = 100_000
	FewSwitches  = 10_000
	ManySwitches = 2 * FewSwitches
)

// Server is the product, started in a folder.
type Server interface {
	Ask(path string) (seconds float64, err error)
	Recorded() (lines float64, err error)
	Resident() (megabytes float64, err error)
	Stop() error
}

// Bench makes what is measured.
type Bench struct {
	Rounds int
	Folder func(name string) (dir string, err error)
	Start  func(ctx context.Context, dir string) (Server, error)
	Say    func(format string, args ...any)
}

// Figures are what reports took, in seconds, by round.
type Figures struct {
	First, Later, Ready []float64 // on a journal of Calls; before each later one came another decision
	Few, Many           []float64 // the first readiness with FewSwitches and as many decisions, and with ManySwitches
	Resident            []float64 // MB, after the reports
}

// Reports measures the report on a long journal, and how readiness grows with the journal.
func (b Bench) Reports(ctx context.Context) (f Figures, err error) {
	if err := b.long(ctx, &f); err != nil {
		return f, err
	}
	for round := range b.Rounds {
		for switches, took := range map[int]*[]float64{FewSwitches: &f.Few, ManySwitches: &f.Many} {
			seconds, err := b.readiness(ctx, fmt.Sprintf("readiness-%d-%d", round, switches), switches)
			if err != nil {
				return f, err
			}
			*took = append(*took, seconds)
		}
		b.Say("round %d/%d  readiness takes %.3f s, and %.3f s of twice the journal", round+1, b.Rounds, f.Few[round],
			f.Many[round])
	}
	return f, nil
}

func (b Bench) long(ctx context.Context, f *Figures) (err error) {
	j, s, err := b.started(ctx, "boundary", Calls, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	ask := func(path string, took *[]float64) {
		seconds, asked := s.Ask(path)
		*took, err = append(*took, seconds), errors.Join(err, asked)
	}
	ask("/boundary/report", &f.First)
	for range b.Rounds {
		err = errors.Join(err, j.call())
		ask("/boundary/report", &f.Later)
		err = errors.Join(err, j.call())
		ask("/boundary/readiness", &f.Ready)
	}
	resident, measured := s.Resident()
	f.Resident = []float64{resident}
	b.Say("the first report took %.3f s, later ones %.3f s", f.First, f.Later)
	return errors.Join(err, measured)
}

// readiness returns how long the first one takes of a journal with so many switches and as many decisions.
func (b Bench) readiness(ctx context.Context, name string, switches int) (seconds float64, err error) {
	_, s, err := b.started(ctx, name, switches, switches)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	return s.Ask("/boundary/readiness")
}

// started starts the product on a journal, and waits until all of it is in the log.
func (b Bench) started(ctx context.Context, name string, calls, switches int) (*journal, Server, error) {
	dir, err := b.Folder(name)
	if err != nil {
		return nil, nil, err
	}
	j := &journal{dir: folder.In(dir), policy: boundary.DefaultPolicy(), at: time.Now().AddDate(0, 0, -journalDays)}
	if _, err := j.dir.Make(j.policy); err != nil {
		return nil, nil, err
	}
	b.Say("writing a journal of %d decisions and %d switches of the mode", calls, switches)
	if err := j.write(calls, switches); err != nil {
		return nil, nil, err
	}
	s, err := b.Start(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	for recorded := 0.0; err == nil && int(recorded) < j.lines; time.Sleep(50 * time.Millisecond) {
		recorded, err = s.Recorded()
		err = errors.Join(err, ctx.Err())
	}
	if err != nil {
		return nil, nil, errors.Join(err, s.Stop())
	}
	return j, s, nil
}
