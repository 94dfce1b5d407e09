package witness

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"orchestrator/internal/fault"
)

// Codes of a watch that did not end well.
const (
	CodeAlarm      fault.Code = "witness_alarm"      // a log is not what it was
	CodeIncomplete fault.Code = "witness_incomplete" // servers could not be asked
)

// Watched is a server, by the address that its log is pinned to.
type Watched struct {
	URL    string
	Server Server
}

// Observer is told what a watch sees.
type Observer interface {
	// Accepted is told of a checkpoint that was cosigned. An error of it counts as one of the server.
	Accepted(s Sighting) error
	Alarmed(a *AlarmError)
	// Failed is told of a server that could not be asked, and how often in a row.
	Failed(url string, times int, err error)
}

// Watch asks servers in rounds.
type Watch struct {
	Witness  *Witness
	Servers  []Watched
	Timeout  time.Duration // for one server in one round
	Observer Observer
}

// Once asks each server once. The error says that a log is not what it was, else that servers could not be asked.
func (w Watch) Once(ctx context.Context) error {
	return verdict(w.round(ctx, map[string]int{}))
}

// Run asks each server again and again until ctx ends. The error says that a log was not what it was; servers that
// could not be asked are no error, since they were asked again.
func (w Watch) Run(ctx context.Context, every time.Duration) error {
	failures := map[string]int{} // in a row, by address
	var alarms int
	for ticks := time.Tick(every); ; {
		more, _ := w.round(ctx, failures)
		alarms += more
		select {
		case <-ctx.Done():
			return verdict(alarms, 0)
		case <-ticks:
		}
	}
}

// round asks the servers one after the other, so that two addresses of one log cannot overtake each other.
func (w Watch) round(ctx context.Context, inARow map[string]int) (alarms, failures int) {
	for _, s := range w.Servers {
		err := w.look(ctx, s)
		alarm, alarmed := errors.AsType[*AlarmError](err)
		switch {
		case errors.Is(err, errStopped):
			return alarms, failures
		case alarmed:
			w.Observer.Alarmed(alarm)
			alarms++
			inARow[s.URL] = 0
		case err != nil:
			failures++
			inARow[s.URL]++
			w.Observer.Failed(s.URL, inARow[s.URL], err)
		default:
			inARow[s.URL] = 0
		}
	}
	return alarms, failures
}

// errStopped says that a server could not be asked because the watch was stopped.
var errStopped = errors.New("the watch was stopped")

func (w Watch) look(ctx context.Context, s Watched) error {
	limited, cancel := context.WithTimeout(ctx, w.Timeout)
	defer cancel()
	seen, err := w.Witness.Look(limited, s.URL, s.Server, time.Now())
	switch {
	case err != nil && ctx.Err() != nil:
		return errStopped
	case err != nil:
		return err
	}
	return w.Observer.Accepted(seen)
}

// verdict returns the error of a watch.
func verdict(alarms, failures int) error {
	switch {
	case alarms > 0:
		return fault.New(fault.Conflict, CodeAlarm, "a log is not what it was").
			WithFix("keep the ALARM files, and show them to whoever relies on the log; they can be checked without " +
				"this witness")
	case failures > 0:
		return fault.New(fault.Unavailable, CodeIncomplete, "servers that could not be asked: %d", failures).
			WithFix("see the lines above; what was kept of their logs stays")
	}
	return nil
}

// Address writes the address of a server in one way, since logs are pinned to it.
func Address(raw string) string {
	address := strings.TrimRight(raw, "/")
	if u, err := url.Parse(address); err == nil {
		u.Host = strings.ToLower(u.Host) // the scheme is so already
		address = u.String()
	}
	return address
}
