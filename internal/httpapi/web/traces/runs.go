package traces

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
)

// run is a run in the list of the API.
type run struct {
	ID          string       `json:"id"`
	Number      int          `json:"number"`
	Caller      caller       `json:"caller"`
	Ended       bool         `json:"ended"`
	Obligations []obligation `json:"obligations"`
}

type caller struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// obligation is one of a run: o1 of the request, or o1.1, to which o1 gave rise.
type obligation struct {
	ID        string     `json:"id"`
	Status    string     `json:"status"`
	Of        duty       `json:"obligation"`
	Why       string     `json:"why"`
	Questions []question `json:"questions"`
}

// question is what an obligation asks.
type question struct {
	ID       string         `json:"id"`
	Slot     string         `json:"slot"`
	Question string         `json:"question"`
	Schema   jsontext.Value `json:"schema"`
	Status   string         `json:"status"`
	Asked    time.Time      `json:"asked"`
	Expires  time.Time      `json:"expires"`
}

// What the API calls the states that the pages tell apart.
const (
	resolved = "resolved"
	active   = "active"
	waits    = "waiting"
)

// Href returns the address of the run.
func (r run) Href() string { return page.To("traces", r.ID) }

// First returns the obligation that was asked for first.
func (r run) First() obligation {
	if len(r.Obligations) == 0 {
		return obligation{}
	}
	return r.Obligations[0]
}

// asked returns the obligations that were asked for, without those that they gave rise to.
func (r run) asked() []obligation {
	return slices.DeleteFunc(slices.Clone(r.Obligations),
		func(o obligation) bool { return strings.Contains(o.ID, ".") })
}

// More returns how many obligations were asked for beside the first.
func (r run) More() int { return max(0, len(r.asked())-1) }

// waiting returns the questions of a run that wait for an answer.
func (r run) waiting() (all []question) {
	for _, o := range r.Obligations {
		for _, q := range o.Questions {
			if q.Status == waits {
				all = append(all, q)
			}
		}
	}
	return all
}

// failing returns the first obligation that was not met.
func (r run) failing() (o obligation, found bool) {
	all := r.asked()
	i := slices.IndexFunc(all, func(o obligation) bool { return o.Status != resolved && o.Status != active })
	if i < 0 {
		return o, false
	}
	return all[i], true
}

// state is how far something is, with its mark.
type state struct{ Mark, Words string }

// How far a run can be.
var (
	underWay = state{"m-moved", "under way"}
	asks     = state{"m-unmet", "waits for an answer"}
	met      = state{"m-holds", "resolved"}
	failed   = state{"m-refused", "failed"}
)

// State returns how far a run is.
func (r run) State() state {
	_, fails := r.failing()
	switch {
	case !r.Ended:
		return underWay
	case len(r.waiting()) > 0:
		return asks
	case fails:
		return failed
	}
	return met
}

// Why returns why a run failed, or "".
func (r run) Why() string {
	if r.State() != failed {
		return ""
	}
	o, _ := r.failing()
	return o.Why
}

// open says which questions wait, and what is under way.
func open(d data, newest []run) string {
	going := 0
	for _, r := range newest {
		if r.State() == underWay {
			going++
		}
	}
	mine, others := len(d.Questions), len(d.Others)
	var all []string
	switch {
	case len(newest) == 0:
		return "Nothing was conducted yet."
	case mine > 0:
		all = append(all, words.Upper(words.Counted(mine, "question waits", "questions wait"))+" for you.")
	case others > 0:
		all = append(all, "Nothing is asked of you. "+
			words.Upper(words.Counted(others, "question waits", "questions wait"))+" for others.")
	default:
		all = append(all, "No question waits.")
	}
	if going > 0 {
		all = append(all, words.Upper(words.Counted(going, "run is", "runs are"))+" under way.")
	} else if mine+others == 0 {
		all = append(all, "No run is under way.")
	}
	return strings.Join(all, " ")
}

// lead says how many runs there were, and how the newest ended.
func lead(newest []run) string {
	if len(newest) == 0 {
		return "Whoever has a token may oblige the conductor: to report, to verify, to achieve something."
	}
	count := map[state]int{}
	for _, r := range newest {
		count[r.State()]++
	}
	var how []string
	for _, s := range []state{met, failed, asks} {
		if n := count[s]; n > 0 {
			verb := " failed"
			switch s {
			case asks:
				verb = words.Plural(n, " waits for an answer", " wait for an answer")
			case met:
				verb = words.Plural(n, " was resolved", " were resolved")
			}
			how = append(how, words.Count(n)+verb)
		}
	}
	all := newest[0].Number
	text := words.Upper(words.Counted(all, "run", "runs")) + " in all"
	if len(how) == 0 {
		return text + "."
	}
	if all > len(newest) {
		return text + ". Of the newest " + words.Number(len(newest)) + " " + words.And(how...) + "."
	}
	return text + ": " + words.And(how...) + "."
}
