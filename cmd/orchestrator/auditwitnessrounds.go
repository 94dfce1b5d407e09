package main

import (
	"context"
	"path/filepath"
	"time"

	"orchestrator/internal/auditor/witness"
)

// watched is one server, and how often in a row it could not be asked.
type watched struct {
	url      string
	server   witness.Server
	failures int
}

// rounds asks the servers one after the other, so that two addresses of one log cannot overtake each other.
type rounds struct {
	witness *witness.Witness
	reporter
	timeout time.Duration
	servers []*watched
}

func (r rounds) round(ctx context.Context) (alarms, failures int) {
	for _, s := range r.servers {
		limited, cancel := context.WithTimeout(ctx, r.timeout)
		seen, err := r.witness.Look(limited, s.url, s.server, time.Now())
		cancel()
		if err != nil && ctx.Err() != nil {
			return alarms, failures // it was stopped
		}
		if err == nil {
			err = r.accepted(seen)
		}
		if err == nil {
			s.failures = 0
			continue
		}
		if r.alarm(err) {
			alarms++
			s.failures = 0
			continue
		}
		failures++
		s.failures++
		r.failed(s, err)
	}
	return alarms, failures
}

// cosignedFile returns where the newest cosigned checkpoint of a log is put.
func cosignedFile(folder, origin string) string {
	return filepath.Join(folder, witness.FileName(origin)+".checkpoint")
}
