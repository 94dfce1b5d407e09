package settings

import (
	"slices"

	"github.com/tailscale/hujson"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/commandline"
)

// FailClosed sets whether a client blocks a call when the registered hook breaks, if the client has a setting for that.
// It changes nothing else in the project's settings, and nothing at all if the hook is not registered.
func FailClosed(client string, closed bool, o Options) (Change, error) {
	w, err := wiringOf(client)
	if err != nil || w.FailClosed == nil {
		return Change{}, err
	}
	change, doc, err := w.opened(o)
	if err != nil || doc == nil {
		return change, err
	}
	for _, hook := range hooksOf(doc, w.Before()) {
		can := w.hasFailClosed(o) || // or its version was known once
			o.ClientVersion == "" && failsClosed(w.FailClosed, get(hook, w.FailClosed.Name))
		if closed && !can {
			change.Said = []string{withoutFailClosed(w, o)}
		}
		changed, err := w.setFailClosed(doc, hook, closed && can)
		if err != nil {
			return Change{}, err
		}
		o.FailClosed = closed && can
		change.Changed = setCommand(w, hook, o) || changed || change.Changed
	}
	if !change.Changed {
		return change, nil
	}
	return change, save(change.File, doc.text())
}

// hooksOf returns our hooks for an event.
func hooksOf(doc *document, event string) (hooks []*hujson.Value) {
	for _, way := range doc.ways() {
		if way[1].child().name == event {
			hooks = append(hooks, way[len(way)-1].child().value)
		}
	}
	return hooks
}

// setFailClosed adds the member that makes the client block to a hook, or removes it, and reports whether that changed
// the hook.
func (w *wiring) setFailClosed(doc *document, hook *hujson.Value, closed bool) (bool, error) {
	at := index(hook, w.FailClosed.Name)
	if closed == failsClosed(w.FailClosed, get(hook, w.FailClosed.Name)) && (closed || at < 0) {
		return false, nil
	}
	if at >= 0 {
		remove(hook, at)
	}
	if !closed {
		return true, nil
	}
	return true, doc.add(hook, w.FailClosed.Name, w.FailClosed.Value)
}

// failsClosed reports whether the member has the value that makes the client block.
func failsClosed(option *agentclient.Option, value *hujson.Value) bool {
	return value != nil && slices.Contains([]any{str(value), literal(value) == "true"}, option.Value)
}

// answeringJSON returns our command line with the flag for JSON answers if this version of the client reads them and
// fails closed. Otherwise the exit code alone tells it of a block, which every version understands.
func (w *wiring) answeringJSON(command string, o Options) string {
	c, found := agentclient.Named(w.client)
	if !found || w.JSONFlag == nil {
		return command
	}
	known := AtLeast(o.ClientVersion, w.JSONFlag.Since) ||
		o.ClientVersion == "" && command == commandline.WithJSON(c, command, true)
	return commandline.WithJSON(c, command, o.FailClosed && known)
}

// setCommand gives a hook the command line that speaks as it is to, and reports whether that changed it.
func setCommand(w *wiring, hook *hujson.Value, o Options) bool {
	value := get(hook, w.Command)
	want := w.answeringJSON(str(value), o)
	if value == nil || want == str(value) {
		return false
	}
	value.Value = hujson.Literal(quote(want))
	return true
}
