package boundary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Message returns what was attempted, why it is not let through, and what to do instead, one line each. It is for a
// verdict that is a violation.
func Message(p *Policy, c Call, v Verdict) string {
	lines := []string{
		heading(p, v) + ": " + attempted(c, v) + " [" + v.Rule + "]",
		"Why: " + v.Reason,
		"Your role: " + role(c),
		"Allowed: " + allowed(p, c),
	}
	if c.Actor.Kind != Agent {
		lines = append(lines, "Blocked: "+blocked(p, c))
	}
	lines = append(lines, instead(p, c, v)...)
	lines = append(lines, bypass(p, v), phase(p, v))
	return fitting(lines)
}

func heading(p *Policy, v Verdict) string {
	switch v.Decision {
	case Block:
		return "ORCHESTRATOR BOUNDARY VIOLATION - OPERATION BLOCKED"
	case Ask:
		return "ORCHESTRATOR BOUNDARY - A PERSON DECIDES"
	}
	if p.Mode.Blocks() {
		return "ORCHESTRATOR BOUNDARY WARNING (validate for these files: this call is let through)"
	}
	return "ORCHESTRATOR BOUNDARY WARNING (validate: nothing is blocked)"
}

// attempted returns the tool and the files that it was to change.
func attempted(c Call, v Verdict) string {
	if c.Tool == "" {
		return "a call that cannot be read"
	}
	const most = 3
	var names []string
	for _, t := range v.Targets {
		switch {
		case t.Unknown && t.Path == "":
		case t.Unknown:
			names = append(names, t.Path+"…")
		case t.Real != "" && t.Real != t.Path:
			names = append(names, t.Path+" (which is "+t.Real+")")
		default:
			names = append(names, t.Path)
		}
	}
	if len(names) == 0 {
		return toolOf(c)
	}
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	return toolOf(c) + " on " + strings.Join(names, ", ")
}

// toolOf returns the tool as the client calls it.
func toolOf(c Call) string { return cmp.Or(c.OwnTool, c.Tool) }

func role(c Call) string {
	switch c.Actor.Kind {
	case Agent:
		return fmt.Sprintf("agent of the type %q: you change files within the rights of your type", c.Actor.Type)
	case Unknown:
		return c.Client + " does not tell agents from the main session; the policy decides what you count as"
	}
	return "main session: you read, ask and delegate; agents change files"
}

func allowed(p *Policy, c Call) string {
	if c.Actor.Kind == Agent {
		rights, known := p.rightsOf(c.Actor.Type)
		if !known {
			return "tools that only read"
		}
		return "tools that only read, and writing " + strings.Join(rights.MayWrite, ", ")
	}
	tools := c.Delegation.Reads
	if len(tools) == 0 {
		tools = []string{"Read", "Grep", "Glob", "AskUserQuestion", "TodoWrite", strings.Join(p.DelegateTools, " or ")}
	}
	text := strings.Join(tools, ", ") + ", shell commands that only read"
	if p.produces() == Allow {
		text = strings.TrimSuffix(text, "only read") + "read, build, test, install packages or commit"
	}
	if len(p.ExemptPaths) > 0 {
		text += "; writing " + strings.Join(p.ExemptPaths, ", ")
	}
	return text
}

// blocked names what a main session must not use.
func blocked(p *Policy, c Call) string {
	tools := c.Delegation.Writes
	if len(tools) == 0 {
		tools = p.BlockedTools
	}
	return strings.Join(append(slices.Clone(tools), "shell commands that write files"), ", ")
}

// Nobodys reports whether a rule holds for agents as for the main session, so that delegating does not help, and no
// bypass lifts it.
func Nobodys(rule string) bool { return protects(rule) || rule == RuleSecret }

// instead returns what to do in place of the call: whom to give it to, and how.
func instead(p *Policy, c Call, v Verdict) []string {
	switch {
	case c.Actor.Kind == Agent || Nobodys(v.Rule) || v.Fix == personsOwn || len(p.DelegateTools) == 0:
		if v.Fix == "" {
			return nil
		}
		return []string{"Action: " + v.Fix}
	case c.Delegation.Tool != "":
		return c.Delegation.inOwnWords(p, c, v)
	}
	return []string{"Action: call " + p.DelegateTools[len(p.DelegateTools)-1] + " to have an agent make the change"}
}

func bypass(p *Policy, v Verdict) string {
	switch {
	case protects(v.Rule):
		return "Bypass: none for the boundary's own files; a person changes them"
	case v.Rule == RuleSecret:
		return "Bypass: none for tokens, keys and the database"
	}
	text := "Bypass, for a person and only where the boundary is wrong: orchestrator boundary bypass --reason TEXT --for 30m"
	if p.Bypass.Environment {
		text += ", or " + BypassVariable + "=true in the client's environment"
	}
	return text + "; every use is on record"
}

// phase says what the mode makes of the call.
func phase(p *Policy, v Verdict) string {
	text := "Phase: " + string(cmp.Or(v.Mode, p.Mode))
	switch v.Decision {
	case Block:
		return text + ": this call has been blocked"
	case Ask:
		return text + ": a person decides on this call"
	}
	return text + ": this call is let through; in enforce it would not be"
}

// WithNote adds a line to a message, and keeps within its length.
func WithNote(message, note string) string {
	note = "Note: " + clip(oneLine(note), maxLine)
	return clip(message, MaxMessage-len([]rune(note))-1) + "\n" + note
}

// Failure returns the message where a call could not be judged.
func Failure(cause string, blocked bool) string {
	lines := []string{"ORCHESTRATOR BOUNDARY: this call could not be judged", "Why: " + cause}
	if blocked {
		lines = []string{
			"ORCHESTRATOR BOUNDARY - OPERATION BLOCKED: this call could not be judged, and the boundary is enforced",
			"Why: " + cause,
			"What helps: a person runs orchestrator boundary doctor, which shows what is wrong",
			"Way out, for a person: orchestrator boundary rollback --reason TEXT, or " + BypassVariable +
				"=true in the client's environment; every use is on record",
		}
	}
	return joined(lines, maxLine*2)
}
