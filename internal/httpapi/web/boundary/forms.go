package boundary

import (
	"net/http"
	"strings"

	"orchestrator/internal/boundary/report"
	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/lifecycle"
)

// forms are those of a pm.
type forms struct {
	May    bool
	Rests  string // what a switch rests on
	Modes  []modeForm
	Attest attestForm
	Panel  *page.Panel
}

// modeForm switches to one mode.
type modeForm struct {
	Mode     boundary.Mode
	Title    string // of its disclosure
	Button   string
	Meaning  string
	Against  []string // what keeps the boundary from the mode, unless it is overridden
	Warning  string
	Reason   string
	Override string
	Open     bool
}

// attestForm vouches for what no journal shows.
type attestForm struct {
	Items []item
	Note  string
	Open  bool
}

// item is something that is to be attested.
type item struct {
	Name, Says string
	Chosen     bool
}

// titles are what switches are called, and their buttons.
var titles = map[boundary.Mode][2]string{
	boundary.Off:      {"Switch it off", "Switch the boundary off"},
	boundary.Validate: {"Watch, and block nothing", "Switch the boundary to validate"},
	boundary.Confirm:  {"Let the person at the client decide", "Switch the boundary to confirm"},
	boundary.Enforce:  {"Enforce it", "Enforce the boundary"},
}

// vouched are the conditions that somebody attests: by the name of the check, the item and what is said.
var vouched = map[string][2]string{
	"team briefed":       {"team", "The team is briefed: everybody was shown a block and the bypass"},
	"documents updated":  {"documents", "The documents are updated: they say what changes"},
	"workflows covered":  {"workflows", "The workflows are covered: every change that the work needs can be delegated"},
	"feedback collected": {"feedback", "The feedback was dealt with: users were asked, and their answers were heeded"},
}

func formsOf(v *page.Visit, r report.Readiness) forms {
	f := forms{May: v.Is(lifecycle.PM), Panel: page.NewPanel(v.Refused)}
	passed := 0
	for _, c := range r.Checks {
		if c.Passed {
			passed++
		} else if at, is := vouched[c.Name]; is {
			f.Attest.Items = append(f.Attest.Items, item{at[0], at[1], v.Form.Get("item") == at[0]})
		}
	}
	f.Rests = words.Upper(words.Count(passed)) + " of " + words.Count(len(r.Checks)) + " conditions are met, on " +
		words.Number(r.Figures.ToolUses) + words.Plural(r.Figures.ToolUses, " judged call", " judged calls") + " and " +
		words.Counted(r.Figures.Labelled, "label.", "labels.")
	for _, m := range boundary.Modes() {
		if m != r.Mode {
			f.Modes = append(f.Modes, modeFormOf(v, r, m))
		}
	}
	if v.Form.Get("act") == "attest" {
		f.Attest.Open, f.Attest.Note = true, v.Form.Get("note")
	}
	return f
}

func modeFormOf(v *page.Visit, r report.Readiness, m boundary.Mode) modeForm {
	f := modeForm{Mode: m, Title: titles[m][0], Button: titles[m][1], Meaning: meanings[m]}
	if m.Blocks() {
		failed, raised := r.Against(m)
		for _, c := range failed {
			f.Against = append(f.Against, c.Name+": "+c.Value+", wanted "+c.Threshold)
		}
		for _, flag := range raised {
			f.Against = append(f.Against, flag.Name+": "+flag.Value+", a red flag where it is "+flag.Limit)
		}
	} else if r.Mode.Blocks() {
		f.Warning = "This is a rollback: before the boundary blocks again, more is asked for."
	}
	if v.Form.Get("act") == "mode" && v.Form.Get("mode") == string(m) {
		f.Open, f.Reason, f.Override = true, v.Form.Get("reason"), v.Form.Get("override")
	}
	return f
}

// act sends what a form of the page asks for.
func act(v *page.Visit) (page.Outcome, error) {
	var got ask.Answer
	var said string
	var err error
	switch v.Form.Get("act") {
	case "mode":
		to := v.Form.Get("mode")
		said = "The boundary is in mode " + to + "."
		got, err = v.API.Change(http.MethodPut, "/boundary/mode", struct {
			Mode     string `json:"mode"`
			Reason   string `json:"reason"`
			Override string `json:"override,omitempty"`
		}{to, text(v, "reason"), text(v, "override")})
	case "attest":
		said = "What you vouch for is on record."
		got, err = v.API.Change(http.MethodPost, "/boundary/attestations", struct {
			Item string `json:"item"`
			Note string `json:"note"`
		}{v.Form.Get("item"), text(v, "note")})
	default:
		return page.Outcome{}, page.UnknownForm()
	}
	if err != nil {
		return page.Outcome{}, err
	}
	return page.Outcome{Said: page.Recorded(said, got)}, nil
}

func text(v *page.Visit, field string) string { return strings.TrimSpace(v.Form.Get(field)) }

// share returns a part of a whole in words.
func share(r report.Rate) string {
	if r.Of == 0 {
		return "not measured"
	}
	return words.Number(r.Count) + " of " + words.Number(r.Of)
}

// BypassShare returns of how many sessions a bypass lifted the boundary.
func (d data) BypassShare() string { return share(d.Report.Bypasses) }

// ErrorShare returns of how many runs the hook failed.
func (d data) ErrorShare() string { return share(d.Report.Errors) }
