package boundary

import (
	"fmt"
	"time"

	"orchestrator/internal/rules/boundary/share"
)

// Recovery is what happened since the boundary was rolled back: since it went from enforce or confirm to validate or
// off, under whichever command. It ends when the boundary blocks again.
type Recovery struct {
	RolledBack     time.Time `json:"rolled_back"`
	By             string    `json:"by"`
	Reason         string    `json:"reason"`
	Account        *Account  `json:"account,omitempty"` // the latest
	Accounts       int       `json:"accounts,omitzero"` // how many there are
	Labelled       int       `json:"labelled"`          // decisions since, with a person's label
	FalsePositives int       `json:"false_positives"`   // of those
	BypassDrills   int       `json:"bypass_drills"`     // since
	RollbackDrills int       `json:"rollback_drills"`   // since
}

// Account is what a person recorded of the cause of a rollback.
type Account struct {
	At    time.Time `json:"at"`
	By    string    `json:"by"`
	Cause string    `json:"cause"`
	Link  string    `json:"link"` // where it was looked into
	Mend  string    `json:"mend"`
}

// recoveryChecks has what has to be done after a rollback before the boundary blocks again; nothing without one.
func recoveryChecks(t Thresholds, r *Recovery) []Check {
	if r == nil {
		return nil
	}
	const name = "since the rollback: "
	account := "not recorded"
	if r.Account != nil {
		account = "recorded on " + r.Account.At.UTC().Format(time.DateOnly) + " by " + clip(oneLine(r.Account.By), 80)
	}
	accuracy := share.Share{Part: r.Labelled - r.FalsePositives, Whole: r.Labelled}
	return []Check{
		{name + "cause, link and mend", account, "recorded", r.Account != nil,
			"find the cause, and record it: orchestrator boundary recovery --cause TEXT --link URL --mend TEXT"},
		{name + "labelled decisions", fmt.Sprint(r.Labelled), fmt.Sprintf(">= %d", t.Labelled),
			r.Labelled >= t.Labelled,
			"label decisions that were made since: orchestrator boundary decisions lists them"},
		{name + "detection accuracy", accuracy.Percent(), fmt.Sprintf("> %g %%", t.Accuracy*100),
			accuracy.Above(t.Accuracy), "find out why decisions were false positives, and mend the policy"},
		{name + "drill", fmt.Sprintf("bypass %d, rollback %d", r.BypassDrills, r.RollbackDrills), ">= 1 each",
			r.BypassDrills > 0 && r.RollbackDrills > 0, "orchestrator boundary drill"},
	}
}
