package conductcmd

import (
	"fmt"
	"io"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/conductor/drive"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/advice"
)

// driven shows the events of a drive as they come.
type driven struct {
	out    io.Writer
	asJSON bool
	bar    *output.Bar
	begun  bool
	report *drive.Report

	scope drive.Scope
	left  map[string]int // moves, by requirement, before the step that goes on
	done  int            // moves
	ended int            // requirements
}

func (d *driven) line(raw []byte) error {
	var e drive.Event
	if err := jsonv2.Unmarshal(raw, &e); err != nil {
		return err
	}
	d.bar.Clear()
	d.begun = true
	if e.Report != nil {
		d.report = e.Report
	}
	if d.asJSON {
		if _, err := fmt.Fprintln(d.out, string(raw)); err != nil {
			return err
		}
	} else if text := d.text(e); text != "" {
		if _, err := fmt.Fprintln(d.out, text); err != nil {
			return err
		}
	}
	d.draw(e)
	return nil
}

// text returns an event as a line; "" for one that only the bar shows.
func (d *driven) text(e drive.Event) string {
	var text string
	switch {
	case e.Step != nil:
		s := e.Step
		text = fmt.Sprintf("%3d %s %s: %s", s.Number, s.Requirement, s.Obligation, s.Outcome)
		if s.Tool != "" {
			text += " by " + s.Tool
		}
		if s.From != s.To {
			text += fmt.Sprintf(", %s → %s", s.From, s.To)
		}
		switch {
		case !s.Resolved():
			text += ": " + s.Why
		case s.Why != "":
			text += "; before, " + s.Why
		}
	case e.Waits != nil:
		text = fmt.Sprintf("    %s waits for the end of run %s", e.Waits.Requirement, e.Waits.Run)
	case e.End != nil:
		text = endText(*e.End)
	case e.Entered != nil || e.Merge != nil:
		text = treeText(e)
	case e.Report != nil:
		text = e.Report.String()
	}
	return output.Printable(advice.Typed(anID, text))
}

// treeText returns what became of the working tree of a requirement; "" for a new one.
func treeText(e drive.Event) string {
	switch {
	case e.Merge != nil && e.Merge.Commit != "":
		return fmt.Sprintf("    %s: %s is merged into %s (%s)", e.Merge.Requirement, e.Merge.Branch,
			e.Merge.Into, fault.Count(e.Merge.Commits, "commit"))
	case e.Merge != nil:
		return fmt.Sprintf("    %s: %s conflicts with %s: %s", e.Merge.Requirement, e.Merge.Branch, e.Merge.Into,
			strings.Join(e.Merge.Conflicts, ", "))
	case e.Entered.Commits > 0:
		return fmt.Sprintf("    %s goes on with %s that an earlier drive left on %s", e.Entered.Requirement,
			fault.Count(e.Entered.Commits, "commit"), e.Entered.Branch)
	}
	return ""
}

// endText returns how a requirement ended; "" for one that is done and left nothing behind.
func endText(e drive.End) string {
	text := ""
	if !e.Done() {
		text = fmt.Sprintf("    %s is %s, %s: %s", e.Requirement, e.Status, e.Outcome, e.Why)
	}
	switch {
	case e.Kept == "":
		return text
	case text == "":
		return fmt.Sprintf("    %s is %s; %s", e.Requirement, e.Status, e.Kept)
	}
	return text + "; " + e.Kept
}

// draw moves the bar on.
func (d *driven) draw(e drive.Event) {
	doing := ""
	switch {
	case e.Order != nil:
		d.scope, d.left = *e.Order, map[string]int{}
	case e.Begun != nil:
		d.left[e.Begun.Requirement] = e.Begun.Moves
		doing = fmt.Sprintf(", %s: %s", e.Begun.Requirement, e.Begun.Role)
	case e.Step != nil:
		d.done += d.left[e.Step.Requirement] - e.Step.Moves
	case e.End != nil:
		d.ended++
	case e.Report != nil:
		return
	}
	d.bar.Draw(d.done, d.scope.Moves,
		output.Printable(fmt.Sprintf("moves, %d of %d requirements ended%s", d.ended, d.scope.Requirements, doing)))
}
