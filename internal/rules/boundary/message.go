package boundary

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxMessage is the most characters that a message has: clients cut longer ones, and models skim them.
const MaxMessage = 2000

// maxLine is the most characters of a line, so that every line finds its place.
const maxLine = 260

// Message returns what was attempted, why it is not let through, and what to do instead, one line each. It is for a
// verdict that is a violation.
func Message(p *Policy, c Call, v Verdict) string {
	lines := []string{
		heading(v) + ": " + attempted(c, v) + " [" + v.Rule + "]",
		"Why: " + v.Reason,
		"Your role: " + role(c),
		"Allowed: " + allowed(p, c),
	}
	if delegation := delegation(p, c, v); delegation != "" {
		lines = append(lines, delegation)
	} else if v.Fix != "" {
		lines = append(lines, "Instead: "+v.Fix)
	}
	if agents := agents(p, c, v); agents != "" {
		lines = append(lines, agents)
	}
	lines = append(lines, bypass(p, v))
	for i, line := range lines {
		lines[i] = clip(oneLine(line), maxLine)
	}
	return clip(strings.Join(lines, "\n"), MaxMessage)
}

func heading(v Verdict) string {
	switch v.Decision {
	case Block:
		return "ORCHESTRATOR BOUNDARY VIOLATION - OPERATION BLOCKED"
	case Ask:
		return "ORCHESTRATOR BOUNDARY - A PERSON DECIDES"
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
		return c.Tool
	}
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	return c.Tool + " on " + strings.Join(names, ", ")
}

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
	text := "Read, Grep, Glob, shell commands that only read, AskUserQuestion, TodoWrite, " +
		strings.Join(p.DelegateTools, " or ")
	if len(p.ExemptPaths) > 0 {
		text += "; writing " + strings.Join(p.ExemptPaths, ", ")
	}
	return text
}

// Nobodys reports whether a rule holds for agents as for the main session, so that delegating does not help.
func Nobodys(rule string) bool { return protects(rule) || rule == RuleSecret }

// delegation returns the very call to make instead; "" where none helps.
func delegation(p *Policy, c Call, v Verdict) string {
	if c.Actor.Kind == Agent || Nobodys(v.Rule) || len(p.DelegateTools) == 0 {
		return ""
	}
	suggested := p.DelegatesFor(v.Targets)
	if len(suggested) == 0 {
		return "Instead: no agent of the policy may write this; ask the person you work for"
	}
	what := "what to change"
	if len(v.Targets) > 0 && v.Targets[0].Path != "" {
		what = "in " + v.Targets[0].Path + ": what to change, and how to tell that it is done"
	}
	return fmt.Sprintf("Instead: call %s with subagent_type %q and a prompt such as \"Implement %s\"",
		p.DelegateTools[len(p.DelegateTools)-1], suggested[0].Name, what)
}

func agents(p *Policy, c Call, v Verdict) string {
	if c.Actor.Kind == Agent || Nobodys(v.Rule) {
		return ""
	}
	var named []string
	for _, r := range p.DelegatesFor(v.Targets) {
		named = append(named, r.Name+" ("+r.For+")")
	}
	if len(named) == 0 {
		return ""
	}
	return "Agents: " + strings.Join(named, "; ")
}

func bypass(p *Policy, v Verdict) string {
	if protects(v.Rule) {
		return "Bypass: none for the boundary's own files; a person changes them"
	}
	text := "Bypass, for a person and only where the boundary is wrong: orchestrator boundary bypass --reason TEXT --for 30m"
	if p.Bypass.Environment {
		text += ", or " + BypassVariable + "=true in the client's environment"
	}
	return text + "; every use is on record"
}

// oneLine takes out what would break a line, or play with a terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x2028 &&
			r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff {
			return ' '
		}
		return r
	}, s)
}

func clip(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	runes := []rune(s)
	return string(runes[:most-1]) + "…"
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
			"What helps: a person runs orchestrator boundary doctor, which finds what is wrong",
			"Way out, for a person: orchestrator boundary rollback --reason TEXT, or " + BypassVariable +
				"=true in the client's environment; every use is on record",
		}
	}
	for i, line := range lines {
		lines[i] = clip(oneLine(line), maxLine*2)
	}
	return clip(strings.Join(lines, "\n"), MaxMessage)
}
