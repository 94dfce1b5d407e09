package settings

import (
	"os"
	"strings"

	"github.com/tailscale/hujson"

	"orchestrator/internal/agentclient/commandline"
	"orchestrator/internal/fault"
)

// Install registers the command with a client. Done twice it changes nothing the second time; an entry of ours that is
// different is replaced.
func Install(client string, o Options) (Change, error) {
	if strings.TrimSpace(o.Command) == "" || !commandline.Runs(o.Command) {
		return Change{}, fault.New(fault.Invalid, "hook_command", "%q is not the command of a hook", o.Command).
			WithFix("register orchestrator-hook CLIENT, or orchestrator hook CLIENT")
	}
	w, err := wiringOf(client)
	if err != nil {
		return Change{}, err
	}
	if w.Plugin != "" {
		return w.installPlugin(o)
	}
	o.Command = w.answeringJSON(o.Command, o)
	return w.install(o)
}

// Uninstall removes what Install added and leaves the rest. Where nothing else has changed since, the file is the
// original again, byte for byte; a file that Install created is removed.
func Uninstall(client string, o Options) (Change, error) {
	w, err := wiringOf(client)
	if err != nil {
		return Change{}, err
	}
	if w.Plugin != "" {
		return w.uninstallPlugin(o)
	}
	return w.uninstall(o)
}

func (w *wiring) install(o Options) (Change, error) {
	file, err := w.place(o)
	if err != nil {
		return Change{}, err
	}
	change := Change{File: file, Said: w.remarks(o)}
	doc, original, err := load(file)
	if err != nil {
		return Change{}, err
	}
	if doc == nil {
		change.Created = true
		if doc, err = parse([]byte("{}\n")); err != nil {
			return Change{}, err
		}
	}
	if err := w.fits(doc, file, o); err != nil {
		return Change{}, err
	}
	change.Said = append(change.Said, w.disabled(o)...)
	if w.complete(doc, o) {
		change.Backup = backupOf(file)
		return change, nil
	}
	had := len(doc.ways()) > 0
	w.unwire(doc)
	if had && w.bare(doc) {
		original = nil // there was nothing but ours, of an earlier installation: nothing to go back to
	}
	if err := w.wire(doc, o); err != nil {
		return Change{}, err
	}
	if change.Backup, err = keep(file, original); err != nil {
		return Change{}, err
	}
	change.Changed = true
	return change, save(file, doc.text())
}

// fits refuses a file whose values are not what the client's settings are made of.
func (w *wiring) fits(doc *document, file string, o Options) error {
	wrong := func(where string) error {
		return fault.New(fault.Invalid, "settings_shape", "%s: %s; nothing was changed", file, where).
			WithFix("add by hand:\n%s", w.snippet(o))
	}
	if !isObject(&doc.root) {
		return wrong("it is no JSON object")
	}
	hooks := doc.get("hooks")
	if hooks != nil && !isObject(hooks) {
		return wrong("its hooks are no object")
	}
	for _, event := range o.events(w) {
		if list := doc.get("hooks", event); list != nil && !isArray(list) {
			return wrong("hooks." + event + " is no array")
		}
	}
	return nil
}

// snippet returns what an otherwise empty file has after an installation.
func (w *wiring) snippet(o Options) string {
	doc, err := parse([]byte("{}"))
	if err == nil {
		err = w.wire(doc, o)
	}
	if err != nil {
		return ""
	}
	return string(doc.text())
}

// complete reports whether each event has exactly the entry that it is to have, and no other of ours is left.
func (w *wiring) complete(doc *document, o Options) bool {
	if w.Version != 0 && doc.get("version") == nil {
		return false
	}
	want := 0
	for _, event := range o.events(w) {
		entry, err := hujson.Parse([]byte(style{}.value(w.entry(event, o), "")))
		if err != nil {
			return false
		}
		for _, c := range children(doc.get("hooks", event)) {
			if compact(*c.value) == compact(entry) {
				want++
			}
		}
	}
	return want == len(o.events(w)) && len(w.registrations(doc, "")) == want
}

// wire takes out what is there of ours and puts in what is to be.
func (w *wiring) wire(doc *document, o Options) error {
	w.unwire(doc)
	if w.Version != 0 && doc.get("version") == nil {
		if err := doc.add(&doc.root, "version", w.Version); err != nil {
			return err
		}
	}
	if doc.get("hooks") == nil {
		all := fields{}
		for _, event := range o.events(w) {
			all = append(all, field{event, []any{w.entry(event, o)}})
		}
		return doc.add(&doc.root, "hooks", all)
	}
	for _, event := range o.events(w) {
		entry := w.entry(event, o)
		list := doc.get("hooks", event)
		var err error
		if list == nil {
			err = doc.add(doc.get("hooks"), event, []any{entry})
		} else {
			err = doc.add(list, "", entry)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// opened returns the settings that are to be changed, and their file with the copy of it; nil where there are none.
func (w *wiring) opened(o Options) (change Change, doc *document, err error) {
	if change.File, err = w.place(o); err != nil {
		return Change{}, nil, err
	}
	if doc, _, err = load(change.File); doc != nil {
		change.Backup = backupOf(change.File)
	}
	return change, doc, err
}

func (w *wiring) uninstall(o Options) (Change, error) {
	change, doc, err := w.opened(o)
	if err != nil || doc == nil {
		return change, err
	}
	if !isObject(&doc.root) || len(w.registrations(doc, change.File)) == 0 {
		return change, nil
	}
	w.unwire(doc)
	change.Changed = true
	if change.Backup == "" && w.bare(doc) {
		change.Removed = true
		return change, w.removeFile(o, change.File)
	}
	original, err := w.original(change.Backup, doc)
	if err != nil {
		return Change{}, err
	}
	if original == nil {
		return change, save(change.File, doc.text())
	}
	if err := save(change.File, original); err != nil {
		return Change{}, err
	}
	backup := change.Backup
	change.Backup = ""
	return change, unwritable(backup, os.Remove(backup))
}

// unwire takes our hooks out, with the groups, lists and objects that are empty without them.
func (w *wiring) unwire(doc *document) {
	for ways := doc.ways(); len(ways) > 0; ways = doc.ways() {
		way := ways[0]
		// From the inside out: what has nothing left goes with its last child.
		at := len(way) - 1
		for at > 0 && way[at].alone() {
			at--
		}
		remove(way[at].parent, way[at].index)
	}
}
