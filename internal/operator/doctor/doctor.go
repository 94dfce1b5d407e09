// Package doctor looks at what a project on a machine needs, and says of each thing whether it is in order and what
// mends it. It only reads, and what cannot be looked at is a finding as well: it works with a service and without one,
// and on a damaged folder.
package doctor

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/reqdoc"
)

// Level is how bad a finding is.
type Level string

// The levels.
const (
	OK      Level = "ok"
	Warning Level = "warning" // works, but not as it could
	Problem Level = "problem" // does not work, or is not safe
)

// Finding is one thing that was looked at.
type Finding struct {
	About string `json:"about"`
	Level Level  `json:"level"`
	What  string `json:"what"`
	Mend  string `json:"mend,omitempty"`
}

// Report is all that was looked at. Healthy is without a problem.
type Report struct {
	Healthy  bool      `json:"healthy"`
	Findings []Finding `json:"findings"`
}

// Options say what is examined.
type Options struct {
	Data      datadir.Dir
	Documents []string // paths and patterns
	Reading   reqdoc.Options
	Export    string // "" for none
	Branch    string // "" for the one on record
	Version   string // of this program
	Agent     string // the name of the client that asks the service
	Now       time.Time
	Boundary  func(context.Context) ([]Finding, error) // looks at the boundary
}

// examination collects findings.
type examination struct {
	Options

	report Report
}

// Examine looks at everything.
func Examine(ctx context.Context, o Options) Report {
	e := &examination{Options: o, report: Report{Healthy: true, Findings: []Finding{}}}
	e.lookAtVersions()
	e.lookAtService(ctx)
	e.lookAtTokens()
	e.lookAtModes()
	e.lookAtRepository(ctx)
	e.lookAtDocuments(ctx)
	e.lookAtExport(ctx)
	e.lookAtBoundary(ctx)
	e.lookAtClock()
	e.lookAtDisk()
	return e.report
}

// Unhealthy returns the error of a project with problems, or nil.
func (r Report) Unhealthy() error {
	n := 0
	for _, f := range r.Findings {
		if f.Level == Problem {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "unhealthy", "problems: %d", n).WithFix("do what stands below each problem")
}

func (e *examination) say(about string, level Level, mend, format string, args ...any) {
	e.report.Findings = append(e.report.Findings, Finding{about, level, fmt.Sprintf(format, args...), mend})
	e.report.Healthy = e.report.Healthy && level != Problem
}

// fail says that something cannot be looked at, with the remedy that the error has.
func (e *examination) fail(about string, level Level, err error) {
	mend := "see that this user can read it"
	if f := fault.As(err); f != nil && f.Fix != "" {
		mend = f.Fix
	}
	e.say(about, level, mend, "%v", err)
}

func (e *examination) lookAtVersions() {
	e.say("version", OK, "", "orchestrator %s on %s/%s", e.Version, runtime.GOOS, runtime.GOARCH)
	if runtime.GOOS != "linux" {
		e.say("version", Warning, "run the service on Linux where tools of the project have to be confined",
			"the confinement of tools and the packages are there on Linux only")
	}
}

func (e *examination) lookAtBoundary(ctx context.Context) {
	found, err := e.Boundary(ctx)
	if err != nil {
		e.fail("boundary", Problem, err)
	}
	for _, f := range found {
		e.say("boundary", f.Level, f.Mend, "%s", f.What)
	}
}
