package dossier

import (
	"fmt"
	"slices"
	"time"

	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// timeline is what happened, newest first.
type timeline struct {
	Events []event
	Older  int // that are not shown
	All    int
}

// event is one thing that happened.
type event struct {
	At       time.Time
	Mark     string // "" is a dot: a part was written
	By, Role string
	Act      string
	Reason   string
	Record   uint64 // its number in the log; 0 where nothing names it
}

// maxEvents is how many events are shown before the rest is asked for.
const maxEvents = 20

func lineOf(d review.Dossier, all bool) timeline {
	var events []event
	for _, m := range d.History {
		to := string(m.To)
		act := "moved it to " + words.Status(to)
		events = append(events, event{m.At, "s-" + to, m.By, string(m.Role), act, m.Reason, m.Record})
	}
	for _, r := range d.Refused.Newest {
		act := "was refused: " + string(r.Code)
		if r.Times > 1 {
			act += fmt.Sprintf(", %s times", words.Count(r.Times))
		}
		events = append(events, event{r.At, "m-refused", r.By, string(r.Role), act, r.Detail, r.Record})
	}
	for _, a := range d.Approvals {
		events = append(events, stamped(a.Stamp, "m-holds", a.Decision, a.Approval.Text))
	}
	for _, n := range d.Notes {
		events = append(events, stamped(n.Stamp, "", "wrote a note", n.Text))
	}
	for _, dev := range d.Deviations {
		events = append(events, stamped(dev.Stamp, "m-unmet", "recorded deviation "+dev.ID, dev.Text))
	}
	for _, p := range d.Parts {
		events = append(events, stamped(p.Stamp, "", "wrote the "+words.Part(p.Name), ""))
	}
	slices.SortStableFunc(events, func(a, b event) int { return b.At.Compare(a.At) })
	line := timeline{Events: events, All: len(events)}
	if !all && len(events) > maxEvents {
		line.Events, line.Older = events[:maxEvents], len(events)-maxEvents
	}
	return line
}

func stamped(s lifecycle.Stamp, mark, act, reason string) event {
	return event{s.At, mark, s.By, string(s.Role), act, reason, s.Record}
}
