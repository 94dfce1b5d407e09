package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

// UnlistedTools are the tools that were called and that neither this program nor the policy knows, the most called
// first.
type UnlistedTools struct {
	Tools []Unlisted `json:"tools"`
}

// Unlisted is a tool that was called and that neither the client's table nor a list of the policy knows.
type Unlisted struct {
	Client string         `json:"client"`
	Tool   string         `json:"tool"` // as the client calls it
	Calls  int            `json:"calls"`
	Last   time.Time      `json:"last"`
	Class  boundary.Class `json:"class"` // by the words of its name
	Lines  []Suggestion   `json:"lines"`
}

// Suggestion says which list of a policy a tool may be added to.
type Suggestion struct {
	If   string `json:"if"` // it is right
	Line string `json:"line"`
}

// Unlisted returns the unlisted tools that were called since a time. The zero time is the whole journal.
func (h *History) Unlisted(p *boundary.Policy, since time.Time) UnlistedTools {
	type key struct{ client, tool string }
	found := map[key]*Unlisted{}
	for i := range h.Decisions {
		d := &h.Decisions[i]
		own := cmp.Or(d.OwnTool, d.Tool)
		if d.Shell || own == "" || d.At.Before(since) {
			continue
		}
		class, unlisted := p.Unlisted(boundary.Call{Tool: canonical(d.Client, d.Tool, own), OwnTool: own})
		if !unlisted {
			continue
		}
		k := key{d.Client, own}
		if found[k] == nil {
			found[k] = &Unlisted{Client: d.Client, Tool: own, Class: class, Lines: linesFor(own, class)}
		}
		found[k].Calls++
		if d.At.After(found[k].Last) {
			found[k].Last = d.At
		}
	}
	all := make([]Unlisted, 0, len(found))
	for _, u := range found {
		all = append(all, *u)
	}
	slices.SortFunc(all, func(a, b Unlisted) int {
		return cmp.Or(b.Calls-a.Calls, strings.Compare(a.Client, b.Client), strings.Compare(a.Tool, b.Tool))
	})
	return UnlistedTools{all}
}

// canonical returns the one name of a tool as this program knows it: the line may be of an older one.
func canonical(client, noted, own string) string {
	if c, known := agentclient.Named(client); known && noted == own {
		return c.Canonical(own)
	}
	return noted
}

// linesFor returns what to add to a policy for a tool: all of it where the name tells nothing. A character that a
// pattern does not have is any one there.
func linesFor(tool string, class boundary.Class) []Suggestion {
	pattern := strings.NewReplacer("/", "_", "[", "?", "]", "?", `\`, "?", "*", "?").Replace(tool)
	line := func(list string) string { return fmt.Sprintf("add %q to %s", pattern, list) }
	reads := Suggestion{"it changes no file", line("allowed_tools")}
	writes := Suggestion{"it writes files", line("blocked_tools")}
	switch class {
	case boundary.Reads:
		return []Suggestion{reads}
	case boundary.Writes:
		return []Suggestion{writes}
	}
	return []Suggestion{reads, {"it starts an agent", line("delegate_tools")}, writes}
}
