package tools

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/httpapi/mcp/rest"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxShown is the most bytes of a value that a text shows.
const maxShown = 400

// lead is a change that leads on, and who makes it.
type lead struct {
	By      string
	To      string
	Field   string
	Example jsontext.Value
}

// line says what leads on: a change to copy, or else what is to be set.
func (l lead) line(b *strings.Builder) {
	what := short(l.Example)
	switch {
	case l.Example != nil:
	case l.Field == "test":
		what = "set test; attach_report does, with the report of a test run"
	case l.Field != "":
		what = "set " + l.Field
	default:
		what = "move it to " + l.To
	}
	fmt.Fprintf(b, "\nNext, by %s: %s", l.By, what)
}

// outcome is what came of a change, as far as a text tells it.
type outcome struct {
	ID, Status string
	Revision   uint64
	WaitingFor []string `json:"waiting_for"`
	Unchanged  bool
	Next       []lead
}

func (o outcome) text(dryRun bool) string {
	var b strings.Builder
	switch {
	case dryRun:
		fmt.Fprintf(&b, "It would be accepted; nothing was changed. %s would be %s.", o.ID, o.Status)
	case o.Unchanged:
		fmt.Fprintf(&b, "Nothing to change: %s is %s, revision %d.", o.ID, o.Status, o.Revision)
	default:
		fmt.Fprintf(&b, "Applied: %s is %s, revision %d.", o.ID, o.Status, o.Revision)
	}
	waits(&b, o.WaitingFor)
	o.leads(&b)
	return b.String()
}

func (o outcome) leads(b *strings.Builder) {
	for _, l := range o.Next {
		l.line(b)
	}
}

func waits(b *strings.Builder, parties []string) {
	if len(parties) > 0 {
		fmt.Fprintf(b, " It waits for %s.", strings.Join(parties, " and "))
	}
}

// short shows a value on one line, cut where it is long.
func short(v jsontext.Value) string { return cut(string(v)) }

func cut(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}

// lack is what a move lacks, and who supplies it.
type lack struct{ Detail, By string }

// lacking says each lack once: several gates may lack the same.
func lacking(all []lack) string {
	var said []string
	for _, l := range all {
		if one := fmt.Sprintf("%s (%s)", l.Detail, l.By); !slices.Contains(said, one) {
			said = append(said, one)
		}
	}
	return strings.Join(said, "; ")
}

// turn is what can be done with one requirement.
type turn struct {
	outcome
	Fields []struct {
		Field   string
		Due     bool
		Example jsontext.Value
	}
	Moves []struct {
		To          string
		Ready       bool
		LeadsToDone bool `json:"leads_to_done"`
		Lacks       []lack
		Example     jsontext.Value
	}
}

func (t turn) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is %s, revision %d.", t.ID, t.Status, t.Revision)
	waits(&b, t.WaitingFor)
	for _, f := range t.Fields {
		due := ""
		if f.Due {
			due = " (due)"
		}
		fmt.Fprintf(&b, "\nYou may set %s%s: %s", f.Field, due, short(f.Example))
	}
	for _, m := range t.Moves {
		switch {
		case !m.LeadsToDone:
			fmt.Fprintf(&b, "\nYou may move it to %s, which leads away from done: %s", m.To, short(m.Example))
		case m.Ready:
			fmt.Fprintf(&b, "\nYou may move it to %s: %s", m.To, short(m.Example))
		default:
			fmt.Fprintf(&b, "\nA move to %s lacks: %s", m.To, lacking(m.Lacks))
		}
	}
	if len(t.Fields)+len(t.Moves) == 0 {
		b.WriteString("\nThere is nothing that you may change now.")
	}
	return b.String()
}

// entry is a requirement in a list.
type entry struct {
	ID, Title, Status, Do string
	WaitingFor            []string `json:"waiting_for"`
}

func (e entry) line(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s", e.ID)
	if e.Status != "" {
		fmt.Fprintf(b, " %s", e.Status)
	}
	if len(e.WaitingFor) > 0 {
		fmt.Fprintf(b, ", waits for %s", strings.Join(e.WaitingFor, " and "))
	}
	if e.Do != "" {
		fmt.Fprintf(b, ", %s", e.Do)
	}
	if e.Title != "" {
		fmt.Fprintf(b, ": %s", cut(e.Title))
	}
}

// agenda is what waits over all requirements.
type agenda struct {
	First *struct {
		entry
		Why  string
		Next []lead
	}
	Mine    []entry
	Total   int
	Waiting []struct {
		For   string
		Count int
		First []string
	}
}

func (a agenda) text() string {
	var b strings.Builder
	if a.First == nil {
		b.WriteString("Nothing waits for you.")
	} else {
		fmt.Fprintf(&b, "First %s (%s): %s.", a.First.ID, a.First.Status, a.First.Why)
		for _, l := range a.First.Next {
			l.line(&b)
		}
	}
	if a.Total > 0 {
		fmt.Fprintf(&b, "\n%d in all:", a.Total)
	}
	for _, e := range a.Mine {
		e.line(&b)
	}
	for _, w := range a.Waiting {
		fmt.Fprintf(&b, "\nFor %s: %d (%s)", w.For, w.Count, strings.Join(w.First, ", "))
	}
	return b.String()
}

// nextText returns the result of next, with the version to wait from.
func (s *Caller) nextText(id string, got rest.Answer) (*mcp.CallToolResult, error) {
	body, err := with(got.Body, waited{Version: got.ETag})
	if err != nil {
		return nil, err
	}
	if id == "" {
		var a agenda
		err = got.Fill(&a)
		return told(body, a.text()), err
	}
	var t turn
	err = got.Fill(&t)
	return told(body, t.text()), err
}

// text is the whole of a requirement, as far as a text shows it.
type text struct {
	outcome
	Title, Text    string
	Acceptance     []struct{ Text string }
	Design         jsontext.Value `json:"design_spec"`
	Implementation jsontext.Value
	Test           jsontext.Value
}

func requirementText(r text) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is %s, revision %d.", r.ID, r.Status, r.Revision)
	for _, text := range slices.Compact([]string{r.Title, r.Text}) {
		if text != "" {
			fmt.Fprintf(&b, "\n%s", text)
		}
	}
	for _, a := range r.Acceptance {
		fmt.Fprintf(&b, "\n- accepted when: %s", a.Text)
	}
	for _, part := range []struct {
		name  string
		value jsontext.Value
	}{{"design_spec", r.Design}, {"implementation", r.Implementation}, {"test", r.Test}} {
		if part.value != nil {
			fmt.Fprintf(&b, "\n%s: %s", part.name, short(part.value))
		}
	}
	return b.String()
}

// attached is what came of a report.
type attached struct {
	outcome
	Format string
	Counts struct{ Run, Passed, Failed, Skipped int }
	Covers bool
	Cited  int
}

func (a attached) text(dryRun bool) string {
	does, covers := "is attached", "no test of it names the requirement"
	if dryRun {
		does = "would be accepted, and nothing was changed"
	}
	if a.Covers {
		covers = fmt.Sprintf("cited: %d", a.Cited)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The report (%s) %s. Tests run: %d, passed: %d, failed: %d, skipped: %d, %s.", a.Format, does,
		a.Counts.Run, a.Counts.Passed, a.Counts.Failed, a.Counts.Skipped, covers)
	waits(&b, a.WaitingFor)
	a.leads(&b)
	return b.String()
}

func claimText(c struct {
	Requirement, Field string
	Until              time.Time
	Renewed            bool
}) string {
	return fmt.Sprintf("%s of %s is yours until %s.", c.Field, c.Requirement,
		c.Until.UTC().Format("15:04:05 MST on 2006-01-02"))
}
