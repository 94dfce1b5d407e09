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
		if _, is := errors.AsType[refusedChange](err); is {
			failure.Detail, failure.Refusal = withFields(f), forRecord(*f)
		}
		return failure
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Failure{Code: "tool_timeout", Detail: "the tool timed out",
			Fix: "give the request more time_ms, or the contract a longer timeout_ms"}
	}
	return &Failure{Code: "tool_failed", Detail: secret.Mask(err.Error())}
}

// forRecord returns a refusal without its examples, which are for an answer alone.
func forRecord(f fault.Error) *fault.Error {
	f.Fields = slices.Clone(f.Fields)
	for i := range f.Fields {
		f.Fields[i].Example = ""
	}
	return &f
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

// refusedChange marks the refusal of a change that a tool proposed.
type refusedChange struct{ error }

func (r refusedChange) Unwrap() error { return r.error }

// failures are the kinds of errors that say nothing of a change: it may be sent again as it is.
var failures = []fault.Kind{fault.Internal, fault.Unavailable, fault.InsufficientStorage, fault.RateLimited}

// RefusedChange marks an error as the refusal of a change, unless it is a failure of the service.
func RefusedChange(err error) error {
	if f := fault.As(err); f == nil || slices.Contains(failures, f.Kind) {
		return err
	}
	return refusedChange{err}
}

// MaxFields bounds the bytes that the fields of a refusal add to its detail.
const MaxFields = 2000

// withFields returns the detail of a refusal with its fields, of which the failure of a tool has no list.
func withFields(f *fault.Error) string {
	if len(f.Fields) == 0 {
		return f.Detail
	}
	var all []string
	for _, field := range f.Fields {
		all = append(all, strings.TrimSpace(field.Pointer+" "+field.Detail))
	}
	return f.Detail + " (" + fault.Clip(strings.Join(all, "; "), MaxFields) + ")"
}
