// Package render shows reviews and the gate: as Markdown, terminal tables, JUnit XML, SARIF and annotations. What
// documents and agents wrote is shown as text and never as markup.
package render

import (
	"fmt"
	"io"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/review"
)

// Gate shows the outcome of a gate.
type Gate struct{ review.GateResult }

// Summary returns the outcome in one line.
func (r Gate) Summary() string {
	text := fmt.Sprintf("%d of %d requirements pass as %s, %d deferred, %d retired", r.Passed, r.Total, r.Require,
		r.Deferred, r.Retired)
	if r.Failed > 0 {
		text += fmt.Sprintf(", %d failed", r.Failed)
	}
	if r.Since != nil {
		text += fmt.Sprintf(", %d as before", r.AsBefore)
	}
	if r.Older > 0 && r.Rules == review.RulesRecorded {
		text += fmt.Sprintf(", %d done by older rules", r.Older)
	}
	if n := len(r.Problems); n > 0 {
		text += fmt.Sprintf("; problems of the project: %d", n)
	}
	if len(r.Unchecked) > 0 {
		text += "; not checked: " + clean(strings.Join(r.Unchecked, ", "))
	}
	return text
}

// Err returns the error of a gate that fails, or nil.
func (r Gate) Err() error {
	if r.Pass {
		return nil
	}
	return fault.New(fault.Conflict, "gate_failed", "the gate fails: %s", r.Summary()).
		WithFix("orchestrator review ID shows what a requirement lacks, and whose turn it is")
}

// Text writes a line for each problem and each failed requirement; nothing when all pass.
func (r Gate) Text(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Findings() {
		between := " "
		if f.Status == "" {
			between = ": "
		}
		b.WriteString(noCommand(clean(f.Subject)+between+clean(f.Said())+inBrackets(f.Path, f.Line)) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
