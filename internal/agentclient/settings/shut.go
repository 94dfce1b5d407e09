package settings

import (
	"slices"

	"github.com/tailscale/hujson"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/commandline"
)

// FailShut makes a client block when the registered hook breaks, or lets calls through then, where the client can be
// told. It changes nothing else of what is registered in the project, and nothing where the hook is not registered.
func FailShut(client string, shut bool, o Options) (Change, error) {
	w, err := wiringOf(client)
	if err != nil || w.Shut == nil {
		return Change{}, err
	}
	file, err := w.place(o)
	if err != nil {
		return Change{}, err
	}
	change := Change{File: file}
	doc, _, err := load(file)
	if err != nil || doc == nil {
		return change, err
	}
	change.Backup = backupOf(file)
	for _, hook := range hooksOf(doc, w.Before()) {
		can := w.hasShut(o) || o.ClientVersion == "" && isShut(w.Shut, get(hook, w.Shut.Name)) // it was known once
		if shut && !can {
			change.Said = []string{withoutShut(w, o)}
		}
		changed, err := w.setShut(doc, hook, shut && can)
		if err != nil {
			return Change{}, err
		}
		o.FailShut = shut && can
		change.Changed = setCommand(w, hook, o) || changed || change.Changed
	}
	if !change.Changed {
		return change, nil
	}
	return change, save(file, doc.text())
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

// setShut gives a hook the member that makes the client block, or takes it away, and reports whether that changed it.
func (w *wiring) setShut(doc *document, hook *hujson.Value, shut bool) (bool, error) {
	at := index(hook, w.Shut.Name)
	if shut == isShut(w.Shut, get(hook, w.Shut.Name)) && (shut || at < 0) {
		return false, nil
	}
	if at >= 0 {
		remove(hook, at)
	}
	if !shut {
		return true, nil
	}
	return true, doc.add(hook, w.Shut.Name, w.Shut.Value)
}

// isShut reports whether the member has the value that makes the client block.
func isShut(shut *agentclient.Option, value *hujson.Value) bool {
	return value != nil && slices.Contains([]any{str(value), literal(value) == "true"}, shut.Value)
}

// speaking returns a command line of ours so that the program answers as this version of the client wants it. Where the
// client does not fail shut, a block is told by the exit code, which needs nothing else to be understood.
func (w *wiring) speaking(command string, o Options) string {
	c, found := agentclient.Named(w.client)
	if !found || w.Speaks == nil {
		return command
	}
	known := AtLeast(o.ClientVersion, w.Speaks.Since) ||
		o.ClientVersion == "" && command == commandline.Speaking(c, command, true)
	return commandline.Speaking(c, command, o.FailShut && known)
}

// setCommand gives a hook the command line that speaks as it is to, and reports whether that changed it.
func setCommand(w *wiring, hook *hujson.Value, o Options) bool {
	value := get(hook, w.Command)
	want := w.speaking(str(value), o)
	if value == nil || want == str(value) {
		return false
	}
	value.Value = hujson.Literal(quote(want))
	return true
}
