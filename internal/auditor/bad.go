package auditor

import "orchestrator/internal/fault"

// Bad is a log that was found wrong. Every other error of this package means that it could not be checked.
type Bad struct {
	Record *uint64 // the first bad one, where it is known
	Fault  *fault.Error
}

func (b *Bad) Error() string { return b.Fault.Error() }

// Unwrap makes the fault visible to errors.As.
func (b *Bad) Unwrap() error { return b.Fault }

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
