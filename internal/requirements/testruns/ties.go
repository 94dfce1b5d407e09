// Package testruns ties runs of tests to the commits that they count for, and makes evidence of their reports.
//
// A run counts for one commit: the one that was named when the run was seen first, or else the tip of the branch at
// that moment. Neither other bytes of its report nor a later word tie it to other code.
package testruns

import (
	"context"
	"fmt"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

const codeDiffers fault.Code = "report_commit_differs"

// Ties ties the runs that one change gives as evidence. It is not safe for concurrent use.
type Ties struct {
	ledger *ledger.Ledger
	seen   map[string]record.RunAt
}

// New returns Ties that know what the ledger knows.
func New(l *ledger.Ledger) Ties { return Ties{l, map[string]record.RunAt{}} }

// Tie returns what was found of a test with the commit that its run counts for.
func (t Ties) Tie(ctx context.Context, e lifecycle.Evidence, found lifecycle.Found) (*lifecycle.Found, *fault.Field) {
	if found.Run == "" {
		return &found, nil
	}
	first, err := t.first(ctx, found)
	switch {
	case err != nil:
		return nil, &fault.Field{Code: evidence.CodeUnreadable, Detail: "what is known of the run cannot be read now",
			Fix: "send the change again"}
	case e.ReportCommit != "" && (first.Commit == "" || !strings.HasPrefix(first.Commit, e.ReportCommit)):
		return nil, Differs(e.Report, first.Commit, e.ReportCommit)
	}
	found.Commit, found.Tip = first.Commit, first.Tip
	if first.Seq != 0 {
		found.Record = first.Seq
	}
	return &found, nil
}

// Differs returns the refusal of a run that was given as one on another commit before.
func Differs(report, first, named string) *fault.Field {
	if first == "" {
		return &fault.Field{Code: codeDiffers,
			Detail: fmt.Sprintf("nobody knows which commit the run in %s was on, and citing it cannot say so", report),
			Fix:    "attach the report again, with ?commit=" + named}
	}
	return &fault.Field{Code: codeDiffers,
		Detail: fmt.Sprintf("the run in %s was given as a run on commit %s before, and is now said to be one on %s", report,
			first, named),
		Fix: "leave the commit out, or run the tests on the commit that you name, and give that report"}
}

// first returns what is known of a run; of a new one, what was found now.
func (t Ties) first(ctx context.Context, found lifecycle.Found) (at record.RunAt, err error) {
	if at, seen := t.seen[found.Run]; seen {
		return at, nil
	}
	known := false
	err = t.ledger.View(ctx, func(r store.Reader) (err error) {
		at, known, err = record.TableRuns.Get(r, found.Run)
		return err
	})
	if !known {
		at = record.RunAt{Commit: found.Commit, Tip: found.Tip}
	}
	if err == nil {
		t.seen[found.Run] = at
	}
	return at, err
}

// See remembers the runs that an accepted change gave as evidence. Where another change tied one of them to another
// commit meanwhile, nothing is applied.
func See(tx *ledger.Tx, data record.Proposed) error {
	for _, run := range data.Runs(tx.Seq()) {
		known, seen, err := record.TableRuns.Get(tx, run.ID)
		next := run.RunAt
		if seen {
			var same bool
			if next, same = known.Again(run.RunAt); !same {
				return fault.New(fault.Conflict, "changed_meanwhile",
					"another change gave the same run of the tests for commit %s meanwhile", known.Commit).
					WithFix("send the change again; the answer then says which commit the run counts for")
			}
		}
		if err == nil && next != known {
			_, err = record.TableRuns.Put(tx, run.ID, next)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
