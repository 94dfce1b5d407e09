package onrecord

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/language/near"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/rules/planning"
)

// discoverer answers DISCOVER_OP.
type discoverer struct{ registry *contract.Registry }

// found is what it answers.
type found struct {
	Capability string   `json:"capability"`
	Tools      []tool   `json:"tools"`   // that satisfy it, in the order in which they are tried
	Nearest    []string `json:"nearest"` // what other tools satisfy that is spelled alike
	Asked      asked    `json:"asked"`
}

// tool is a tool that satisfies what was asked for.
type tool struct {
	Name        string         `json:"name"`
	Source      string         `json:"source"` // built-in, or project
	Means       planning.Means `json:"means"`
	Description string         `json:"description"`
	Why         string         `json:"why_not,omitempty"` // the caller may not have it run
}

// asked says how often it was asked for when no tool satisfied it.
type asked struct {
	Count int      `json:"count"`
	By    []string `json:"by,omitempty"`
	Last  string   `json:"last,omitempty"`
	Run   string   `json:"run,omitempty"`
}

// maxNearest bounds what is listed as spelled alike.
const maxNearest = 3

func (d discoverer) run(ctx context.Context, c builtin.Call) (map[string]any, []builtin.Effect, error) {
	capability, _ := c.Inputs["capability"].(string)
	all := d.registry.Contracts()
	f := found{Capability: capability, Tools: []tool{}, Nearest: nearest(capability, all)}
	o := obligationOf(capability)
	for _, candidate := range planning.NewChoice(all).Candidates(o) {
		source := "project"
		if candidate.Implementation.Means == planning.Builtin && candidate.Implementation.Name == candidate.Name {
			source = "built-in"
		}
		f.Tools = append(f.Tools, tool{candidate.Name, source, candidate.Implementation.Means, candidate.Description,
			d.whyNot(*candidate, o, c)})
	}
	err := c.View(ctx, func(v state.View) error {
		s, known, err := v.Sought(capability)
		if known {
			f.Asked = asked{s.Count, s.By, s.Last.UTC().Format(time.RFC3339), s.Run}
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	result, err := state.Plain[map[string]any](f)
	return result, nil, err
}

// obligationOf returns an obligation of a capability, without the rest of its payload.
func obligationOf(capability string) planning.Obligation {
	typ, kind, _ := strings.Cut(strings.TrimSuffix(capability, ")"), "(")
	o := planning.Obligation{Type: planning.Type(typ), Payload: map[string]any{}}
	if kind != "" {
		o.Payload["kind"] = kind
	}
	return o
}

// whyNot returns why a tool does not run for a caller, whatever the payload says; "" where it may.
func (d discoverer) whyNot(c planning.Contract, o planning.Obligation, call builtin.Call) string {
	if why := c.Refuses(call.Caller.Role, o); why != "" {
		return why
	}
	known, is := d.registry.Tool(c.Name)
	if !is {
		return ""
	}
	for _, v := range known.Preconditions(contract.Facts{Caller: map[string]any{"name": call.Caller.Name,
		"role": call.Caller.Role}}) {
		if v.Decided() && !v.Holds { // one about the payload is not decided
			return "the precondition " + v.String()
		}
	}
	return ""
}

// nearest returns what is satisfied and spelled most like something that is not the same: at most half of its letters
// differ.
func nearest(capability string, all []planning.Contract) []string {
	type one struct {
		what string
		far  int
	}
	var known []one
	for _, c := range all {
		for _, what := range c.Satisfies {
			far := near.Distance([]rune(what), []rune(capability))
			if what != capability && far <= len(capability)/2 &&
				!slices.ContainsFunc(known, func(k one) bool { return k.what == what }) {
				known = append(known, one{what, far})
			}
		}
	}
	slices.SortFunc(known, func(a, b one) int { return cmp.Or(a.far-b.far, strings.Compare(a.what, b.what)) })
	names := []string{}
	for _, k := range known[:min(len(known), maxNearest)] {
		names = append(names, k.what)
	}
	return names
}
