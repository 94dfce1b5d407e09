package contract

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/system/tree"
)

const (
	maxFile  = 1 << 20 // bytes of a file
	maxWrong = 50      // things that are listed of one file
)

// Load reads the contracts of a directory (every *.yaml, *.yml and *.json in it, in no folder below) and joins them
// with those of the box. A directory that does not exist is the box alone. One bad contract refuses all: the
// *fault.Error, of kind Invalid, has a field for everything that is wrong, with file and line in its detail.
//
// Implements: ORC-277
func Load(dir string, box []planning.Contract) (*Registry, error) {
	sources, wrong := builtinSources(box)
	read, bad, err := readDir(dir)
	if err != nil {
		return nil, err
	}
	sources, wrong = append(sources, read...), append(wrong, bad...)
	builtins := builtinNames(box)
	var tools []*Tool
	var checked []source
	for _, s := range sources {
		if s.broken {
			continue
		}
		t, bad := check(s, builtins)
		tools, checked, wrong = append(tools, t), append(checked, s), append(wrong, limited(s.file, bad)...)
	}
	if wrong = append(wrong, checkTogether(sources)...); len(wrong) == 0 {
		wrong = planned(checked, tools)
	}
	if len(wrong) > 0 {
		return nil, fault.New(fault.Invalid, "tools_invalid",
			"no tool contract is used until all are valid").
			WithFields(wrong...).
			WithFix("correct what is listed; schemas/tool.schema.json and docs/conductor.md describe the form")
	}
	return newRegistry(tools)
}

// builtinSources returns the built-in contracts as files would have them, so that they are checked alike.
func builtinSources(box []planning.Contract) (sources []source, wrong []fault.Field) {
	for _, c := range box {
		value, err := fileForm(c)
		if err != nil {
			wrong = append(wrong, fault.Field{Code: "contract", Detail: theBox + ": " + c.Name + ": " + err.Error()})
			continue
		}
		sources = append(sources, source{file: theBox + ": " + c.Name, value: value})
	}
	return sources, wrong
}

func builtinNames(box []planning.Contract) map[string]bool {
	names := map[string]bool{}
	for _, c := range box {
		if c.Implementation.Means == planning.Builtin {
			names[c.Implementation.Name] = true
		}
	}
	return names
}

// readDir reads all contracts of the directory, in the order of the files' names.
func readDir(dir string) (sources []source, wrong []fault.Field, err error) {
	entries, err := tree.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fault.New(fault.Unavailable, "tools_unreadable",
			"the directory of tool contracts cannot be read").Because(err).
			WithFix("let the service read .orchestrator/tools, or take it away")
	}
	for _, entry := range entries { // sorted
		ext := strings.ToLower(filepath.Ext(entry.Name()))
		if entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, ext) {
			continue
		}
		found, bad := readFile(dir, entry, ext)
		if len(found) == 0 && len(bad) == 0 {
			bad = []fault.Field{{Code: "empty", Detail: entry.Name() + ":1: there is no contract in the file"}}
		}
		sources, wrong = append(sources, found...), append(wrong, limited(entry.Name(), bad)...)
	}
	return sources, wrong, nil
}

func readFile(dir string, entry fs.DirEntry, ext string) ([]source, []fault.Field) {
	name := entry.Name()
	if !entry.Type().IsRegular() {
		return nil, []fault.Field{{Code: "not_regular", Detail: name + " is not a regular file"}}
	}
	content, err := tree.ReadFile(context.Background(), filepath.Join(dir, name), maxFile)
	if err != nil {
		detail := name + " cannot be read, or has more than 1 MiB"
		if failed, is := errors.AsType[*fs.PathError](err); is {
			detail = name + " cannot be read: " + failed.Err.Error()
		}
		return nil, []fault.Field{{Code: "unreadable", Detail: detail}}
	}
	if ext == ".json" {
		return readJSON(name, content)
	}
	return readYAML(name, content)
}

// limited cuts what is wrong with one file, so that one file cannot hide the others.
func limited(file string, wrong []fault.Field) []fault.Field {
	if len(wrong) <= maxWrong {
		return wrong
	}
	return append(wrong[:maxWrong:maxWrong], fault.Field{Code: "more",
		Detail: file + ": there is more; mend these first"})
}
