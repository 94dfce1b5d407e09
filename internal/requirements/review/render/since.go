package render

import (
	"fmt"
	"io"
	"strings"

	"orchestrator/internal/requirements/review"
)

// shownIDs is how many requirements a line of the delta names.
const shownIDs = 20

// Delta writes what became of the project since the base, a line for each thing; nothing where there is no base.
func (r Gate) Delta(w io.Writer) error {
	if r.Since == nil {
		return nil
	}
	lines := append([]string{r.base() + ": " + r.counted()}, r.named()...)
	_, err := fmt.Fprintln(w, noCommands(strings.Join(lines, "\n  ")))
	return err
}

// sinceBase adds the delta to a summary.
func (r Gate) sinceBase(s *sheet) {
	if r.Since == nil {
		return
	}
	delta := block{heading: r.base(), heads: []string{"Requirements", "Before", "Now", "Change"}}
	for _, c := range r.Since.Counts {
		if c.Before != 0 || c.Now != 0 {
			delta.rows = append(delta.rows, []cell{prose(c.What), prose(fmt.Sprint(c.Before)), prose(fmt.Sprint(c.Now)),
				prose(change(c))})
		}
	}
	s.add(delta)
	s.list("", r.named())
}

// base names the revision.
func (r Gate) base() string {
	return "since " + clean(r.Since.Ref) + " (" + r.Since.Commit[:min(len(r.Since.Commit), 12)] + ")"
}

// counted returns the counts that are not 0, in one line.
func (r Gate) counted() string {
	var words []string
	for _, c := range r.Since.Counts {
		if c.Before != 0 || c.Now != 0 {
			words = append(words, fmt.Sprintf("%s %d (%s)", c.What, c.Now, change(c)))
		}
	}
	return strings.Join(words, ", ")
}

func change(c review.SinceCount) string {
	if c.Before == c.Now {
		return "±0"
	}
	return fmt.Sprintf("%+d", c.Now-c.Before)
}

// named returns a line for each list that names requirements, and one for the refused attempts.
func (r Gate) named() (lines []string) {
	for _, l := range []struct {
		what string
		ids  []string
	}{
		{"new", r.Since.New}, {"retired", r.Since.Retired}, {"worse", r.Since.Worse}, {"pass now", r.Since.Passing},
		{"touched", r.Since.Touched},
	} {
		if len(l.ids) == 0 {
			continue
		}
		ids := make([]string, min(len(l.ids), shownIDs))
		for i := range ids {
			ids[i] = clean(l.ids[i])
		}
		line := fmt.Sprintf("%s: %d: %s", l.what, len(l.ids), strings.Join(ids, ", "))
		if more := len(l.ids) - len(ids); more > 0 {
			line += fmt.Sprintf(" and %d more", more)
		}
		lines = append(lines, line)
	}
	switch refused := r.Since.Refused; {
	case refused == nil:
	case refused.More:
		lines = append(lines, fmt.Sprintf("refused attempts: more than %d", refused.Count))
	default:
		lines = append(lines, fmt.Sprintf("refused attempts: %d", refused.Count))
	}
	return lines
}
