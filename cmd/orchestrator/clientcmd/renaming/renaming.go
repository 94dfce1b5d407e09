// Package renaming shows people what seems to be renamed, and what a renaming came to.
package renaming

import (
	"fmt"
	"io"

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
}

// Done is what became of a renaming.
type Done struct {
	Unchanged bool     `json:"unchanged"`
	Renames   []Pair   `json:"renames"`
	Suspect   []string `json:"suspect"`
	Record    uint64   `json:"record"`
}

// List writes the pairs that are proposed, each with the command that confirms it, unless all are to be confirmed.
func List(out io.Writer, pairs []Proposed, all bool) error {
	p, columns := output.NewPrinter(output.Colourful(out)), output.Columns(out)
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
	}
	switch {
	case len(pairs) == 0:
		p.Line("no requirement seems to have another id; confirm a pair that you know of with")
		p.Line("  orchestrator rename OLD NEW --reason '<why>'")
	case len(pairs) > 1 && !all:
		p.Line("all of them: orchestrator rename --all --reason '<why>'")
	}
	_, err := fmt.Fprint(out, p.String())
	return err
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
