package project

import (
	"context"
	"time"

	"orchestrator/internal/httpapi"
	"orchestrator/internal/system/clockjump"
)

// clockEvery is how often the wall clock is held against the time that has passed.
const clockEvery = 10 * time.Second

// watchClock notices jumps of the wall clock until ctx ends.
func (s *server) watchClock(ctx context.Context) {
	ticks := time.NewTicker(clockEvery)
	defer ticks.Stop()
	for {
		if jump := s.clock.Look(time.Now(), time.Since(s.begun)); jump != 0 {
			s.log.Warn().Stringer("by", jump.Round(time.Second)).
				Msg("the clock was set: records are dated and tokens expire by what it says")
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// checkClock is the check of /readyz on the wall clock.
func (s *server) checkClock() httpapi.Check {
	problem := s.clock.Problem(time.Since(s.begun))
	if problem == "" {
		problem = clockjump.Ahead(s.ledger.Head().At, time.Now())
	}
	if problem == "" {
		return httpapi.Check{Name: "clock", Status: httpapi.CheckOK}
	}
	return httpapi.Check{Name: "clock", Status: httpapi.CheckWarning, Detail: problem}
}

// checks are those of /readyz that are the process's own.
func (s *server) checks() []httpapi.Check {
	return []httpapi.Check{s.checkRoom(), s.checkClock(), s.checkWatch()}
}
