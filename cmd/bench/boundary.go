package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"orchestrator/internal/boundary/folder"
	guarding "orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
)

// How many decisions, and how many switches of the mode, the journals have that are reported on.
const (
	guardedCalls = 100_000
	fewSwitches  = 10_000
	manySwitches = 2 * fewSwitches
)

// guarded measures the boundary's reports.
type guarded struct{ *bench }

// rows measures the report on a long journal, the first and later ones with another decision before each; and how
// readiness grows with the journal.
func (b guarded) rows(ctx context.Context) (rows []row, err error) {
	rows, err = b.reportOn(ctx)
	if err != nil {
		return nil, err
	}
	var few, many []float64
	for round := range b.rounds {
		for _, of := range []struct {
			switches int
			took     *[]float64
		}{{fewSwitches, &few}, {manySwitches, &many}} {
			took, err := b.readinessOf(ctx, fmt.Sprintf("readiness-%d-%d", round, of.switches), of.switches)
			if err != nil {
				return nil, err
			}
			*of.took = append(*of.took, took)
		}
		say("round %d/%d  readiness takes %.3f s, and %.3f s of twice the journal", round+1, b.rounds, few[round],
			many[round])
	}
	name := fmt.Sprintf("first readiness, %d switches and decisions against %d", manySwitches, fewSwitches)
	return append(rows, newRow(name, "s", few, many, pairwise(many, few), atMost(2.5))), nil
}

// reportOn measures the reports on a long journal.
func (b guarded) reportOn(ctx context.Context) (rows []row, err error) {
	j, s, err := b.start(ctx, "boundary", guardedCalls, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	before, err := s.memory("VmRSS")
	if err != nil {
		return nil, err
	}
	var later, ready []float64
	first, err := s.ask("/boundary/report")
	for range b.rounds {
		for path, took := range map[string]*[]float64{"/boundary/report": &later, "/boundary/readiness": &ready} {
			if err == nil {
				err = j.call()
			}
			seconds, asked := s.ask(path)
			err = errors.Join(err, asked)
			*took = append(*took, seconds)
		}
	}
	if err != nil {
		return nil, err
	}
	after, err := s.memory("VmRSS")
	say("the first report took %.3f s, later ones %.3f s; %.0f MB before, %.0f MB after", first, median(later), before,
		after)
	of := fmt.Sprintf(" of the boundary, %d decisions", guardedCalls)
	return []row{
		newRow("first report"+of, "s", nil, []float64{first}, nil, nil),
		newRow("later reports"+of+", one of them new", "s", nil, later, nil, atMost(0.3)),
		newRow("later readiness"+of+", one of them new", "s", nil, ready, nil, atMost(0.3)),
		newRow("resident memory after reports"+of, "MB", nil, []float64{after}, nil, nil),
	}, err
}

// readinessOf returns how long the first readiness takes of a journal with so many switches and as many decisions.
func (b guarded) readinessOf(ctx context.Context, name string, switches int) (took float64, err error) {
	_, s, err := b.start(ctx, name, switches, switches)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	return s.ask("/boundary/readiness")
}

// start starts the product on a journal, and waits until all of it is in the log.
func (b guarded) start(ctx context.Context, name string, calls, switches int) (*journal, *server, error) {
	dir, err := b.folder(name, 1, shortText)
	if err != nil {
		return nil, nil, err
	}
	j := &journal{dir: folder.In(dir), policy: boundary.DefaultPolicy(), at: time.Now().AddDate(0, 0, -journalDays)}
	if _, err := j.dir.Make(j.policy); err != nil {
		return nil, nil, err
	}
	say("writing a journal of %d decisions and %d switches of the mode", calls, switches)
	if err := j.write(calls, switches); err != nil {
		return nil, nil, err
	}
	s, err := b.product(ctx, dir, "--export-wait=0")
	if err != nil {
		return nil, nil, err
	}
	for recorded := 0.0; err == nil && int(recorded) < j.lines; time.Sleep(50 * time.Millisecond) {
		recorded, err = s.metric("orchestrator_boundary_lines_recorded_total")
		err = errors.Join(err, ctx.Err())
	}
	if err != nil {
		return nil, nil, errors.Join(err, s.stop())
	}
	return j, s, nil
}

// ask returns how long an answer takes, in seconds.
func (s *server) ask(path string) (seconds float64, err error) {
	begun := time.Now()
	_, err = fetch(s.addr, s.get("viewer", path)(nil, 0))
	return time.Since(begun).Seconds(), err
}

// journalDays is how many days a journal spans.
const journalDays = 30

// journal is one that is written as hooks write it.
type journal struct {
	dir    folder.Dir
	policy boundary.Policy
	at     time.Time     // of the next line
	step   time.Duration // between two calls
	lines  int
	calls  int
	judged string // id of the last decision
}

// write writes calls and switches in turns, and of every hundredth call what a person says of it.
func (j *journal) write(calls, switches int) error {
	j.step = journalDays * 24 * time.Hour / time.Duration(calls+1)
	modes := []boundary.Mode{boundary.Validate, boundary.Enforce, boundary.Confirm, boundary.Enforce}
	for n := range calls {
		if done := n * switches / calls; n == 0 || done != (n-1)*switches/calls {
			from := j.policy.Mode
			j.policy.Mode = modes[done%len(modes)]
			if err := j.add(folder.Line{Kind: folder.KindMode, Mode: j.policy.Mode, From: from, By: "local:ada",
				Reason: "as agreed"}); err != nil {
				return err
			}
		}
		if err := j.call(); err != nil {
			return err
		}
		if n%100 == 0 {
			if err := j.add(folder.Line{Kind: folder.KindLabel, Of: j.judged, By: "local:ada",
				What: guarding.LabelCorrect}); err != nil {
				return err
			}
		}
	}
	return nil
}

// perSession is how many calls a session has.
const perSession = 60

// call writes the decision on the next call, and its outcome if it ran. Of four calls the main session makes one, and
// agents the others.
func (j *journal) call() error {
	n := j.calls
	j.calls++
	j.at = j.at.Add(j.step)
	l := folder.Line{
		Kind: folder.KindDecision, Client: "claude", Session: fmt.Sprintf("5f0c2c51-7d0e-4a44-9d3e-%012x", n/perSession),
		ToolUseID: fmt.Sprintf("toolu_01%022x", n), Mode: j.policy.Mode, Actor: &boundary.Actor{Kind: boundary.Main},
		Micros: int64(900 + n%700),
	}
	if n%4 != 0 {
		l.Actor = &boundary.Actor{Kind: boundary.Agent, ID: fmt.Sprintf("a%06x", n/12), Type: "general-purpose"}
	}
	file := fmt.Sprintf("internal/part%d/file%d.go", n%17, n*7919%2000)
	switch n % 5 {
	case 0, 1:
		l.Tool, l.Named = "Edit", []boundary.Target{{Path: file}}
	case 2:
		l.Tool = "Read"
	default:
		l.Tool, l.Shell = "Bash", true
		l.Parts = callOf(fmt.Sprintf("go test ./internal/part%d && grep -rn name%d .", n%17, n%300)).Parts
	}
	v := boundary.Judge(&j.policy, l.Call())
	v.Steps, v.Targets, v.Fix = nil, nil, ""
	l.Verdict = &v
	if err := j.add(l); err != nil {
		return err
	}
	if j.judged = j.id(); v.Decision == boundary.Block {
		return nil
	}
	return j.add(folder.Line{Kind: folder.KindOutcome, Client: l.Client, Session: l.Session, ToolUseID: l.ToolUseID,
		What: folder.OutcomeDone})
}

// add adds a line, which gets an id and the time.
func (j *journal) add(l folder.Line) error {
	j.lines++
	l.ID, l.At = j.id(), j.at.UTC().Truncate(time.Microsecond)
	return j.dir.Append(l)
}

// id returns the id of the last line.
func (j *journal) id() string { return fmt.Sprintf("%016x", j.lines) }
