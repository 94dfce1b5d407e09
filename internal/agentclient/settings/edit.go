package settings

import (
	"os"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/fault"
)

func (w *wiring) install(o Options) (Change, error) {
	file, err := place(o, w.File)
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
	if doc.lenient {
		return Change{}, w.byHand(file, o)
	}
	had := len(doc.ways()) > 0
	if err := w.unwire(doc); err != nil {
		return Change{}, err
	}
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
	return change, save(file, doc.text)
}

// fits refuses a file whose values are not what the client's settings are made of.
func (w *wiring) fits(doc *document, file string, o Options) error {
	wrong := func(where string) error {
		return fault.New(fault.Invalid, "settings_shape", "%s: %s; nothing was changed", file, where).
			WithFix("add by hand:\n%s", w.snippet(o))
	}
	if doc.root.kind != '{' {
		return wrong("it is no JSON object")
	}
	hooks := doc.root.get("hooks")
	if hooks != nil && hooks.kind != '{' {
		return wrong("its hooks are no object")
	}
	for _, event := range w.Events {
		if list := hooks.get(event); list != nil && list.kind != '[' {
			return wrong("hooks." + event + " is no array")
		}
	}
	return nil
}

// byHand refuses a file that has comments, and says what to do.
func (w *wiring) byHand(file string, o Options) error {
	return fault.New(fault.Invalid, "settings_comments",
		"%s has comments or trailing commas, which would be lost; nothing was changed", file).
		WithFix("take them out, or add by hand:\n%s", w.snippet(o))
}

// snippet is what an otherwise empty file has after an installation.
func (w *wiring) snippet(o Options) string {
	doc, err := parse([]byte("{}"))
	if err == nil {
		err = w.wire(doc, o)
	}
	if err != nil {
		return ""
	}
	return string(doc.text)
}

// complete tells whether each event has exactly the entry that it is to have, and no other of ours is left.
func (w *wiring) complete(doc *document, o Options) bool {
	if w.Version != 0 && doc.root.get("version") == nil {
		return false
	}
	want := 0
	for _, event := range w.Events {
		entry := string(compact([]byte(style{}.value(w.entry(event, o), ""))))
		list := doc.root.get("hooks", event)
		if list == nil {
			return false
		}
		for _, c := range list.children {
			if string(compact(doc.text[c.value.start:c.value.end])) == entry {
				want++
			}
		}
	}
	return want == len(w.Events) && len(w.registrations(doc, "")) == want
}

// wire takes out what is there of ours and puts in what is to be.
func (w *wiring) wire(doc *document, o Options) error {
	if err := w.unwire(doc); err != nil {
		return err
	}
	if w.Version != 0 && doc.root.get("version") == nil {
		if err := doc.add(doc.root, "version", w.Version); err != nil {
			return err
		}
	}
	if doc.root.get("hooks") == nil {
		all := fields{}
		for _, event := range w.Events {
			all = append(all, field{event, []any{w.entry(event, o)}})
		}
		return doc.add(doc.root, "hooks", all)
	}
	for _, event := range w.Events {
		entry := w.entry(event, o)
		list := doc.root.get("hooks", event)
		var err error
		if list == nil {
			err = doc.add(doc.root.get("hooks"), event, []any{entry})
		} else {
			err = doc.add(list, "", entry)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *wiring) uninstall(o Options) (Change, error) {
	file, err := place(o, w.File)
	if err != nil {
		return Change{}, err
	}
	change := Change{File: file}
	doc, _, err := load(file)
	if err != nil || doc == nil {
		return change, err
	}
	change.Backup = backupOf(file)
	if doc.root.kind != '{' || len(w.registrations(doc, file)) == 0 {
		return change, nil
	}
	if doc.lenient {
		return Change{}, fault.New(fault.Invalid, "settings_comments",
			"%s has comments or trailing commas, which would be lost; nothing was changed", file).
			WithFix("take out by hand the entries whose command is the guard's")
	}
	if err := w.unwire(doc); err != nil {
		return Change{}, err
	}
	change.Changed = true
	if change.Backup == "" && w.bare(doc) {
		change.Removed = true
		return change, os.Remove(file)
	}
	original, err := w.original(change.Backup, doc)
	if err != nil {
		return Change{}, err
	}
	if original == nil {
		return change, save(file, doc.text)
	}
	if err := save(file, original); err != nil {
		return Change{}, err
	}
	backup := change.Backup
	change.Backup = ""
	return change, os.Remove(backup)
}

// unwire takes our hooks out, with the groups, lists and objects that are empty without them.
func (w *wiring) unwire(doc *document) error {
	for {
		ways := doc.ways()
		if len(ways) == 0 {
			return nil
		}
		way := ways[0]
		// From the inside out: what has nothing left goes with its last child.
		at := len(way) - 1
		for at > 0 && way[at].alone() {
			at--
		}
		if err := doc.remove(way[at].parent, way[at].index); err != nil {
			return err
		}
	}
}

// step is one child on the way from the root to a hook.
type step struct {
	parent *node
	index  int
}

func (s step) node() *node { return s.parent.children[s.index].value }

// alone tells whether its parent holds nothing else, except the matcher of a group.
func (s step) alone() bool {
	for i, c := range s.parent.children {
		if i != s.index && (s.parent.kind != '{' || c.name != "matcher") {
			return false
		}
	}
	return true
}

// ways are the ways to all hooks of ours, in the order of the file.
func (d *document) ways() [][]step {
	at := d.root.index("hooks")
	if at < 0 {
		return nil
	}
	var all [][]step
	hooks := d.root.children[at].value
	for e, event := range hooks.children {
		if hooks.kind != '{' || event.value.kind != '[' {
			continue
		}
		for i := range event.value.children {
			all = append(all, d.waysFrom([]step{{d.root, at}, {hooks, e}, {event.value, i}})...)
		}
	}
	return all
}

// waysFrom goes on from an entry of an event: it is a hook itself, or a group of hooks.
func (d *document) waysFrom(way []step) [][]step {
	entry := way[len(way)-1].node()
	if d.ours(entry) {
		return [][]step{way}
	}
	at := entry.index("hooks")
	if at < 0 {
		return nil
	}
	var all [][]step
	list := entry.children[at].value
	for i, hook := range list.children {
		if d.ours(hook.value) {
			all = append(all, slices.Concat(way, []step{{entry, at}, {list, i}}))
		}
	}
	return all
}

// registrations lists our hooks, in the order of the file.
func (w *wiring) registrations(doc *document, file string) []Registration {
	var found []Registration
	for _, way := range doc.ways() {
		event := way[1].parent.children[way[1].index].name
		found = append(found, w.registration(doc, file, event, way[2].node(), way[len(way)-1].node()))
	}
	return found
}

func (w *wiring) registration(doc *document, file, event string, group, hook *node) Registration {
	r := Registration{File: file, Event: event, Matcher: doc.str(group.get("matcher")), Command: doc.command(hook)}
	number, unit := doc.num(hook.get(w.Timeout)), w.Unit
	if number < float64(w.SecondsBelow) {
		unit = time.Second
	}
	r.Timeout = time.Duration(number * float64(unit))
	if w.Shut != nil {
		shut := hook.get(w.Shut.Name)
		r.FailsShut = shut != nil && (shut.kind == 't' || doc.str(shut) == w.Shut.Value)
	}
	return r
}

// command is the command line of a hook, however it is written: as one text, or as a program with its arguments.
func (d *document) command(hook *node) string {
	for _, name := range []string{"command", "bash", "exec", "powershell"} {
		line := d.str(hook.get(name))
		if line == "" {
			continue
		}
		if arguments := hook.get("args"); arguments != nil {
			for _, c := range arguments.children {
				line += " " + d.str(c.value)
			}
		}
		return strings.TrimSpace(line)
	}
	return ""
}

func (d *document) ours(n *node) bool { return n.kind == '{' && ours(d.command(n)) }
