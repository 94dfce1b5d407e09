package project

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/drive"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/timetable"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/daemon/bridge"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/token"
)

// conducting is the conductor, what drives requirements with it, and the runs that the last process did not end.
type conducting struct {
	conductor *conductor.Conductor
	driver    *drive.Driver
	cutOff    []state.Request // by the end of the process, or of the replica, that had the duty before
}

// openConductor opens the conductor, and finds the runs that were cut off.
func (p *Plan) openConductor(ctx context.Context, around Process, d *dataFolder, docs documents.Set,
	project *bridge.Project, repository *evidence.Repository) (*conducting, error) {
	trees, why := p.openTrees(ctx, repository, docs)
	c := conductor.New(d.ledger, conductor.Options{
		Tools: p.contracts, Box: tools.Box(), Project: project, Root: folder.In(p.dir().Project()).Root,
		Clock: time.Now, Deterministic: p.Deterministic, Tree: treeOf(trees, project),
		Agents: bridge.Admission{Tokens: d.credentials.Tokens, Project: project, URL: around.URL, Clock: time.Now},
	})
	cutOff, err := c.Unfinished(ctx)
	driver := &drive.Driver{Project: project, Conductor: c, NoTrees: why,
		Draining: func() bool { return around.Draining() || !d.duty.OnDuty() }}
	if trees != nil {
		driver.Trees = countedTrees{trees, project}
	}
	if p.Store.IsShared() {
		c.Stop() // until this replica is on duty
	}
	return &conducting{c, driver, cutOff}, err
}

// begin lets runs go on under a lease, and finds those that another replica did not end.
func (c *conducting) begin(ctx context.Context) (err error) {
	c.cutOff, err = c.conductor.Unfinished(ctx)
	c.conductor.Begin(ctx)
	return err
}

// resume goes on with the conductor's runs that were cut off when the service ended.
func (c *conducting) resume(ctx context.Context, postponed *postponed, log zerolog.Logger) {
	var all sync.WaitGroup
	for _, cut := range c.cutOff { // none waits for the tools of another
		all.Go(func() {
			trace, err := c.conductor.Resume(ctx, cut)
			for isFull(err) && postponed.awaitRoom(ctx) {
				trace, err = c.conductor.Resume(ctx, cut)
			}
			if err != nil {
				log.Error().Err(err).Str("run", cut.ID).Msg("a run of the conductor that was cut off cannot go on")
				return
			}
			log.Info().Str("run", cut.ID).Str("status", string(trace.Status)).
				Msg("a run of the conductor that was cut off went on to its end")
		})
	}
	all.Wait()
}

// stopAtEnd ends the runs under way when ctx ends; they go on when the service is back.
func (c *conducting) stopAtEnd(ctx context.Context) {
	<-ctx.Done()
	c.conductor.Stop()
}

// keepTimes conducts what is scheduled when it is due, until ctx ends.
func (c *conducting) keepTimes(ctx context.Context, tokens *token.Authenticator, log zerolog.Logger) {
	runner := timetable.Runner{
		Conductor: c.conductor, Schedules: c.conductor.Schedules, Clock: time.Now, After: time.After,
		Gone: func(mark string, by conductor.Caller, now time.Time) string {
			return tokens.Gone(mark, by.Name, by.Role, now)
		},
		Log: func(schedule, run string, err error) {
			if err != nil {
				log.Warn().Err(err).Str("schedule", schedule).
					Msg("what is scheduled could not be conducted; it is tried again")
				return
			}
			log.Info().Str("schedule", schedule).Str("run", run).Msg("what was scheduled has been conducted")
		},
	}
	runner.Run(ctx)
}
