package render

import (
	"fmt"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/review"
)

// shownBlocks show what pieces of evidence are about, where that was asked for.
func shownBlocks(of string, all []review.Cited) (blocks []block) {
	commits := block{heading: "Commits cited by " + of, heads: []string{"Commit", "Written", "Subject"}}
	for _, c := range all {
		if c.Lines != nil {
			blocks = append(blocks, excerptBlock("Cited by "+of, c.Lines))
		}
		if c.Cited != nil {
			blocks = append(blocks, excerptBlock("As it was cited by "+of, c.Cited))
		}
		if c.Tests != nil {
			blocks = append(blocks, testsBlock("Tests cited by "+of, c.Tests))
		}
		if c.Commit != nil {
			commits.rows = append(commits.rows, []cell{name(c.Commit.ID), prose(moment(c.Commit.AuthoredAt)),
				prose(c.Commit.Subject)})
		}
	}
	return append(blocks, commits)
}

// excerptBlock shows lines with their numbers.
func excerptBlock(heading string, e *review.Excerpt) block {
	b := block{heading: fmt.Sprintf("%s: %s", heading, place(e.Path, e.From))}
	if e.Commit != "" {
		b.lines = []string{"at commit " + e.Commit}
	} else {
		b.lines = []string{"in the working tree"}
	}
	if e.Binary {
		b.lines = append(b.lines, "the file is no text, and is not shown")
		return b
	}
	if e.More > 0 {
		b.lines = append(b.lines, fault.Count(e.More, "more line")+" not shown")
	}
	var text strings.Builder
	at := e.From
	for line := range strings.Lines(e.Text) {
		text.WriteString(strings.TrimRight(fmt.Sprintf("%5d  %s", at, line), " \r\n") + "\n")
		at++
	}
	if text.Len() > 0 {
		b.texts = []string{text.String()}
	}
	return b
}

func testsBlock(heading string, t *review.Tests) block {
	b := block{heading: heading, heads: []string{"Test", "Result"}}
	for _, c := range t.Cases {
		result := cell{text: c.Result, shade: resultShades[c.Result]}
		b.rows = append(b.rows, []cell{name(c.Name), result})
	}
	if t.More > 0 {
		b.lines = []string{fault.Count(t.More, "more test") + " not shown"}
	}
	return b
}

var resultShades = map[string]shade{"pass": good, "fail": bad, "skip": warn}
