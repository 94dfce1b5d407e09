package record

import (
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
)

// Of equal refusals of one actor the first RecordedEach of a window (FoldWindow long) are recorded one by one. Further
// ones are only counted, and write nothing; when the window is over, one record accounts for them.
const (
	RecordedEach = 20
	FoldWindow   = time.Minute
)

// RefusalKind is what makes two refusals of an actor equal. The zero kind stands for all of them.
type RefusalKind struct {
	Request string // method and route
	Subject string // the requirement, if there is such a one: made-up ids are all the same
	Code    fault.Code
}

// CodeUnchanged stands for requests that repeat a move which was made, among the refusals that are folded.
const CodeUnchanged fault.Code = "unchanged"

// RefusalsFolded accounts for equal refusals of one actor within a minute, beyond those that are on record one by one.
// Request and Code are left out when they are of several kinds.
type RefusalsFolded struct {
	Actor    audit.Actor `json:"actor"`
	Request  string      `json:"request,omitempty"` // method and route
	Code     fault.Code  `json:"code,omitempty"`
	Count    uint64      `json:"count"`
	From     time.Time   `json:"from"`     // of the first record
	To       time.Time   `json:"to"`       // the last that was counted
	Recorded []uint64    `json:"recorded"` // the numbers of the records
	// Replica tells apart the sums of several processes that refused in the same minute; "" where one has the log.
	// Their clocks may differ, so records may be dated up to a minute before From.
	Replica string `json:"replica,omitempty"`
}
