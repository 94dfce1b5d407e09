package boundary

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func message(p Policy, c Call) string { return Message(&p, c, Judge(&p, c)) }

// A block says what was attempted, on which file, the role, what is allowed, the delegation, the agents and the bypass: a line each.
func TestMessageOfABlock(t *testing.T) {
	require.Equal(t, strings.Split(message(DefaultEnforced(), call("Edit", "main")), "\n"), []string{
		"ORCHESTRATOR BOUNDARY VIOLATION - OPERATION BLOCKED: Edit on src/a.go [main.writes]",
		"Why: Edit writes files",
		"Your role: main session: you read, ask and delegate; agents change files",
		"Allowed: Read, Grep, Glob, shell commands that only read, AskUserQuestion, TodoWrite, Task or Agent; writing .claude/plans/**, scratch/**",
		`Instead: call Agent with subagent_type "modular-builder" and a prompt such as "Implement in src/a.go: what to change, and how to tell that it is done"`,
		"Agents: modular-builder (code implementation and module creation); bug-hunter (bug diagnosis and fix implementation); test-coverage (test creation and coverage); refactor-architect (code refactoring)",
		"Bypass, for a person and only where the boundary is wrong: orchestrator boundary bypass --reason TEXT --for 30m, or AMPLIFIER_BYPASS_BOUNDARY=true in the client's environment; every use is on record",
	})
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
	require.Contains(t, message(policy(), call("Edit", "docs")), "Instead: leave it to an agent whose type may write it")
	require.Contains(t, message(policy(), call("Edit", "unknown")), "claude does not tell agents from the main session")
	require.Contains(t, message(policy(), call("Edit guard", "main")), "Bypass: none for the boundary's own files")
	require.Contains(t, message(policy(), call("rm", "main")), "Why: rm removes files")
	require.Contains(t, message(policy(), call("python -c", "main")), `Instead: call Agent with subagent_type "modular-builder" and a prompt such as "Implement what to change"`)

	p := policy()
	p.Mode = Validate
	require.True(t, strings.HasPrefix(message(p, call("Edit", "main")), "ORCHESTRATOR BOUNDARY WARNING (validate: nothing is blocked): Edit on src/a.go"))
	p = policy()
	p.UnknownActor, p.Bypass.Environment = AskWho, false
	require.True(t, strings.HasPrefix(message(p, call("Edit", "unknown")), "ORCHESTRATOR BOUNDARY - A PERSON DECIDES"))
	require.NotContains(t, message(p, call("Edit", "unknown")), BypassVariable)
	p.Agents = []Rights{{Name: "docs", For: "documents", MayWrite: []string{"docs/**"}}}
	require.Contains(t, message(p, call("Edit", "main")), "Instead: no agent of the policy may write this")
	p.DelegateTools = nil
	require.Contains(t, message(p, call("Edit", "main")), "Instead: delegate it: an agent makes the change")
	p.Agents = nil
	require.Contains(t, message(p, call("Edit", "agent")), "Allowed: tools that only read\n")
	p.ExemptPaths = nil
	require.NotContains(t, message(p, call("Edit", "main")), "; writing")

	require.Equal(t, "a call that cannot be read", attempted(Call{}, Verdict{}))
	many := Verdict{Targets: []Target{{Unknown: true}, {Path: "a", Real: "b"}, {Path: "c/", Unknown: true}, file("d"), file("e"), file("f")}}
	require.Equal(t, "Edit on a (which is b), c/…, d, 2 more", attempted(Call{Tool: "Edit"}, many))
}

// Whatever a call holds, a message has at most MaxMessage characters, keeps its lines and plays no tricks with a terminal.
func TestMessagesAreBounded(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 1<<20), strings.Repeat("é", 5000), "a\nBypass: none\x1b[31m\u202e\u200b", strings.Repeat("\n", 3000)} {
		p := DefaultEnforced()
		p.Agents = append([]Rights{{Name: "n" + strings.ReplaceAll(text, "*", ""), For: text, MayWrite: []string{"**"}}}, p.Agents...)
		c := Call{Tool: text, Client: text, Actor: Actor{Kind: Agent, Type: text}, Targets: []Target{file(text)}}
		p.Agents = nil
		for _, actor := range []ActorKind{Main, Agent, Unknown} {
			c.Actor.Kind = actor
			m := WithNote(message(p, c), text)
			require.LessOrEqual(t, utf8.RuneCountInString(m), MaxMessage)
			require.LessOrEqual(t, strings.Count(m, "\n"), 8)
			require.NotContains(t, m, "\x1b")
			require.NotContains(t, m, "\u202e")
			require.Contains(t, m, "\nNote: ")
		}
		require.LessOrEqual(t, utf8.RuneCountInString(Failure(text, true)), MaxMessage)
	}
	require.Contains(t, Failure("it is no JSON", true), "Way out, for a person: orchestrator boundary rollback")
	require.NotContains(t, Failure("it is no JSON", false), "BLOCKED")
}
