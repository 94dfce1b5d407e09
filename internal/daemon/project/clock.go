package project

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/httpapi"
	"orchestrator/internal/ledger"
	"orchestrator/internal/system/clockjump"
)

// clockEvery is how often the wall clock is held against the time that has passed.
const clockEvery = 10 * time.Second

// now is the clock of the log. What it says has six digits after the second, of which the last is no zero, so that all
// times are encoded in as many bytes: RFC 3339 drops zeros at the end. An export is written over an earlier one where
// it differs, and a time of another length would move all that follows it.
func now() time.Time {
	at := time.Now()
	if at.Nanosecond()/int(time.Microsecond)%10 == 0 {
		at = at.Add(time.Microsecond)
	}
	return at
}

// clock notices when somebody sets the wall clock.
type clock struct {
	begun  time.Time // with its monotonic reading
	jumps  clockjump.Watch
	ledger *ledger.Ledger
	log    zerolog.Logger
}

func newClock(l *ledger.Ledger, log zerolog.Logger) *clock {
	return &clock{begun: time.Now(), ledger: l, log: log}
}

// watch logs jumps of the wall clock until ctx ends.
func (c *clock) watch(ctx context.Context) {
	ticks := time.NewTicker(clockEvery)
	defer ticks.Stop()
	for {
		if jump := c.jumps.Look(time.Now(), time.Since(c.begun)); jump != 0 {
			c.log.Warn().Stringer("by", jump.Round(time.Second)).
				Msg("the clock was set: records are dated and tokens expire by what it says")
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// check reports whether the wall clock was set, or is behind the log.
func (c *clock) check() httpapi.Check {
	problem := c.jumps.Problem(time.Since(c.begun))
	if problem == "" {
		problem = clockjump.Ahead(c.ledger.Head().At, time.Now())
	}
	if problem == "" {
		return httpapi.Check{Name: "clock", Status: httpapi.CheckOK}
	}
	return httpapi.Check{Name: "clock", Status: httpapi.CheckWarning, Detail: problem}
}
