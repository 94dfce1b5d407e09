// Package replica is what the API does where several processes serve one store. It holds a request until the state of
// this process is new enough to answer it, and passes on what only the replica on duty can serve.
package replica

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

// Log is the log of a store that other processes write to as well.
type Log interface {
	// CatchUp returns when all that was committed before the call is published in this process.
	CatchUp(ctx context.Context) error
	// Confirmed returns the last moment of which it is known that all that was committed before it is published.
	Confirmed() time.Time
	// Err returns the failure that ended the log, or nil.
	Err() error
}

// Duty is what one replica does alone, for as long as it holds the lease on it.
type Duty interface {
	// OnDuty reports whether this replica is on duty.
	OnDuty() bool
	// Enter returns a context for one piece of work of the replica on duty. It has the lease, and ends with the duty or
	// by leave, which must be called. It is an error where this replica is not on duty.
	Enter(ctx context.Context) (under context.Context, leave func(), err error)
	// Holder returns the URL at which the replica on duty answers; "" if none is on duty.
	Holder(ctx context.Context) (url string, err error)
}

// Config is what one of several replicas knows of itself and of the others. It is not to be copied.
type Config struct {
	Name       string // of this replica
	URL        string // where others reach it, as its lease says when it is on duty
	Log        Log
	Duty       Duty
	StaleReads time.Duration     // how old the state may be that reads are answered from; 0 asks the store for each
	Transport  http.RoundTripper // to the replica on duty; nil is one of its own

	holders seen
	passed  atomic.Uint64
}

// State is what is told of a replica.
type State struct {
	Name        string `json:"name"`
	OnDuty      bool   `json:"on_duty"`
	Holder      string `json:"holder,omitempty"` // URL of the replica on duty, where it is known
	LogSize     uint64 `json:"log_size"`         // records that are published here
	ConfirmedMS int64  `json:"confirmed_ms_ago"` // age of the last moment at which these were all
	StaleReads  string `json:"stale_reads,omitempty"`
}

// State returns what is told of the replica, whose log has so many records.
func (c *Config) State(ctx context.Context, size uint64) State {
	s := State{Name: c.Name, OnDuty: c.Duty.OnDuty(), LogSize: size, ConfirmedMS: c.Age().Milliseconds()}
	if c.StaleReads > 0 {
		s.StaleReads = c.StaleReads.String()
	}
	s.Holder, _ = c.holders.holder(ctx, c.Duty, watching) // "" where it is not known
	return s
}

// Passed returns how many requests were passed on to the replica on duty.
func (c *Config) Passed() uint64 { return c.passed.Load() }

// Age returns how long ago it was last known that the log has no newer record than those published here.
func (c *Config) Age() time.Duration { return time.Since(c.Log.Confirmed()) }
