package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/commandline"
)

// disabled lists what keeps a client from running hooks, as far as its files say.
func (w *wiring) disabled(o Options) []string {
	var found []string
	for _, t := range w.Toggles {
		folder := o.Root
		if t.Home {
			folder = o.Home
		}
		if folder == "" {
			continue
		}
		file := filepath.Join(folder, t.File)
		value, err := valueOf(t, file)
		if err != nil {
			found = append(found,
				fmt.Sprintf("%s cannot be read, so that it is not known whether it switches hooks off", file))
		}
		if value == strconv.FormatBool(t.Off) {
			name := strings.Join(t.Path, ".")
			found = append(found, fmt.Sprintf("hooks are switched off: %s is %s in %s", name, value, file))
		}
	}
	return append(found, w.listed(w.path(o))...)
}

// valueOf returns what a file says of a switch: true, false, or anything else where it says nothing.
func valueOf(t agentclient.Toggle, file string) (string, error) {
	if isTOML(file) {
		root, err := loadTOML(file)
		if on, is := inTOML(root, t.Path...).(bool); is {
			return strconv.FormatBool(on), nil
		}
		return "", err
	}
	doc, _, err := load(file)
	if err != nil || doc == nil {
		return "", err
	}
	return literal(doc.get(t.Path...)), nil
}

// listed looks for our hook in the lists of those that are switched off one by one.
func (w *wiring) listed(file string) []string {
	if len(w.Disabled) == 0 {
		return nil
	}
	doc, _, err := load(file)
	if err != nil || doc == nil {
		return nil
	}
	for _, path := range w.Disabled {
		if slices.ContainsFunc(children(doc.get(path...)), func(c child) bool {
			name := str(c.value)
			return name == entryName || commandline.Runs(name)
		}) {
			return []string{fmt.Sprintf("our hook is switched off: it is in %s of %s", strings.Join(path, "."), file)}
		}
	}
	return nil
}

func isTOML(file string) bool { return filepath.Ext(file) == ".toml" }
