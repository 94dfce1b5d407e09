// Package renaming shows people what seems to be renamed, and what a renaming came to.
package renaming

import (
	"fmt"
	"io"
	"strings"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/requirements/advice"
)

// Most is how many pairs one request may have.
const Most = 1000

// Pair is an id and the one that the requirement gets in its place.
type Pair struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Proposed is a pair that looks like a renamed requirement.
type Proposed struct {
	Pair

	Title  string `json:"title"`
	Status string `json:"status"`
	Same   string `json:"same"`
	Was    Place  `json:"from_place"`
	Is     Place  `json:"to_place"`
}

// Place is where a document has a requirement, or had it.
type Place struct {
	Path    string   `json:"path"`
	Line    int      `json:"line"`
	Section []string `json:"section"`
}

// String returns the place in words.
func (p Place) String() string {
	text := fmt.Sprintf("%s:%d", p.Path, p.Line)
	if len(p.Section) > 0 {
		text += ", " + strings.Join(p.Section, " / ")
	}
	return text
}

// Candidate is one of several requirements that look alike.
type Candidate struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Place
}

// Ambiguity are requirements that look alike.
type Ambiguity struct {
	Title string      `json:"title"`
	Same  string      `json:"same"`
	From  []Candidate `json:"from"`
	To    []Candidate `json:"to"`
}

// Found are the pairs that look like renamed requirements, and what cannot be paired.
type Found struct {
	Proposed  []Proposed  `json:"proposed"`
	Ambiguous []Ambiguity `json:"ambiguous"`
}

// Done is what became of a renaming.
type Done struct {
	Unchanged bool     `json:"unchanged"`
	Renames   []Pair   `json:"renames"`
	Suspect   []string `json:"suspect"`
	Record    uint64   `json:"record"`
}

// List writes the pairs that are proposed, each with the command that confirms it, unless all are to be confirmed; and
// what only a person can pair.
func List(out io.Writer, found Found, all bool) error {
	p, columns := output.NewPrinter(output.Colourful(out)), output.Columns(out)
	pairs := found.Proposed
	for _, one := range pairs {
		if all {
			p.Line("%s -> %s", output.Printable(one.From), output.Printable(one.To))
		} else {
			p.Line("%s", output.Printable(advice.Line("orchestrator rename", one.From, one.To, "--reason", "<why>")))
		}
		about := fmt.Sprintf("%s; %s; the same %s", one.Title, one.Status, one.Same)
		for _, line := range output.Wrap(output.Printable(about), columns-2) {
			p.Line("  %s", line)
		}
		p.Line("  was in %s", output.Printable(one.Was.String()))
		p.Line("  is in  %s", output.Printable(one.Is.String()))
	}
	for _, one := range found.Ambiguous {
		listAlike(p, one)
	}
	switch {
	case len(pairs)+len(found.Ambiguous) == 0:
		p.Line("no requirement seems to have another id; confirm a pair that you know of with")
		p.Line("  orchestrator rename OLD NEW --reason '<why>'")
	case len(pairs) > 1 && !all:
		p.Line("all of them: orchestrator rename --all --reason '<why>'")
	}
	_, err := fmt.Fprint(out, p.String())
	return err
}

// listAlike writes requirements of which only a person can say which got which id.
func listAlike(p *output.Printer, one Ambiguity) {
	p.Line("ambiguous, and no part of --all: %s; the same %s", output.Printable(one.Title), one.Same)
	for _, c := range one.From {
		p.Line("  was %s, %s, in %s", output.Printable(c.ID), c.Status, output.Printable(c.Place.String()))
	}
	for _, c := range one.To {
		p.Line("  is  %s, %s, in %s", output.Printable(c.ID), c.Status, output.Printable(c.Place.String()))
	}
	p.Line("  look which is which: orchestrator rename OLD NEW --reason '<why>'")
}

// Tell writes what a renaming came to, or what one would come to.
func Tell(out io.Writer, got Done, dry bool) {
	p := output.NewPrinter(output.Colourful(out))
	is := "is"
	if dry {
		is = "would be"
	}
	for _, pair := range got.Renames {
		p.Line("%s %s %s", output.Printable(pair.From), is, output.Printable(pair.To))
	}
	if got.Unchanged {
		p.Line("it was so already, and nothing is recorded")
	}
	for _, id := range got.Suspect {
		p.Line("  %s has another text; if the work still fits: %s", output.Printable(id),
			output.Printable(advice.Line("orchestrator accept", id)))
	}
	fmt.Fprint(out, p.String())
}

// shownPairs is how many ids of another form are shown.
const shownPairs = 5

// TellForm writes what became of the ids of a project that get another form; of many a few.
func TellForm(out io.Writer, got Done, dry bool) {
	more := max(0, len(got.Renames)-shownPairs)
	if len(got.Renames) == 0 && !got.Unchanged {
		fmt.Fprintln(out, "all ids have this form already; it is for those to come")
	}
	got.Renames = got.Renames[:len(got.Renames)-more]
	Tell(out, got, dry)
	if more > 0 {
		fmt.Fprintf(out, "and %d more; --json lists them\n", more)
	}
}
