package lifecycle

import "slices"

// Status is the one lifecycle state a requirement is in.
type Status string

// The thirteen statuses, specification section 5.
const (
	NotStarted               Status = "not_started"
	Blocked                  Status = "blocked"
	Planned                  Status = "planned"
	DesignInProgress         Status = "design_in_progress"
	DesignReady              Status = "design_ready"
	ImplementationInProgress Status = "implementation_in_progress"
	Implemented              Status = "implemented"
	TestInProgress           Status = "test_in_progress"
	TestedPass               Status = "tested_pass"
	TestedFail               Status = "tested_fail"
	NeedsChanges             Status = "needs_changes"
	Done                     Status = "done"
	Deferred                 Status = "deferred"
)

// Statuses lists the thirteen statuses in the order of the specification.
func Statuses() []Status {
	return []Status{
		NotStarted, Blocked, Planned, DesignInProgress, DesignReady, ImplementationInProgress, Implemented,
		TestInProgress, TestedPass, TestedFail, NeedsChanges, Done, Deferred,
	}
}

// PutAside reports whether a requirement is in a status because somebody decided that it is not to be worked on for now.
// What needs changes is work.
func PutAside(s Status) bool { return s == Blocked || s == Deferred }

// Valid reports whether s is one of the thirteen, byte by byte.
func (s Status) Valid() bool { return slices.Contains(Statuses(), s) }
