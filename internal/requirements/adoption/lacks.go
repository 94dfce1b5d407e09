package adoption

import (
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/shellquote"
)

// missing says what the project does not have for a part, and for the parts after it: who mends one thing hears of the
// next.
func (w *way) missing(lead guidance.Lead) {
	id := w.now.ID
	if lead.Field == lifecycle.FieldImplementation {
		w.lack("no file has a mark of it", lifecycle.Party(lifecycle.Coder),
			`write a comment such as "Implements: `+id+`" above the code, and commit it`)
	}
	switch {
	case w.now.Test != nil && lead.Field != lifecycle.FieldTest:
	case w.tested.failed != "":
		w.lack("the test "+w.tested.failed+" failed in "+w.tested.report.path, lifecycle.Party(lifecycle.Tester),
			"mend what fails, and run the tests again")
	case len(w.tested.cited) > 0:
	case len(w.has.Tests) == 0:
		w.lack("no test names it", lifecycle.Party(lifecycle.Tester),
			`put the id into the name of a test, or write "Verifies: `+id+`" above it, and commit it`)
	case len(w.Reports) == 0:
		w.lack("a test names it, and no report of a run is given", lifecycle.Party(lifecycle.Tester), testsAgain)
	default:
		w.lack("a test names it, and no report has a run of it", lifecycle.Party(lifecycle.Tester),
			"run the test at "+w.has.Tests[0]+", and give the report of the run with --report")
	}
}

// Shared is something that the plans of several requirements lack.
type Shared struct {
	Lack // with the words of the first of them

	IDs []string
}

// Lacking returns what plans lack, each with the requirements that lack it, in the order of the first.
func (r Result) Lacking() (all []Shared) {
	for _, o := range r.Outcomes {
		for _, l := range o.Lacks {
			i := slices.IndexFunc(all, func(s Shared) bool { return s.What == l.What && s.By == l.By })
			if i < 0 {
				i, all = len(all), append(all, Shared{Lack: l})
			}
			all[i].IDs = append(all[i].IDs, o.ID)
		}
	}
	return all
}

// Doubtful returns the doubts about evidence, each with the requirements that it is about, in the order of the first.
func (r Result) Doubtful() (all []Shared) {
	for _, o := range r.Outcomes {
		for _, d := range o.Doubts {
			i := slices.IndexFunc(all, func(s Shared) bool { return s.What == d })
			if i < 0 {
				i, all = len(all), append(all, Shared{Lack: Lack{What: d, By: lifecycle.Party(lifecycle.PM)}})
			}
			all[i].IDs = append(all[i].IDs, o.ID)
		}
	}
	return all
}

// Named names the requirements: the first few, and how many there are.
func (s Shared) Named() string {
	const most = 8
	text := strings.Join(s.IDs[:min(len(s.IDs), most)], ", ")
	if len(s.IDs) > most {
		text += fmt.Sprintf(" and %d more", len(s.IDs)-most)
	}
	return text
}

// listed names files in a sentence.
func listed(files []guidance.File) string {
	const most = 3
	var words []string
	for _, f := range files[:min(len(files), most)] {
		word := f.Path
		if f.Lines != "" {
			word += ":" + f.Lines
		}
		words = append(words, word)
	}
	if len(files) > most {
		words = append(words, "…")
	}
	return strings.Join(words, ", ")
}

// quoted returns an id as a shell takes it.
func quoted(id string) string {
	if strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/.-_") == "" {
		return id
	}
	return shellquote.Quote(id)
}
