package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/cmd/checkclients/client"
	"orchestrator/cmd/checkclients/model"
)

// wanted are the calls that are kept, each by what it has in it.
var wanted = []struct {
	name  string
	later bool // it is made after the tool
	has   []string
}{
	{"read", false, []string{"edit.txt"}},
	{"edit", false, []string{"edit.txt", after}},
	{"after_edit", true, []string{"edit.txt", after}},
	{"shell", false, []string{"echo " + after}},
	{"after_shell", true, []string{"echo " + after}},
	{"here", false, []string{"cat > here.txt"}},
	{"delegate", false, []string{agentMark}},
	{"after_delegate", true, []string{agentMark}},
	{"agent_edit", false, []string{"agent.txt", after}},
	{"after_agent_edit", true, []string{"agent.txt", after}},
	{"terminal", false, []string{"less edit.txt"}},
	{"note", false, []string{"memory/MEMORY.md"}},
}

// Keep writes what a client sent to its hook, with the machine's paths and ids replaced.
func (b *Bed) Keep(c *client.Client, version string, runs Runs) error {
	s := runs[Validate]
	folder := b.Kept(c, version)
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	f := &fixer{root: s.place.root, ids: map[string]string{}}
	for _, want := range wanted {
		if err := f.keep(filepath.Join(folder, want.name+".stdin"), s.Calls, func(call Call) bool {
			return call.later() == want.later && !call.ends() && call.has(want.has)
		}); err != nil {
			return err
		}
	}
	if finish := runs[Finish]; finish != nil {
		f.root = finish.place.root
		if err := f.keep(filepath.Join(folder, "end.stdin"), finish.Calls, Call.ends); err != nil {
			return err
		}
	}
	return s.snapshot().write(filepath.Join(folder, "tools.json"))
}

// write writes a line for each tool, so that a difference shows what came and went.
func (s Snapshot) write(file string) error {
	lines := func(tools model.Tools) string {
		var all []string
		for _, tool := range tools {
			text, err := json.Marshal(tool)
			if err != nil {
				panic(err) // of our own values
			}
			all = append(all, "    "+string(text))
		}
		return strings.Join(all, ",\n")
	}
	text := fmt.Sprintf("{\n  \"main\": [\n%s\n  ],\n  \"agent\": [\n%s\n  ]\n}\n", lines(s.Main), lines(s.Agent))
	return os.WriteFile(file, []byte(text), 0o600)
}

// afterwards is what shows that a call is made after its tool.
var afterwards = regexp.MustCompile(`"(PostToolUse|PostToolUseFailure|AfterTool|tool\.execute\.after)"|"toolResult":`)

func (c Call) later() bool { return afterwards.Match(c.Stdin) }

// ends reports whether a call is made at the end of a turn.
func (c Call) ends() bool { return strings.Contains(c.Args, "--finished") }

func (c Call) has(texts []string) bool {
	for _, text := range texts {
		if !bytes.Contains(c.Stdin, []byte(text)) {
			return false
		}
	}
	return true
}

// fixer replaces what differs from run to run.
type fixer struct {
	root string
	ids  map[string]string
}

// keep writes the first call of a kind. Not every client makes each.
func (f *fixer) keep(file string, calls []Call, is func(Call) bool) error {
	i := slices.IndexFunc(calls, is)
	if i < 0 {
		return nil
	}
	text, err := f.fixed(calls[i].Stdin)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// identifiers are what clients make up for each session, agent and call.
var identifiers = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|` +
	`\b(?:toolu|call|fc)_[0-9a-z_]+|` + `\bses_[0-9A-Za-z]+|\ba[0-9a-f]{16}\b|session-20[0-9T-]+-[0-9a-f]{8}`)

var moments = regexp.MustCompile(`20\d\d-\d\d-\d\dT[0-9:.]+Z|rollout-20[0-9T-]+|/20\d\d/\d\d/\d\d/`)

// fixed returns a call in the order of its members, on several lines.
func (f *fixer) fixed(call []byte) ([]byte, error) {
	in := jsontext.NewDecoder(bytes.NewReader(call))
	var out bytes.Buffer
	to := jsontext.NewEncoder(&out, jsontext.WithIndent("  "))
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return out.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
		at := string(in.StackPointer())
		switch kind, n := in.StackIndex(in.StackDepth()); {
		case token.Kind() == '"' && (kind != '{' || n%2 == 0):
			token = jsontext.String(f.text(at, token.String()))
		case token.Kind() == '0':
			token = number(at, token)
		}
		if err := to.WriteToken(token); err != nil {
			return nil, err
		}
	}
}

// text fixes a value. What a tool returned is the client's own text, and is left out where it is long.
func (f *fixer) text(at, value string) string {
	const longest = 40
	result := strings.HasPrefix(at, "/tool_response") || strings.HasPrefix(at, "/toolResult")
	if result && len(value) > longest {
		return "…"
	}
	value = strings.ReplaceAll(value, f.root+"/home/pm", "/home/pm")
	joined := strings.NewReplacer("/", "-", ".", "-", "@", "-").Replace(f.root + "/home/pm")
	value = strings.ReplaceAll(value, joined, "-home-pm")
	value = identifiers.ReplaceAllStringFunc(value, f.id)
	return moments.ReplaceAllStringFunc(value, func(moment string) string {
		if strings.HasPrefix(moment, "rollout") {
			return "rollout-2026-11-23T12-00-00-"
		}
		if strings.HasPrefix(moment, "/") {
			return "/2026/11/23/"
		}
		return "2026-11-23T12:00:00.000Z"
	})
}

// id returns the same fixed id for the same id.
func (f *fixer) id(id string) string {
	if f.ids[id] == "" {
		n := len(f.ids) + 1
		kind, _, named := strings.Cut(id, "_")
		switch {
		case named:
			f.ids[id] = fmt.Sprintf("%s_%04d", kind, n)
		case strings.HasPrefix(id, "session-"):
			f.ids[id] = "session-2026-11-23T12-00-00000000"
		case len(id) == len("a0123456789abcdef"):
			f.ids[id] = fmt.Sprintf("a%016d", n)
		default:
			f.ids[id] = fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
		}
	}
	return f.ids[id]
}

func number(at string, token jsontext.Token) jsontext.Token {
	const longAgo = 1e12
	switch {
	case value(token) > longAgo:
		return jsontext.Int(1795435200000)
	case strings.HasSuffix(strings.ToLower(at), "ms"):
		return jsontext.Int(1)
	}
	return token
}

// value returns a number; one that is too large for a float is as large as one can be.
func value(token jsontext.Token) float64 {
	n, _ := token.Float()
	return n
}
