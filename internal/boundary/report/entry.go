package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// Entry is a line of the journal as people read it. What was done to the boundary has the name of a person for its
// actor, and its kind for a decision. Nothing in it is trusted: anybody may have written the journal.
type Entry struct {
	At       time.Time
	Client   string
	Session  string
	Actor    string
	Decision boundary.Decision // or the kind of the line
	What     string
	Rule     string
	Mode     boundary.Mode
	Took     time.Duration // 0 is unknown
}

// EntryOf describes a line of the journal.
func EntryOf(l folder.Line) Entry {
	e := Entry{At: l.At, Client: l.Client, Session: l.Session, Actor: cmp.Or(l.By, actorOf(l.Actor)),
		Decision: boundary.Decision(word(l.Kind)), Mode: l.Mode, Took: time.Duration(l.Micros) * time.Microsecond}
	if l.Kind == folder.KindDecision && l.Verdict != nil {
		e.Decision, e.Rule, e.What = l.Verdict.Decision, l.Verdict.Rule, called(l)
		e.Mode = cmp.Or(l.Verdict.Mode, l.Mode)
		return e
	}
	switch l.Kind {
	case folder.KindInstallation:
		e.What = posted(l)
	case folder.KindDrill:
		e.What = l.What + " exercised"
	case folder.KindLabel:
		e.What = labelled(l)
	default:
		e.What = sentence(l)
	}
	return e
}

// word returns what people call a kind of line.
func word(kind string) string {
	if kind == folder.KindInstallation {
		return "settings"
	}
	return kind
}

// posted says what happened to the hook in a client's settings. What only newer programs note is shown as it stands.
func posted(l folder.Line) string {
	switch l.What {
	case folder.HookInstalled:
		return "the hook is registered"
	case folder.HookRemoved:
		return "the hook is removed"
	case folder.HookFailsClosed:
		return "blocks from now on when the hook breaks"
	case folder.HookFailsOpen:
		return "lets calls through from now on when the hook breaks"
	case folder.HookFailed:
		return "not changed: " + l.Reason
	}
	return sentence(l)
}

// labelled says what a person thinks of a decision.
func labelled(l folder.Line) string {
	text := l.Of + " is labelled " + l.What
	if l.Reason != "" {
		text += ": " + l.Reason
	}
	return text
}

func actorOf(a *boundary.Actor) string {
	if a == nil {
		return ""
	}
	return strings.TrimSpace(string(a.Kind) + " " + a.Type)
}

// mostNamed is how many files, and how many parts of a command, an entry names.
const mostNamed = 3

// called says which tool was called, with which programs, on which files.
func called(l folder.Line) string {
	text := l.Tool
	var programs []string
	for _, p := range l.Parts {
		if words := strings.Join(p.Words, " "); words != "" && !slices.Contains(programs, words) {
			programs = append(programs, words)
		}
	}
	if len(programs) > 0 {
		text += ": " + few(programs, "; ")
	}
	if files := filesOf(l); len(files) > 0 {
		text += " on " + few(files, ", ")
	}
	if l.Verdict.Bypass != "" {
		text += ", let through by bypass " + l.Verdict.Bypass
	}
	return text
}

// filesOf returns the files that a call writes, and the secrets that it may show, each once.
func filesOf(l folder.Line) (names []string) {
	for _, t := range slices.Concat(boundary.Written(l.Named, l.Parts), l.Reads) {
		name := t.Path
		if t.Unknown {
			name += "…"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// few joins the first of some names, and says how many more there are.
func few(names []string, separator string) string {
	if more := len(names) - mostNamed; more > 0 {
		names = append(slices.Clone(names[:mostNamed]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, separator)
}

// sentence describes a line that is not a decision by the members that all kinds have, so that kinds of newer programs
// are shown too.
func sentence(l folder.Line) string {
	var all []string
	add := func(format, value string) {
		if value != "" {
			all = append(all, fmt.Sprintf(format, value))
		}
	}
	add("%s", l.What)
	add(map[bool]string{true: "instead of %s", false: "of %s"}[l.Kind == folder.KindRecovery], l.Of)
	add("%s", l.Tool)
	if l.Kind == folder.KindMode {
		add("%s", string(l.Mode))
		add("after %s", string(l.From))
	}
	if g := l.Grant; g != nil {
		add("%s", g.ID)
		add("for session %s", g.Session)
		add(map[bool]string{true: "ended %s", false: "until %s"}[l.Revoked], g.Until.UTC().Format(time.RFC3339))
	} else if l.Revoked {
		add("%s", "revoked")
	}
	text := strings.Join(all, " ")
	if l.Reason != "" {
		text = strings.TrimPrefix(text+": "+l.Reason, ": ")
	}
	if l.Override != "" {
		text += " (not ready; override: " + l.Override + ")"
	}
	if l.Mend != "" {
		text += "; done about it: " + l.Mend + " (" + l.Link + ")"
	}
	return text
}
