package events

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
)

// CodeNoStream is the code of a service that is older than its stream of events.
const CodeNoStream fault.Code = "unknown_path"

const (
	mostSilence = 45 * time.Second // of a stream, which has a comment every 15 s
	mostBackoff = 30 * time.Second
)

// Following follows the log, and prints each record once.
type Following struct {
	Requirements, Roles, Kinds []string // that are followed; none of one sort is all of it

	Since   int64         // the number of the record that comes next
	Wait    time.Duration // before connecting again
	Connect func() (*apiclient.Client, error)
	Print   func(e Event, raw []byte) error
}

// Wants reports whether an event that was polled is followed.
func (f *Following) Wants(e Event) bool {
	of := func(wanted []string, value string) bool { return len(wanted) == 0 || slices.Contains(wanted, value) }
	return of(f.Requirements, e.Subject) && of(f.Roles, e.Actor.Role) && of(f.Kinds, e.Kind)
}

func (f *Following) path() string {
	values := url.Values{"since": {fmt.Sprint(f.Since)}}
	for name, wanted := range map[string][]string{"requirement": f.Requirements, "role": f.Roles, "kind": f.Kinds} {
		if len(wanted) > 0 {
			values[name] = wanted
		}
	}
	return "/events?" + values.Encode()
}

// Follow prints events until ctx ends, and connects again where the connection is lost: the service may be another
// process by then, at another address.
//
// Implements: ORC-305
func (f *Following) Follow(ctx context.Context) error {
	shortest := max(f.Wait, 100*time.Millisecond)
	wait, connected := shortest, false
	for {
		heard, err := f.stream(ctx)
		if connected = connected || heard; heard {
			wait = shortest
		}
		if err != nil && (!connected || !apiclient.Passes(err)) || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
		wait = min(2*wait, mostBackoff)
	}
}

// stream prints the events of one connection. It reports whether the service sent anything.
func (f *Following) stream(ctx context.Context) (heard bool, err error) {
	c, err := f.Connect()
	if err != nil {
		return false, err
	}
	connection, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(mostSilence, cancel)
	defer silence.Stop()
	kind := ""
	err = c.GetLines(connection, f.path(), "text/event-stream", func(line []byte) error {
		heard = true
		silence.Reset(mostSilence)
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch string(name) {
		case "event":
			kind = string(value)
		case "data":
			return f.take(c, kind, value)
		}
		return nil
	})
	if connection.Err() != nil && ctx.Err() == nil {
		err = nil // it was silent for too long
	}
	return heard, err
}

// take prints one event, or returns why there are no more.
func (f *Following) take(c *apiclient.Client, kind string, data []byte) error {
	if kind == "end" {
		return apiclient.StreamEnd(data)
	}
	var e Event
	if err := jsonv2.Unmarshal(data, &e); err != nil {
		return c.Stranger("JSON of another shape").Because(err)
	}
	f.Since = int64(e.Seq) + 1
	return f.Print(e, data)
}
