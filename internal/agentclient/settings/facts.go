package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// Facts are what is known of a client's hooks, whatever is registered.
type Facts struct {
	Before  string        // the event before a tool
	Unit    time.Duration // of the time limit in its settings
	Project string        // the environment variable with the project's folder that a hook is given; "" for none
	Since   string        // the first version that the guard can rely on; "" where that is not known
	Lacks   string        // what an older one does not do
	Shut    string        // the member that makes it block when the hook breaks; "" for none
	ShutBy  string        // the first version with that member; "" is every one
	Notes   []string      // what its files do not show
}

// FactsOf returns what is known of a client.
func FactsOf(client string) (Facts, error) {
	if client == "opencode" {
		return Facts{Before: "tool.execute.before", Unit: time.Millisecond}, nil
	}
	w, err := wiringOf(client)
	if err != nil {
		return Facts{}, err
	}
	f := Facts{Before: w.events[0], Unit: w.unit, Project: w.project, Since: w.since, Lacks: w.lacks, Notes: w.notes}
	if w.shut != nil {
		f.Shut, f.ShutBy = w.shut.name, w.shut.since
	}
	return f, nil
}

// Elsewhere lists our entries in files that Install does not write to. One that the client passes over is disabled.
func Elsewhere(client string, o Options) (found []Registration) {
	w, err := wiringOf(client)
	if err != nil {
		return nil
	}
	for _, s := range w.strays {
		folder := o.Root
		if s.home {
			folder = o.Home
		}
		file := filepath.Join(folder, s.file)
		if folder == "" || file == filepath.Join(o.Root, w.file) {
			continue
		}
		doc, _, err := load(file)
		if err != nil || doc == nil {
			continue
		}
		for _, r := range w.registrations(doc, file) {
			if r.Disabled = w.disabled(o); s.unread {
				r.Disabled = append(r.Disabled, fmt.Sprintf("%s does not read %s", client, file))
			}
			found = append(found, r)
		}
	}
	return found
}

// Variable is an environment variable that a settings file has a client set for what it starts.
type Variable struct {
	File  string
	Value string
}

// Variables are the values that a client's settings give an environment variable: the project's, the person's own in
// it, and those in the user's folder. A value that is no string is as it is written. Files that cannot be read have
// none; Registered names them.
func Variables(client, name string, o Options) (found []Variable) {
	w, err := wiringOf(client)
	if err != nil {
		return nil
	}
	for _, file := range w.read(o) {
		doc, _, err := load(file)
		if err != nil || doc == nil {
			continue
		}
		value := doc.root.get("env", name)
		switch {
		case value == nil:
		case value.kind == '"':
			found = append(found, Variable{file, doc.str(value)})
		default:
			found = append(found, Variable{file, string(doc.text[value.start:value.end])})
		}
	}
	return found
}

// read are the settings files that the client reads, each once.
func (w *wiring) read(o Options) (files []string) {
	add := func(file string, home bool) {
		folder := o.Root
		if home {
			folder = o.Home
		}
		if path := filepath.Join(folder, file); folder != "" && !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	add(w.file, false)
	for _, s := range w.strays {
		if !s.unread {
			add(s.file, s.home)
		}
	}
	for _, t := range w.toggles {
		add(t.file, t.home)
	}
	return files
}
