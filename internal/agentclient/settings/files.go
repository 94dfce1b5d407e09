package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/durable"
)

// most is how large a settings file may be, in bytes.
const most = 4 << 20

// load reads a settings file; a missing one is nil, and an empty one an empty object.
func load(file string) (doc *document, original []byte, err error) {
	original, err = durable.ReadRegular(file, most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, unreadable(file, err)
	}
	if doc, err = parseFile(original); err != nil {
		return nil, nil, notJSON(file, err)
	}
	return doc, original, nil
}

// notJSON is the error of a file of settings that cannot be parsed.
func notJSON(file string, err error) error {
	return fault.New(fault.Invalid, "settings_not_json", "%s is no JSON; nothing was changed", file).
		WithFix("mend the file first").Because(err)
}

// unreadable is the error of a file of settings that is there and cannot be read.
func unreadable(file string, err error) error {
	return fault.New(fault.Invalid, "settings_unreadable", "%s cannot be read", file).
		WithFix("make it a regular file that you may read, of at most %d MiB", most>>20).Because(err)
}

// unwritable is the error of a file of settings, or a copy of one, that cannot be written or removed.
func unwritable(file string, err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Unavailable, "settings_unwritable", "%s cannot be written; it is as it was", file).
		WithFix("make it and its folder writable for you, or free space on the disk").Because(err)
}

// parseFile parses a settings file; an empty one is an empty object.
func parseFile(text []byte) (*document, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	return parse(text)
}

// save writes a settings file whole, with the mode that it had.
func save(file string, text []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return unwritable(file, err)
	}
	return unwritable(file, write(file, mode, text))
}

func write(file string, mode fs.FileMode, text []byte) error {
	return durable.WriteFile(file, mode, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// keep writes the copy of the original, the first time. A file that was not there has none.
func keep(file string, original []byte) (string, error) {
	if original == nil || backupOf(file) != "" {
		return backupOf(file), nil
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	backup := file + backupSuffix
	return backup, unwritable(backup, write(backup, mode, original))
}

// backupOf returns the name of the copy, "" where there is none.
func backupOf(file string) string {
	if info, err := os.Lstat(file + backupSuffix); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return file + backupSuffix
}

// bare reports whether a file has nothing but what an installation puts into an empty one.
func (w *wiring) bare(doc *document) bool {
	if doc.comments() != "" {
		return false
	}
	for _, c := range children(&doc.root) {
		if c.name != "version" || w.Version == 0 {
			return false
		}
	}
	return true
}

// original returns the copy of the file before the installation, if it says the same as the file does now; else nil.
func (w *wiring) original(backup string, now *document) ([]byte, error) {
	if backup == "" {
		return nil, nil
	}
	text, err := durable.ReadRegular(backup, most)
	if err != nil {
		return nil, unreadable(backup, err)
	}
	before, err := parseFile(text)
	if err != nil {
		return nil, nil //nolint:nilerr // there is nothing to go back to
	}
	said, saying := w.meaning(before), w.meaning(now)
	if _, had := said["version"]; !had && w.Version != 0 {
		delete(saying, "version")
	}
	if !reflect.DeepEqual(said, saying) || before.comments() != now.comments() {
		return nil, nil
	}
	return text, nil
}

// meaning returns what a file says, without lists and objects of hooks that are empty; nil where it is no object.
func (w *wiring) meaning(doc *document) map[string]any {
	d := json.NewDecoder(bytes.NewReader(doc.standard()))
	d.UseNumber()
	var said map[string]any
	if err := d.Decode(&said); err != nil {
		return nil
	}
	hooks, _ := said["hooks"].(map[string]any)
	for _, event := range w.All() {
		if list, ok := hooks[event].([]any); ok && len(list) == 0 {
			delete(hooks, event)
		}
	}
	if hooks != nil && len(hooks) == 0 {
		delete(said, "hooks")
	}
	return said
}
