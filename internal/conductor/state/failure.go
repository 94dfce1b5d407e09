package state

import (
	"context"
	"errors"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/secret"
)

// Failure says why a tool failed, and what to do.
type Failure struct {
	Code   fault.Code `json:"code"`
	Detail string     `json:"detail"`
	Fix    string     `json:"fix,omitempty"`

	Refusal *fault.Error `json:"refusal,omitempty"` // of a change: as whoever proposes it by PATCH is refused
}

// FailureOf returns an error as a trace has it, without what looks like a secret.
func FailureOf(err error) *Failure {
	if f := fault.As(err); f != nil {
		f = secret.Masked(f)
		failure := &Failure{Code: f.Code, Detail: f.Detail, Fix: f.Fix}
		if change, is := errors.AsType[refusedChange](err); is {
			failure.Refusal = secret.Masked(change.refusal)
		}
		return failure
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Failure{Code: "tool_timeout", Detail: "the tool timed out",
			Fix: "give the request more time_ms, or the contract a longer timeout_ms"}
	}
	return &Failure{Code: "tool_failed", Detail: secret.Mask(err.Error())}
}

// Separate returns the failure without the refusal that it has, and that refusal. Both may be nil.
func (f *Failure) Separate() (*Failure, *fault.Error) {
	if f == nil || f.Refusal == nil {
		return f, nil
	}
	alone := *f
	alone.Refusal = nil
	return &alone, f.Refusal
}

// refusedChange is the refusal of a change that a tool proposed.
type refusedChange struct {
	error
	refusal *fault.Error
}

func (r refusedChange) Unwrap() error { return r.error }

// failures are the kinds of errors that say nothing of a change: it may be sent again as it is.
var failures = []fault.Kind{fault.Internal, fault.Unavailable, fault.InsufficientStorage, fault.RateLimited}

// RefusedChange marks an error as the refusal of a change, unless it is a failure of the service, and adds its fields
// to its detail. Examples are for an answer alone, and not kept.
func RefusedChange(err error) error {
	f := fault.As(err)
	if f == nil || slices.Contains(failures, f.Kind) {
		return WithFields(err)
	}
	return refusedChange{WithFields(err), f.ToKeep()}
}

// MaxFields bounds the bytes that the fields of an error add to its detail.
const MaxFields = 2000

// WithFields adds the fields of an error to its detail: a failure of a tool has no list of them.
func WithFields(err error) error {
	f := fault.As(err)
	if f == nil || len(f.Fields) == 0 {
		return err
	}
	var all []string
	for _, field := range f.Fields {
		all = append(all, strings.TrimSpace(field.Pointer+" "+field.Detail))
	}
	full := *f
	full.Detail += " (" + fault.Clip(strings.Join(all, "; "), MaxFields) + ")"
	return &full
}

// ToolsChanged returns why a run of a tool does not count for another tool, or other inputs.
func ToolsChanged(before ToolRun) *Failure {
	return &Failure{Code: "tools_changed",
		Detail: "the interrupted run used " + before.Tool + " " + before.Version +
			" here; the tools or the known facts have changed since",
		Fix: "send the obligation again"}
}

// OutcomeUnknown returns the failure of a run that was cut off, and may have done anything or nothing.
func OutcomeUnknown() *Failure {
	return &Failure{Code: "outcome_unknown",
		Detail: "the service stopped while the tool ran, and the tool is not idempotent",
		Fix:    "find out what it did, then send the obligation again"}
}
