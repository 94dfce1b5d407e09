package traces

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/rules/lifecycle"
)

// trace is all that a run did.
type trace struct {
	ID          string   `json:"id"`
	Status      string   `json:"status"`
	Tools       string   `json:"tools"`
	Obligations []traced `json:"obligations"`
	Answers     []struct {
		Obligation string `json:"obligation"`
		Text       string `json:"text"`
		Uncertain  bool   `json:"uncertain"`
	} `json:"answers"`
}

// traced is what became of one obligation, and of the steps of the plan that was to bring it about.
type traced struct {
	ID         string        `json:"id"`
	Of         duty          `json:"obligation"`
	Status     string        `json:"status"`
	Outcome    string        `json:"outcome"`
	Why        string        `json:"why"`
	Candidates []candidate   `json:"candidates"`
	Runs       []ran         `json:"runs"`
	Verified   *verification `json:"verification"`
	Steps      []traced      `json:"steps"`
	Emitted    []obligation  `json:"emitted"`
	Takes      []struct {
		To   string `json:"to"`
		From string `json:"from"`
	} `json:"takes"`
	Given []struct {
		Slot  string         `json:"slot"`
		Value jsontext.Value `json:"value"`
		By    caller         `json:"by"`
	} `json:"given"`
}

// candidate is a tool that satisfies an obligation, and why it was tried or passed over.
type candidate struct {
	Tool   string `json:"tool"`
	Taken  bool   `json:"taken"`
	Reason string `json:"reason"`

	Runs []ran `json:"-"` // of it
}

// ran is one run of a tool.
type ran struct {
	ID       string         `json:"id"`
	Tool     string         `json:"tool"`
	Inputs   jsontext.Value `json:"inputs"`
	Result   jsontext.Value `json:"result"`
	Status   string         `json:"status"`
	Duration float64        `json:"duration_ms"`
	Error    *struct {
		Code   string `json:"code"`
		Detail string `json:"detail"`
		Fix    string `json:"fix"`
	} `json:"error"`
	Postconditions []struct {
		Condition string `json:"condition"`
		Holds     bool   `json:"holds"`
		Why       string `json:"why"`
	} `json:"postconditions"`
	Usage *struct {
		Client string  `json:"client"`
		Input  int     `json:"input_tokens"`
		Output int     `json:"output_tokens"`
		Cost   float64 `json:"cost_usd"`
	} `json:"usage"`
}

// verification is what a second evaluation of an answer came to.
type verification struct {
	By       string   `json:"by"`
	With     []string `json:"with"`
	Verified bool     `json:"verified"`
	Why      string   `json:"why"`
}

// node is an obligation in the tree.
type node struct {
	traced
	state
	Candidates []candidate
	Steps      []node
}

// nodesOf returns obligations as a tree, each run of a tool below the candidate that it was a run of.
func nodesOf(all []traced) (nodes []node) {
	for _, t := range all {
		n := node{traced: t, state: stateOf(t.Status, t.Outcome), Candidates: t.Candidates, Steps: nodesOf(t.Steps)}
		for _, r := range t.Runs {
			n.Candidates = addRun(n.Candidates, r)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// addRun adds a run to the candidate that it was a run of: the last of its tool, or one of its own.
func addRun(all []candidate, r ran) []candidate {
	for i := range all {
		if all[i].Tool == r.Tool {
			all[i].Runs = append(all[i].Runs, r)
			return all
		}
	}
	return append(all, candidate{Tool: r.Tool, Taken: true, Reason: "was run", Runs: []ran{r}})
}

// stateOf returns how far an obligation is.
func stateOf(status, outcome string) state {
	switch {
	case status == resolved:
		return met
	case outcome == "clarify":
		return asks
	case status == active:
		return underWay
	case outcome == "guardrail":
		return state{"m-refused", "held back by a guardrail"}
	case outcome == "truncated":
		return state{"m-refused", "cut off: a budget was used up"}
	case status == "escalated" && outcome == "":
		return state{"m-unmet", "left to people"}
	}
	return failed
}

// State returns how an obligation that another gave rise to stands.
func (o obligation) State() state { return stateOf(o.Status, "") }

// Mark returns the mark of a candidate: whether it did, or failed, or was never tried.
func (c candidate) Mark() string {
	switch {
	case !c.Taken:
		return "m-ahead"
	case len(c.Runs) > 0 && c.Runs[len(c.Runs)-1].Status == "done" && c.Reason == "succeeded":
		return "m-holds"
	case len(c.Runs) > 0:
		return "m-refused"
	}
	return "m-moved"
}

// Says returns what became of a candidate.
func (c candidate) Says() string {
	switch {
	case !c.Taken:
		return "passed over: " + c.Reason
	case c.Reason == "succeeded":
		return "taken, and it succeeded"
	}
	return "taken: " + c.Reason
}

// Says returns how a run of a tool ended.
func (r ran) Says() string {
	ended := map[string]string{
		"done": "done", "failed": "failed", "refused": "its result is not what the contract promises",
	}[r.Status]
	if r.Duration == 0 {
		return ended
	}
	return ended + ", after " + milliseconds(r.Duration)
}

func milliseconds(ms float64) string {
	if ms >= 1000 {
		return strconv.FormatFloat(ms/1000, 'f', 1, 64) + " s"
	}
	return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
}

// Says returns what the second evaluation of an answer came to.
func (v verification) Says() string {
	switch {
	case !v.Verified:
		return "not confirmed: " + v.Why
	case v.By == "again":
		return "confirmed: worked out again with " + words.And(v.With...)
	case v.By == "facts":
		return "confirmed by what sources state"
	}
	return "taken as it is: the contract asks for no confirmation"
}

// pretty returns JSON with a line for each member; short values stay in one line.
func pretty(value jsontext.Value) string {
	const oneLine = 80
	if len(value) <= oneLine {
		return string(value)
	}
	out := value.Clone()
	if out.Indent(jsontext.WithIndent("  ")) != nil {
		return string(value)
	}
	return string(out)
}

// InputsText returns what a tool was given.
func (r ran) InputsText() string { return pretty(r.Inputs) }

// ResultText returns what a tool answered, or "".
func (r ran) ResultText() string { return pretty(r.Result) }

// outcomeSays returns how a run ended, as a sentence goes on.
func outcomeSays(outcome string) string {
	switch outcome {
	case "resolved":
		return "was resolved"
	case "clarify":
		return "waits for an answer"
	case "truncated":
		return "was cut off: a budget was used up"
	case "guardrail":
		return "was held back by a guardrail"
	}
	return "failed"
}

// one is what the page of a run shows.
type one struct {
	Run       run
	Opening   string
	Lead      string
	Trace     *trace // nil while the run is under way
	Nodes     []node
	Questions []asking
	Others    []asking
	Panel     *page.Panel // of a form that no question takes up any more
}

// showRun asks the API for a run and its trace.
//
// Implements: ORC-338
func showRun(v *page.Visit) (page.View, error) {
	d := one{}
	if err := v.API.Get("/obligations/"+url.PathEscape(v.ID), nil, &d.Run); err != nil {
		return page.View{}, err
	}
	var t trace
	switch err := v.API.Get("/traces/"+url.PathEscape(v.ID), nil, &t); {
	case err == nil:
		d.Trace, d.Nodes = &t, nodesOf(t.Obligations)
	case !isUnknown(err):
		return page.View{}, err
	}
	all := questionsOf(v, []run{d.Run})
	if v.Is(lifecycle.PM) || d.Run.Caller == (caller{v.Who.Name, v.Who.Role}) {
		d.Questions = all
	} else {
		d.Others = all
	}
	d.Panel = panelOf(v, d.Questions)
	d.Opening, d.Lead = d.open(), d.lead()
	return page.View{Title: "Run " + strconv.Itoa(d.Run.Number), Live: "*", Data: d}, nil
}

// open says how the run ended.
func (d one) open() string {
	name := "Run " + words.Number(d.Run.Number)
	switch {
	case d.Trace == nil:
		return name + " is under way."
	case len(d.Questions)+len(d.Others) > 0:
		return name + " waits for an answer."
	case d.Trace.Status == "failed" && d.Run.Why() != "":
		return name + " failed."
	}
	return name + " " + outcomeSays(d.Trace.Status) + "."
}

// lead says who asked for what.
func (d one) lead() string {
	n := len(d.Run.asked())
	return "Asked for by " + d.Run.Caller.Name + ", " + d.Run.Caller.Role + ": " +
		words.Counted(n, "obligation", "obligations") + d.tried() + "."
}

// tried says how many runs of tools there were.
func (d one) tried() string {
	runs := countRuns(d.Nodes)
	if runs == 0 {
		return "; no tool was run"
	}
	return "; " + words.Counted(runs, "run", "runs") + " of tools"
}

func countRuns(nodes []node) (n int) {
	for _, one := range nodes {
		n += len(one.Runs) + countRuns(one.Steps)
	}
	return n
}

// Path returns the path of the API that has all of the run.
func (d one) Path() string { return strings.Join([]string{"GET", "/traces/" + d.Run.ID}, " ") }
