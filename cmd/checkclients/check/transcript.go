package check

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"orchestrator/cmd/checkclients/client"
	"orchestrator/cmd/checkclients/model"
)

// transcript prints what the model and the client said to one another.
type transcript struct {
	strings.Builder

	p     *place
	calls map[string][]model.Outcome // by the task
}

func newTranscript(p *place) *transcript { return &transcript{p: p} }

// conversations returns what became of the steps of some conversations, by their marks.
func conversations(server *model.Server, marks ...string) map[string][]model.Outcome {
	all := map[string][]model.Outcome{}
	for _, mark := range marks {
		all[mark], _ = server.Outcomes(mark)
	}
	return all
}

func (t *transcript) text(c *client.Client, version, log string) string {
	fmt.Fprintf(t, "The main session of %s %s, in enforce. Its model follows a script; the rest is as it happened.\n"+
		"Made by: make check-clients CLIENT=%s TRANSCRIPT=FILE\n", c.Title(), version, c.Name)
	fmt.Fprintf(t, "\nuser: %s\n", pmTask)
	t.conversation("main session", "", pmTask)
	fmt.Fprint(t, "\nAfterwards, a person looks at the decisions of the boundary:\n\n$ orchestrator boundary log\n")
	for line := range strings.Lines(log) {
		if !strings.Contains(line, "  outcome  ") {
			fmt.Fprint(t, line)
		}
	}
	return t.fixed(t.String())
}

func (t *transcript) conversation(who, indent, task string) {
	for _, o := range t.calls[task] {
		fmt.Fprintf(t, "\n%s%s: %s\n", indent, who, strings.ReplaceAll(callText(o), "\n", "\n"+indent+"    "))
		if _, delegated := t.calls[o.Step]; delegated {
			t.conversation("agent", indent+"        ", o.Step)
			t.result(indent, "the agent ends")
			continue
		}
		t.result(indent, resultOf(o))
	}
}

// resultOf returns what a step came to. What the client says in its own words of a write that went well is left out.
func resultOf(o model.Outcome) string {
	_, command := inputOf(o)["command"]
	switch {
	case strings.Contains(o.Result, blocked):
		return o.Result
	case o.Step == "edit greet.go":
		return "the file is changed"
	case command && strings.HasPrefix(o.Result, "(") && strings.HasSuffix(o.Result, ")"):
		return "(nothing is printed)"
	}
	return o.Result
}

func inputOf(o model.Outcome) (in map[string]any) {
	text, err := json.Marshal(o.Call.Input)
	if err != nil || json.Unmarshal(text, &in) != nil {
		return nil
	}
	return in
}

// callText is what the model called: a command as it is, and anything else with its input.
func callText(o model.Outcome) string {
	in := inputOf(o)
	if command, is := in["command"].(string); is {
		return o.Tool + "\n$ " + command
	}
	var words []string
	for _, name := range []string{"subagent_type", "file_path", "old_string", "new_string", "prompt"} {
		if value, is := in[name].(string); is {
			words = append(words, name+"="+value)
		}
	}
	return o.Tool + " " + strings.Join(words, " ")
}

// mostLines bounds what is shown of a result.
const mostLines = 40

func (t *transcript) result(indent, text string) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > mostLines {
		lines = append(lines[:mostLines], "...")
	}
	for _, line := range lines {
		fmt.Fprintln(t, strings.TrimRight(indent+"    | "+line, " "))
	}
}

var changing = []struct {
	found *regexp.Regexp
	by    string
}{
	{regexp.MustCompile(`20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z| UTC)?`), "2026-11-23 12:00"},
	{regexp.MustCompile(`sha256:[0-9a-f]{22}  holds\n *\|  +[0-9a-f]{42}\n`), "sha256:0123abcd  holds\n"},
	{regexp.MustCompile(`@[0-9a-f]{30,39}  holds\n *\|  +[0-9a-f]+\n`), "@0123abcd  holds\n"},
	{regexp.MustCompile(`\b[0-9a-f]{40}\b|\b[0-9a-f]{64}\b`), "0123abcd"},
	{regexp.MustCompile(`  \d+\.\d ms\n`), "\n"},
	{regexp.MustCompile(`(?m)^( *\| ok +\t\w+\t)\d+\.\d+s$`), "${1}0.01s"},
	{regexp.MustCompile(`(?m)( \d\d:\d\d  )#\d+  `), "${1}#n  "}, // the boundary's lines are in the same log
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "a-session"},
	{regexp.MustCompile(`\ba[0-9a-f]{16}\b`), "an-agent"},
	{regexp.MustCompile(`\b[0-9a-f]{7}\b`), "0123abc"},
	{regexp.MustCompile(`Date: .*`), "Date: Mon Nov 23 12:00:00 2026 +0000"},
}

// fixed replaces what differs from run to run.
func (t *transcript) fixed(text string) string {
	text = strings.ReplaceAll(text, t.p.at.Home, "/home/pm")
	text = strings.ReplaceAll(text, t.p.dir("bin")+"/", "")
	for _, c := range changing {
		text = c.found.ReplaceAllString(text, c.by)
	}
	lines := slices.Collect(strings.Lines(text))
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \n") + "\n"
	}
	return strings.Join(lines, "")
}
