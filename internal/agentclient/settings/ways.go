package settings

import (
	"slices"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"orchestrator/internal/agentclient/commandline"
)

// step is one child on the way from the root to a hook.
type step struct {
	parent *hujson.Value
	index  int
}

func (s step) child() child { return children(s.parent)[s.index] }

// alone reports whether its parent holds nothing else, except the matcher of a group. A comment is something.
func (s step) alone() bool {
	all := children(s.parent)
	for i, c := range all {
		if i != s.index && (!isObject(s.parent) || c.name != "matcher") || !c.value.AfterExtra.IsStandard() {
			return false
		}
	}
	for i := range len(all) + 1 {
		if !before(s.parent, i).IsStandard() {
			return false
		}
	}
	return true
}

// ways returns the ways to all hooks of ours, in the order of the file.
func (d *document) ways() [][]step {
	at := index(&d.root, "hooks")
	if at < 0 {
		return nil
	}
	var all [][]step
	hooks := children(&d.root)[at].value
	for e, event := range children(hooks) {
		if !isObject(hooks) || !isArray(event.value) {
			continue
		}
		for i := range children(event.value) {
			all = append(all, waysFrom([]step{{&d.root, at}, {hooks, e}, {event.value, i}})...)
		}
	}
	return all
}

// waysFrom goes on from an entry of an event: it is a hook itself, or a group of hooks.
func waysFrom(way []step) [][]step {
	entry := way[len(way)-1].child().value
	if runsHook(entry) {
		return [][]step{way}
	}
	at := index(entry, "hooks")
	if at < 0 {
		return nil
	}
	var all [][]step
	list := children(entry)[at].value
	for i, hook := range children(list) {
		if runsHook(hook.value) {
			all = append(all, slices.Concat(way, []step{{entry, at}, {list, i}}))
		}
	}
	return all
}

// registrations lists our hooks, in the order of the file.
func (w *wiring) registrations(doc *document, file string) []Registration {
	var found []Registration
	for _, way := range doc.ways() {
		found = append(found, w.registration(file, way[1].child().name, way[2].child().value,
			way[len(way)-1].child().value))
	}
	return found
}

func (w *wiring) registration(file, event string, group, hook *hujson.Value) Registration {
	r := Registration{File: file, Event: event, Matcher: str(get(group, "matcher")), Command: command(hook)}
	limit, unit := number(get(hook, w.Timeout)), w.Unit
	if limit < float64(w.SecondsBelow) {
		unit = time.Second
	}
	r.Timeout = time.Duration(limit * float64(unit))
	if w.FailClosed != nil {
		r.FailsClosed = failsClosed(w.FailClosed, get(hook, w.FailClosed.Name))
	}
	return r
}

// command returns the command line of a hook, however it is written: as one text, or as a program with its arguments.
func command(hook *hujson.Value) string {
	for _, name := range []string{"command", "bash", "exec", "powershell"} {
		line := str(get(hook, name))
		if line == "" {
			continue
		}
		for _, c := range children(get(hook, "args")) {
			line += " " + str(c.value)
		}
		return strings.TrimSpace(line)
	}
	return ""
}

// runsHook reports whether a value is an entry that runs our hook.
func runsHook(v *hujson.Value) bool { return isObject(v) && commandline.Runs(command(v)) }
