package guard

import (
	"fmt"
	"time"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
)

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
				What: report.LabelCorrect}); err != nil {
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
		Kind: folder.KindDecision, Client: "claude",
		Session:   fmt.Sprintf("5f0c2c51-7d0e-4a44-9d3e-%012x", n/perSession),
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
