package apiclient

import "orchestrator/internal/fault"

// Answered is the problem of a run of the conductor that has answers nevertheless.
type Answered struct {
	fault *fault.Error
	Texts []string // of the answers, in their order
}

// Error returns what happened.
func (a *Answered) Error() string { return a.fault.Error() }

// Unwrap returns the fault that the problem tells of.
func (a *Answered) Unwrap() error { return a.fault }
