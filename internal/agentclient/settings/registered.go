package settings

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Registered lists our entries in the settings of a client, those of the project or the user's. A file that is not
// there has none.
func Registered(client string, o Options) ([]Registration, error) {
	w, err := wiringOf(client)
	if err != nil {
		return nil, err
	}
	if folder, _ := w.within(o); folder == "" {
		return nil, nil
	}
	if w.Plugin != "" {
		return w.registeredPlugin(o)
	}
	doc, _, err := load(w.path(o))
	if err != nil || doc == nil {
		return nil, err
	}
	found := w.registrations(doc, w.path(o))
	if len(found) == 0 {
		return nil, nil
	}
	for i, disabled := 0, w.disabled(o); i < len(found); i++ {
		found[i].Disabled = slices.Clone(disabled)
	}
	return found, nil
}

// Elsewhere lists our entries in files that Install never writes to. One that the client passes over is disabled.
func Elsewhere(client string, o Options) (found []Registration) {
	w, err := wiringOf(client)
	if err != nil {
		return nil
	}
	for _, s := range w.OtherFiles {
		folder := o.Root
		if s.Home {
			folder = o.Home
		}
		file := filepath.Join(folder, s.File)
		if folder == "" || file == filepath.Join(o.Root, w.File) || s.Home && s.File == w.User {
			continue
		}
		doc, _, err := load(file)
		if err != nil || doc == nil {
			continue
		}
		for _, r := range w.registrations(doc, file) {
			if r.Disabled = w.disabled(o); s.Unread {
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

// Variables returns the values that a client's settings give an environment variable: the project's, the person's own
// in it, and those in the user's folder. A value that is no string is as it is written. Files that cannot be read have
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
		switch value := doc.get("env", name); {
		case value == nil:
		case value.Value.Kind() == '"':
			found = append(found, Variable{file, str(value)})
		default:
			found = append(found, Variable{file, literal(value)})
		}
	}
	return found
}

// read returns the settings files that the client reads, each once.
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
	if w.Plugin == "" {
		add(w.File, false)
	}
	for _, s := range w.OtherFiles {
		if !s.Unread {
			add(s.File, s.Home)
		}
	}
	for _, t := range w.Toggles {
		if isTOML(t.File) {
			continue
		}
		add(t.File, t.Home)
	}
	if w.Plugin == "" {
		add(w.User, true)
	}
	return files
}
