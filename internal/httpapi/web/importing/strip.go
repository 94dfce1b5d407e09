package importing

import (
	"fmt"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
)

// strip shows a document: a stroke for each line, or for several.
type strip struct {
	Path    string
	Said    string // the same in words
	Width   int    // of the drawing
	Strokes []stroke
}

// stroke is a run of equal strokes.
type stroke struct {
	Kind          string // begins, goes-on, prose or not-taken
	X, Y, Width   int
	Height, Count int
}

// The kinds of lines, the later ones over the earlier where a stroke stands for several lines.
const (
	prose = iota
	goesOn
	begins
	notTaken
)

var (
	kinds   = [...]string{"prose", "goes-on", "begins", "not-taken"}
	heights = [...]int{4, 12, 24, 24}
)

// Of a strip: its height, the pitch of its strokes, and how many it has at most.
const (
	high        = 24
	pitch       = 3
	mostStrokes = 400
)

// placed is where a requirement stands, in the answer of GET /project.
type placed struct {
	Requirements []struct {
		Retired bool `json:"retired"`
		Source  struct {
			Path    string `json:"path"`
			Line    int    `json:"line"`
			EndLine int    `json:"end_line"`
		} `json:"source"`
	} `json:"requirements"`
}

// mostStrips is how many documents are drawn.
const mostStrips = 12

// stripsOf draws the documents. The API does not say how long one is: it is drawn up to the last line of which
// something is known.
func stripsOf(v *page.Visit, documents []document) ([]strip, error) {
	var p placed
	if err := v.API.Get("/project", nil, &p); err != nil {
		return nil, err
	}
	lines := map[string][]byte{}
	set := func(path string, line, kind int) {
		for len(lines[path]) < line {
			lines[path] = append(lines[path], prose)
		}
		if line > 0 && int(lines[path][line-1]) < kind {
			lines[path][line-1] = byte(kind)
		}
	}
	for _, r := range p.Requirements {
		if r.Retired {
			continue
		}
		set(r.Source.Path, r.Source.Line, begins)
		for n := r.Source.Line + 1; n <= r.Source.EndLine; n++ {
			set(r.Source.Path, n, goesOn)
		}
	}
	var all []strip
	for _, d := range documents[:min(len(documents), mostStrips)] {
		for _, r := range d.Remarks {
			set(d.Path, r.Line, notTaken)
		}
		if len(lines[d.Path]) > 0 {
			all = append(all, draw(d, lines[d.Path]))
		}
	}
	return all, nil
}

// draw makes the strip of a document of its lines.
func draw(d document, lines []byte) strip {
	each := (len(lines) + mostStrokes - 1) / mostStrokes
	s := strip{Path: d.Path, Said: fmt.Sprintf("%s: %s, %s read, %s not taken", d.Path,
		words.Counted(len(lines), "line", "lines"),
		words.Counted(d.Counts.Read, "requirement was", "requirements were"),
		words.Counted(d.Counts.Skipped, "line was", "lines were"))}
	if each > 1 {
		s.Said += fmt.Sprintf("; a stroke is %s lines", words.Count(each))
	}
	for at := 0; at < len(lines); at += each {
		kind := byte(prose)
		for _, k := range lines[at:min(at+each, len(lines))] {
			kind = max(kind, k)
		}
		s.Strokes = append(s.Strokes, stroke{Kind: kinds[kind], X: s.Width, Y: high - heights[kind], Width: pitch - 1,
			Height: heights[kind]})
		s.Width += pitch
	}
	return s
}
