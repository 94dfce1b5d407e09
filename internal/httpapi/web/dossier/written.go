package dossier

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// written is what one role wrote.
type written struct {
	review.Part
	Summary string
	Rest    []entry
	Pieces  []piece
	More    int    // pieces that are not shown
	Path    string // of the API, where all of them are
}

// entry is a member of what was sent, as text.
type entry struct{ Name, Text string }

// maxPieces is how many pieces of evidence of one part are shown.
const maxPieces = 40

func writtenOf(p review.Part, path string) *written {
	w := &written{Part: p, Pieces: piecesOf(p.Evidence), Path: path}
	w.Summary, w.Rest = content(p.Content)
	w.More = len(p.Evidence) - len(w.Pieces)
	return w
}

// content returns the summary of what was sent, and the other members in their order.
func content(raw []byte) (summary string, rest []entry) {
	var members map[string]jsontext.Value
	if len(raw) == 0 || json.Unmarshal(raw, &members) != nil {
		return "", nil
	}
	d := jsontext.NewDecoder(strings.NewReader(string(raw)))
	_, _ = d.ReadToken()
	for d.PeekKind() == '"' {
		token, _ := d.ReadToken()
		name := token.String()
		value, err := d.ReadValue()
		if err != nil {
			break
		}
		if name == "summary" {
			_ = json.Unmarshal(value, &summary) // a schema says that it is a text
			continue
		}
		rest = append(rest, entry{words.Part(name), plain(value)})
	}
	return summary, rest
}

// plain returns a value as a person reads it: texts as they are, lists of texts a line each, and the rest as JSON.
func plain(value jsontext.Value) string {
	var one string
	if json.Unmarshal(value, &one) == nil {
		return one
	}
	var many []string
	if json.Unmarshal(value, &many) == nil {
		return strings.Join(many, "\n")
	}
	var objects []jsontext.Value
	if json.Unmarshal(value, &objects) == nil {
		lines := make([]string, len(objects))
		for i, o := range objects {
			lines[i] = onOneLine(o)
		}
		return strings.Join(lines, "\n")
	}
	return string(value)
}

// onOneLine returns an object as its first value, and the others behind a colon; what is none as it is.
func onOneLine(object jsontext.Value) string {
	d := jsontext.NewDecoder(strings.NewReader(string(object)))
	if object.Kind() != '{' {
		return plain(object)
	}
	_, _ = d.ReadToken()
	var values []string
	for d.PeekKind() == '"' {
		_, _ = d.ReadToken()
		value, err := d.ReadValue()
		if err != nil {
			return string(object)
		}
		values = append(values, strings.ReplaceAll(plain(value), "\n", ", "))
	}
	if len(values) < 2 {
		return strings.Join(values, "")
	}
	return values[0] + ": " + strings.Join(values[1:], ", ")
}

// piece is a piece of evidence with what looking at it again came to.
type piece struct {
	review.Cited
	Mark, Name, Verdict string
	Open                bool // what it cites is shown at once
}

func piecesOf(evidence []review.Cited) []piece {
	var all []piece
	for i, c := range evidence[:min(len(evidence), maxPieces)] {
		p := piece{Cited: c, Name: nameOf(c.Evidence)}
		p.Mark, p.Verdict = verdictOf(c)
		p.Open = i == 0 || c.Recheck.Verdict == review.Stale
		all = append(all, p)
	}
	return all
}

// HasShown reports whether there is more to see of a piece than its name.
func (p piece) HasShown() bool {
	return p.Shown.Lines != nil || p.Shown.Tests != nil || p.Shown.Commit != nil || p.Shown.Cited != nil
}

// Summary returns what is shown of a piece.
func (p piece) Summary() string {
	switch {
	case p.Shown.Tests != nil:
		n := len(p.Shown.Tests.Cases) + p.Shown.Tests.More
		return words.Upper(words.Counted(n, "test", "tests"))
	case p.Shown.Commit != nil:
		return "The commit"
	case p.Shown.Lines != nil && p.Shown.Lines.Path != p.Cited.Evidence.Path:
		return "The cited lines, now in " + p.Shown.Lines.Path
	}
	return "The cited lines"
}

// nameOf returns a piece of evidence as one would type it.
func nameOf(e lifecycle.Evidence) string {
	switch e.Kind {
	case "file":
		if e.Lines != "" {
			return e.Path + ":" + e.Lines
		}
		return e.Path
	case "commit":
		return "commit " + e.Commit
	case "test":
		name := "test " + e.Name
		if e.Report != "" {
			name += ", " + reportName(e.Report)
		}
		return name
	}
	return e.Kind
}

func reportName(report string) string {
	if digest, attached := strings.CutPrefix(report, lifecycle.AttachedPrefix); attached {
		return "attached report " + digest[:min(12, len(digest))]
	}
	return report
}

// verdictOf returns the mark of a verdict, and the words for it.
func verdictOf(c review.Cited) (mark, verdict string) {
	where := ""
	if f := c.Evidence.Found; f != nil && f.Commit != "" {
		where = ", at " + f.Commit[:min(7, len(f.Commit))]
	}
	switch c.Recheck.Verdict {
	case review.Holds:
		return "m-holds", "holds" + where
	case review.Moved:
		return "m-moved", "holds, moved"
	case review.Stale:
		return "m-stale", "does not hold any more"
	}
	return "m-unverified", "said, not looked up"
}

// Counted returns how the tests of a record went.
func (w written) Counted() string {
	if w.Results == nil {
		return ""
	}
	return fmt.Sprintf("%d passed, %d failed, %d skipped", w.Results.Passed, w.Results.Failed, w.Results.Skipped)
}
