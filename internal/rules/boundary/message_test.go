package boundary

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func message(p Policy, c Call) string { return Message(&p, c, Judge(&p, c)) }

// A block says what was attempted, on which file, the role, what is allowed and blocked, the action, the agents, an
// example, the bypass and the phase: a line each.
//
// Verifies: ORC-064
func TestMessageOfABlock(t *testing.T) {
	c := call("Edit", "main")
	c.Delegation = Delegation{Tool: "Agent", Type: "subagent_type", Prompt: "prompt", Also: []Member{{"description", "Change the file"}},
		Agents: []AgentType{{Name: "explorer"}, {Name: "test-coverage"}, {Name: "general-purpose", BuiltIn: true}, {Name: "bug-hunter"}},
		Reads:  []string{"Read", "Grep", "Agent"}, Writes: []string{"Edit", "Write"}}
	require.Equal(t, strings.Split(message(DefaultEnforced(), c), "\n"), []string{
		"ORCHESTRATOR BOUNDARY VIOLATION - OPERATION BLOCKED: Edit on src/a.go [main.writes]",
		"Why: Edit writes files",
		"Your role: main session: you read, ask and delegate; agents change files",
		"Allowed: Read, Grep, Agent, shell commands that read, build, test, install packages or commit; writing .claude/plans/**, scratch/**",
		"Blocked: Edit, Write, shell commands that write files",
		"Action: call Agent to have an agent make the change",
		"Agents: bug-hunter (bug diagnosis and fix implementation); general-purpose; test-coverage (test creation and coverage)",
		`Example: Agent {"subagent_type": "bug-hunter", "description": "Change the file", "prompt": "Change src/a.go: <what>. It is done when <check>"}`,
		"Bypass, for a person and only where the boundary is wrong: orchestrator boundary bypass --reason TEXT --for 30m, or AMPLIFIER_BYPASS_BOUNDARY=true in the client's environment; every use is on record",
		"Phase: enforce: this call has been blocked",
	})
}

// The call to make is JSON, whole, whatever the names are and however long the message.
//
// Verifies: ORC-193
func TestTheExampleCanBeCalled(t *testing.T) {
	name := strings.Repeat("n", 64)
	for _, path := range []string{"a.go", "a\x01\"b\\c\u2028\xff.go", strings.Repeat("long/", 100) + "a.go"} {
		c := Call{Tool: strings.Repeat("Tool", 80), OwnTool: "", Actor: Actor{Kind: Main}, Targets: []Target{file(path)},
			Delegation: Delegation{Tool: "task", Type: "agent_type", Prompt: "prompt",
				Also:   []Member{{"name", "change-the-file"}, {"description", "Change the file"}},
				Agents: []AgentType{{Name: name}}, Reads: []string{strings.Repeat("r", 300)},
				Writes: []string{strings.Repeat("w", 300)}}}
		said := message(DefaultEnforced(), c)
		require.LessOrEqual(t, utf8.RuneCountInString(said), MaxMessage)
		_, rest, found := strings.Cut(said, "\nExample: task ")
		require.True(t, found, said)
		line, _, _ := strings.Cut(rest, "\n")
		var input map[string]string
		require.NoError(t, json.Unmarshal([]byte(line), &input), line)
		require.Equal(t, name, input["agent_type"])
		require.True(t, strings.HasSuffix(input["prompt"], "It is done when <check>"), line)
	}
}

// The agents that are named exist, may write the files, and are the best for them first, in the words of the client.
//
// Verifies: ORC-193
func TestAgentsAreRoutedByPathAndKind(t *testing.T) {
	p := DefaultEnforced()
	p.Agents = []Rights{{Name: "docs-writer", MayWrite: []string{"docs/**"}}, {Name: "nobody", MayWrite: []string{"x"}}, {Name: "*", MayWrite: []string{"**"}}}
	d := Delegation{Tool: "spawn_agent", Type: "agent_type", Prompt: "message", Agents: []AgentType{
		{Name: "reviewer"}, {Name: "nobody"}, {Name: "docs-writer"}, {Name: "bug-fixer"}, {Name: "qa"}, {Name: "helper"}, {Name: "default", BuiltIn: true, Untyped: true}}}
	said := func(c Call) string {
		c.Delegation = d
		return message(p, c)
	}
	for path, want := range map[string]string{
		"src/a.go":         "bug-fixer (code); helper; default (without a type); qa (tests)",
		"src/a_test.go":    "qa (tests); helper; default (without a type); bug-fixer (code)",
		"tests/x.py":       "qa (tests); helper; default (without a type); bug-fixer (code)",
		"web/a.spec.ts":    "qa (tests); helper; default (without a type); bug-fixer (code)",
		"docs/a.png":       "docs-writer (docs); helper; default (without a type); bug-fixer (code); qa (tests)",
		"README.md":        "helper; default (without a type); bug-fixer (code); qa (tests)",
		"src/testing.go":   "bug-fixer (code); helper; default (without a type); qa (tests)",
		"/elsewhere/a.txt": "helper; default (without a type); bug-fixer (code); qa (tests)",
	} {
		m := said(Call{Tool: "Edit", Actor: Actor{Kind: Main}, Targets: []Target{file(path)}})
		require.Contains(t, m, "\nAgents: "+want+"\n", path)
		require.Contains(t, m, "Action: call spawn_agent to have an agent make the change\n")
	}
	untyped := Call{Tool: "Edit", Actor: Actor{Kind: Main}, Targets: []Target{file("a.go")}}
	d.Agents = d.Agents[6:]
	require.Contains(t, said(untyped), `Example: spawn_agent {"message": "Change a.go: <what>. It is done when <check>"}`)
	require.Contains(t, said(call("python -c", "main")), `Example: spawn_agent {"message": "Change <what>. It is done when <check>"}`)
	d.Agents = []AgentType{{Name: "reviewer"}}
	require.Contains(t, said(untyped), "Agents: reviewer (reading)\n", "there is no other")
	d.Agents = []AgentType{{Name: "nobody"}}
	require.Contains(t, said(untyped), "Action: no agent that exists here may write this; ask the person you work for\n")
	require.NotContains(t, said(untyped), "Agents: ")

	d.Agents = []AgentType{{Name: "helper"}}
	untyped.Actor.Kind, untyped.Client = Unknown, "someone"
	require.Contains(t, said(untyped), "if you are an agent, stop and report: someone does not tell agents from the main session, and a person can set unknown_actor in the policy\n")
	untyped.OwnTool = "write_file"
	require.Contains(t, said(untyped), "BLOCKED: write_file on a.go")
	require.Contains(t, said(untyped), "Why: write_file writes files")
}

// DefaultEnforced is the default policy, enforced.
func DefaultEnforced() Policy {
	p := DefaultPolicy()
	p.Mode = Enforce
	return p
}

func TestMessages(t *testing.T) {
	require.Contains(t, message(policy(), call("Edit", "docs")), `Your role: agent of the type "docs"`)
	require.Contains(t, message(policy(), call("Edit", "docs")), "writing docs/**")
	require.Contains(t, message(policy(), call("Edit", "docs")), "Action: leave it to an agent whose type may write it")
	require.Contains(t, message(policy(), call("Edit", "unknown")), "claude does not tell agents from the main session")
	require.Contains(t, message(policy(), call("Edit guard", "main")), "Bypass: none for the boundary's own files")
	require.Contains(t, message(policy(), call("rm", "main")), "Why: rm removes files")
	require.Contains(t, message(policy(), call("python -c", "main")), "Action: call Agent to have an agent make the change\n")

	p := policy()
	p.Mode = Validate
	require.True(t, strings.HasPrefix(message(p, call("Edit", "main")), "ORCHESTRATOR BOUNDARY WARNING (validate: nothing is blocked): Edit on src/a.go"))
	p = policy()
	p.UnknownActor, p.Bypass.Environment = AskWho, false
	require.True(t, strings.HasPrefix(message(p, call("Edit", "unknown")), "ORCHESTRATOR BOUNDARY - A PERSON DECIDES"))
	require.NotContains(t, message(p, call("Edit", "unknown")), BypassVariable)
	p.Agents = []Rights{{Name: "docs", For: "documents", MayWrite: []string{"docs/**"}}}
	p.DelegateTools = nil
	require.Contains(t, message(p, call("Edit", "main")), "Action: delegate it: an agent makes the change")
	p.Agents = nil
	require.Contains(t, message(p, call("Edit", "agent")), "Allowed: tools that only read\n")
	p.ExemptPaths = nil
	require.NotContains(t, message(p, call("Edit", "main")), "; writing")

	require.Equal(t, "a call that cannot be read", attempted(Call{}, Verdict{}))
	many := Verdict{Targets: []Target{{Unknown: true}, {Path: "a", Real: "b"}, {Path: "c/", Unknown: true}, file("d"), file("e"), file("f")}}
	require.Equal(t, "Edit on a (which is b), c/…, d, 2 more", attempted(Call{Tool: "Edit"}, many))
}

// Whatever a call holds, a message has at most MaxMessage characters, keeps its lines and plays no tricks with a
// terminal.
//
// Verifies: ORC-064
func TestMessagesAreBounded(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 1<<20), strings.Repeat("é", 5000), "a\nBypass: none\x1b[31m\u202e\u200b", strings.Repeat("\n", 3000)} {
		p := DefaultEnforced()
		said := Delegation{Tool: text, Type: text, Prompt: text, Also: []Member{{text, text}}, Agents: []AgentType{{Name: text}}, Reads: []string{text}, Writes: []string{text}}
		p.Agents = append([]Rights{{Name: "n" + strings.ReplaceAll(text, "*", ""), For: text, MayWrite: []string{"**"}}}, p.Agents...)
		c := Call{Tool: text, Client: text, Actor: Actor{Kind: Agent, Type: text}, Targets: []Target{file(text)}, Delegation: said}
		p.Agents = []Rights{{Name: "*", For: text, MayWrite: []string{"**"}}}
		for _, actor := range []ActorKind{Main, Agent, Unknown} {
			c.Actor.Kind = actor
			m := WithNote(message(p, c), text)
			require.LessOrEqual(t, utf8.RuneCountInString(m), MaxMessage)
			require.LessOrEqual(t, strings.Count(m, "\n"), 11)
			require.NotContains(t, m, "\x1b")
			require.NotContains(t, m, "\u202e")
			require.Contains(t, m, "\nNote: ")
		}
		require.LessOrEqual(t, utf8.RuneCountInString(Failure(text, true)), MaxMessage)
	}
	require.Contains(t, Failure("it is no JSON", true), "Way out, for a person: orchestrator boundary rollback")
	require.NotContains(t, Failure("it is no JSON", false), "BLOCKED")
}

// To delegate a command that is a person's does not help.
func TestAPersonsCommandIsNotDelegated(t *testing.T) {
	p, c := DefaultEnforced(), call("Bash", "main")
	c.IsShell, c.Text = true, "orchestrator\ndrive"
	c.Parts = []Part{
		{Words: []string{"orchestrator", "next"}, Class: Reads}, {Words: []string{"frob"}, Class: Ambiguous, Why: "it may"},
		{Words: []string{"orchestrator", "drive"}, Class: Ambiguous, Foreign: true, Why: "it is"},
		{Words: []string{"frob"}, Class: Ambiguous, Why: "it may"},
	}
	c.Delegation = Delegation{Tool: "Agent", Agents: []AgentType{{Name: "general"}}}
	v := Judge(&p, c)
	require.Equal(t, RuleOwn, v.Rule)
	require.Equal(t, "it is", v.Reason)
	message := Message(&p, c, v)
	require.Contains(t, message, "Action: a person runs this command, in a terminal of their own\n")
	require.NotContains(t, message, "Example:")
}
