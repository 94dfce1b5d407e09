// Package doctor looks at what a project on a machine needs, and says of each thing whether it is in order and what
// mends it. It only reads, and what cannot be looked at is a finding as well: it works with a service and without one,
// and on a damaged folder.
package doctor

import (
	"context"
	"path/filepath"

	"orchestrator/internal/operator/config"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/system/tree"
)

// Examine looks at everything.
func Examine(ctx context.Context, o Options) Report {
	e := &examination{Options: o, notes: &notes{o.Data, Report{Healthy: true, Findings: []Finding{}}}}
	e.lookAtProgram()
	e.lookAtSettings(ctx)
	e.clone = exportfile.Clone(e.Data, e.Export)
	if e.isNoProject() {
		e.say("settings", Warning, e.orchestrator("init"), "this folder is no project yet")
		e.lookAtBoundary(ctx)
		e.lookAtDisk()
		return e.report
	}
	e.lookAtFolder()
	services{e}.lookAtService(ctx)
	e.lookAtLeftovers(ctx)
	e.lookAtTokens(ctx)
	e.lookAtModes()
	e.lookAtWebhooks(ctx)
	records{e}.lookAtDatabase(ctx)
	e.lookAtRepository(ctx)
	e.lookAtDocuments(ctx)
	records{e}.lookAtExport(ctx)
	records{e}.lookAtCheckpoint(ctx)
	records{e}.lookAtKey(ctx)
	e.lookAtBoundary(ctx)
	e.take(ctx, "mcp", e.Servers)
	e.lookAtClock()
	e.lookAtDisk()
	e.holdBack()
	return e.report
}

// isNoProject reports whether nothing says that the folder is a project: no settings, no data folder, no export.
func (e *examination) isNoProject() bool {
	return e.Settings == nil && !tree.Exists(filepath.Join(e.Data.Project(), config.TreeFile)) &&
		!tree.Exists(string(e.Data)) && !e.clone
}

// linuxOnly is what is done in a weaker way on other systems.
var linuxOnly = []string{
	"a tool or agent that outlives its run is killed with its process group alone, and lives on if it has left it",
	"whoever may write the file of a tool's program can replace it between its check and its start",
	"a full disk is not noticed before a change: the commit that meets it ends the service",
}

func (e *examination) lookAtProgram() {
	p := e.Program
	e.say("version", OK, "", "orchestrator %s, rules %d, on %s", p.Version, p.Rules, p.System)
	if p.System == "linux" {
		return
	}
	for _, what := range linuxOnly {
		e.advise("version", Warning, "run the service on Linux where that matters (docs/packages.md)", "on %s %s",
			p.System, what)
	}
}

func (e *examination) lookAtSettings(ctx context.Context) {
	saved, err := config.ReadLocal(ctx, e.Data)
	if err == nil {
		err = saved.Check()
	}
	switch {
	case err != nil:
		e.fail("settings", Problem, err)
	case e.Settings != nil:
		e.fail("settings", Problem, e.Settings)
	default:
		e.saved = saved
		e.say("settings", OK, "", "orchestrator config shows those in force")
	}
}

func (e *examination) lookAtBoundary(ctx context.Context) { e.take(ctx, "boundary", e.Boundary) }

// take adds what somebody else finds.
func (e *examination) take(ctx context.Context, about string, look func(context.Context) ([]Finding, error)) {
	found, err := look(ctx)
	if err != nil {
		e.fail(about, Problem, err)
	}
	for _, f := range found {
		f.About = about
		e.add(f)
	}
}
