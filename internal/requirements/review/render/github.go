package render

import (
	"fmt"
	"io"
	"strings"
)

// shownFailures is how many failed requirements a summary lists: GitHub takes 1 MiB.
const shownFailures = 500

// Markdown writes a summary of the result for a job on GitHub.
func (r Gate) Markdown(w io.Writer) error {
	s := sheet{title: "Gate " + r.Require + ": passed"}
	if !r.Pass {
		s.title = "Gate " + r.Require + ": failed"
	}
	s.list("", []string{r.Summary()})
	r.sinceBase(&s)
	failed := block{heading: "Failures", heads: []string{"What", "Status", "Why", "Where"}}
	all := r.Findings()
	for _, f := range all[:min(len(all), shownFailures)] {
		failed.rows = append(failed.rows, []cell{name(f.Subject), prose(f.Status), prose(f.Message),
			name(place(f.Path, f.Line))})
	}
	s.add(failed)
	if more := len(all) - shownFailures; more > 0 {
		s.list("", []string{fmt.Sprintf("and %d more", more)})
	}
	return s.markdown(w)
}

// Annotations writes a workflow command of GitHub Actions for each failure, which shows it at its line.
func (r Gate) Annotations(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Findings() {
		b.WriteString("::error ")
		if f.Path != "" {
			fmt.Fprintf(&b, "file=%s,", property(f.Path))
			if f.Line > 0 {
				fmt.Fprintf(&b, "line=%d,", f.Line)
			}
		}
		fmt.Fprintf(&b, "title=%s::%s\n", property(f.Subject), data(f.Said()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// data escapes the message of a workflow command. Within it, "##[" would begin a command of the older kind.
func data(s string) string { return noCommand(dataEscapes.Replace(clean(s))) }

func property(s string) string { return noCommand(propertyEscapes.Replace(clean(s))) }
