package auditor

import (
	"errors"

	"orchestrator/internal/fault"
)

// Bad is a log that was found wrong. Every other error of this package but a Finding means that it could not be
// checked.
type Bad struct {
	Record *uint64 // the first bad one, where it is known
	Fault  *fault.Error
}

func (b *Bad) Error() string { return b.Fault.Error() }

// Unwrap makes the fault visible to errors.As.
func (b *Bad) Unwrap() error { return b.Fault }

// Finding is an error that says what is wrong with the database of a log, unlike one that kept it from being looked at.
type Finding struct{ Err error }

func (f Finding) Error() string { return f.Err.Error() }

// Unwrap returns the error.
func (f Finding) Unwrap() error { return f.Err }

// Verdict says how a verification ended.
type Verdict string

// The verdicts.
const (
	InOrder    Verdict = "in_order"
	Wrong      Verdict = "bad"
	NotChecked Verdict = "not_checked"
)

// Found reports whether something was found wrong.
func (v Verdict) Found() bool { return v == Wrong }

// VerdictOf returns the verdict of a verification that ended with an error, or with nil.
func VerdictOf(err error) Verdict {
	switch {
	case err == nil:
		return InOrder
	case errors.As(err, new(*Bad)), errors.As(err, new(Finding)):
		return Wrong
	}
	return NotChecked
}

func bad(code fault.Code, format string, args ...any) *Bad {
	return &Bad{nil, fault.New(fault.Conflict, code, format, args...).
		WithFix("keep this copy as evidence; get the log from another place, and hold both against a checkpoint that you have kept")}
}

func badRecord(record uint64, code fault.Code, format string, args ...any) *Bad {
	b := bad(code, format, args...)
	b.Record = &record
	return b
}

func (b *Bad) fix(format string, args ...any) *Bad {
	b.Fault = b.Fault.WithFix(format, args...)
	return b
}
