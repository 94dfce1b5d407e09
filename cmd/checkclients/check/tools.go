package check

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/cmd/checkclients/client"
	"orchestrator/cmd/checkclients/model"
)

// Unknown is a tool, or a field of a tool's input, that no pinned version of the client had.
type Unknown struct {
	Tool  string `json:"tool"`
	Field string `json:"field,omitempty"`
	Class string `json:"class,omitempty"` // of a tool, as the boundary judges it today
}

// Snapshot is what a client offered: the tools of its main session, and of its agents.
type Snapshot struct {
	Main  model.Tools `json:"main"`
	Agent model.Tools `json:"agent"`
}

// snapshot returns what was offered in a session.
func (s *Session) snapshot() Snapshot {
	byName := func(a, b model.Tool) int { return strings.Compare(a.FullName(), b.FullName()) }
	offered := Snapshot{Main: slices.Clone(s.Offered.Main), Agent: slices.Clone(s.Offered.Agent)}
	slices.SortFunc(offered.Main, byName)
	slices.SortFunc(offered.Agent, byName)
	return offered
}

// all returns the tools of both, each once, with all of its fields.
func (s Snapshot) all() model.Tools {
	var all model.Tools
	for _, tool := range slices.Concat(s.Main, s.Agent) {
		i := slices.IndexFunc(all, func(t model.Tool) bool { return t.FullName() == tool.FullName() })
		if i < 0 {
			all = append(all, tool)
			continue
		}
		for _, field := range tool.Fields {
			if !all[i].Has(field) {
				all[i].Fields = append(slices.Clone(all[i].Fields), field)
			}
		}
	}
	return all
}

// Kept returns the folder in which the calls of a client are kept.
func (b *Bed) Kept(c *client.Client, version string) string {
	if c.Variant != "" {
		version = c.Variant + "-" + version
	}
	return filepath.Join(b.Goldens, c.Name, version)
}

// UnknownTools returns what a client offered in a session and no snapshot of its versions has.
func (b *Bed) UnknownTools(ctx context.Context, c *client.Client, s *Session) ([]Unknown, error) {
	known, err := b.snapshots(c)
	if err != nil {
		return nil, err
	}
	var unknown []Unknown
	for _, tool := range s.snapshot().all() {
		i := slices.IndexFunc(known, func(t model.Tool) bool { return t.FullName() == tool.FullName() })
		if i < 0 {
			unknown = append(unknown, Unknown{Tool: tool.FullName(), Class: s.classOf(ctx, tool)})
			continue
		}
		for _, field := range tool.Fields {
			if !known[i].Has(field) {
				unknown = append(unknown, Unknown{Tool: tool.FullName(), Field: field})
			}
		}
	}
	return unknown, nil
}

// snapshots returns the tools that the pinned versions of a client offered.
func (b *Bed) snapshots(c *client.Client) (model.Tools, error) {
	var all Snapshot
	for _, version := range c.Versions {
		text, err := os.ReadFile(filepath.Join(b.Kept(c, version), "tools.json"))
		if os.IsNotExist(err) {
			continue
		}
		var one Snapshot
		if err == nil {
			err = json.Unmarshal(text, &one)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Title(), err)
		}
		all.Main = append(all.Main, one.all()...)
	}
	return all.all(), nil
}

// classOf asks the program what it takes a call of a tool for.
func (s *Session) classOf(ctx context.Context, tool model.Tool) string {
	if len(s.Calls) == 0 {
		return ""
	}
	call := s.place.dir("call.json")
	if err := os.WriteFile(call, s.Calls[0].as(tool), 0o600); err != nil {
		return ""
	}
	said, err := s.place.run(ctx, "orchestrator", "boundary", "explain", "--client", s.place.client.Name, call)
	if err != nil {
		return "cannot be read"
	}
	said, _, _ = strings.Cut(said, "\n")
	_, class, _ := strings.Cut(said, "the call ")
	return class
}

// as returns a call with another tool, and an input that says nothing.
func (c Call) as(tool model.Tool) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(c.Stdin, &members) != nil {
		return c.Stdin
	}
	for _, name := range []string{"tool_name", "toolName", "tool"} {
		if _, there := members[name]; there {
			members[name], _ = json.Marshal(tool.FullName()) // a string can be written
		}
	}
	for _, name := range []string{"tool_input", "toolArgs", "args"} {
		if _, there := members[name]; there {
			members[name] = json.RawMessage("{}")
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		return c.Stdin
	}
	return text
}
