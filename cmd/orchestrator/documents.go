package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/reqdoc"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/watch"
)

// readingFlags are how documents are read, the same for every command that reads some.
func readingFlags(cmd *cobra.Command, o *reqdoc.Options) {
	families := reqdoc.Families()
	cmd.Flags().StringVar(&o.Family, "family", "", "read every document as this family, and look for no marks: "+strings.Join(families, ", "))
	cmd.Flags().BoolVar(&o.Assign, "assign", false, "where a document has no ids, make them from section and item")
	_ = cmd.RegisterFlagCompletionFunc("family", cobra.FixedCompletions(families, cobra.ShellCompDirectiveNoFileComp))
}

func checkReading(o reqdoc.Options) error {
	if o.Family == "" || slices.Contains(reqdoc.Families(), o.Family) {
		return nil
	}
	return fault.New(fault.Invalid, "unknown_family", "there is no family %q of requirement documents", o.Family).
		WithFix("use %s, or leave --family out, and the family is found by its marks", strings.Join(reqdoc.Families(), ", "))
}

// findDocuments returns the files that paths and patterns stand for now, each once. A path is written in one way
// only, since it is part of the state.
func findDocuments(paths []string) ([]string, error) {
	var all []string
	seen := map[string]bool{}
	for _, path := range paths {
		files, err := watch.Match(path)
		if err != nil {
			return nil, fault.New(fault.Invalid, "requirements_pattern", "%v", err).WithFix("mend the pattern; *, ? and [a-z] match within one name")
		}
		if len(files) == 0 {
			return nil, fault.New(fault.Conflict, "requirements_unreadable", "no file matches %s", path).
				WithFix("start in the folder that the pattern is meant for, or mend the pattern; nothing was changed")
		}
		for _, file := range files {
			if file = filepath.Clean(file); !seen[file] {
				seen[file] = true
				all = append(all, file)
			}
		}
	}
	return all, nil
}

// readDocuments reads what paths and patterns stand for now.
func readDocuments(paths []string) ([]reqdoc.File, error) {
	found, err := findDocuments(paths)
	if err != nil {
		return nil, err
	}
	var files []reqdoc.File
	for _, path := range found {
		content, err := readDocument(path)
		if err != nil {
			return nil, fault.New(fault.Conflict, "requirements_unreadable", "the requirement document %s cannot be read", path).
				WithFix("put it back, or name another document").Because(err)
		}
		files = append(files, reqdoc.File{Path: filepath.ToSlash(path), Content: content})
	}
	return files, nil
}

// systemActor is who imports when nobody asked by name.
func systemActor() lifecycle.Actor {
	system := ledger.System()
	return lifecycle.Actor{Name: system.Name, Role: lifecycle.Role(system.Role)}
}

// hintAssign adds to what is wrong with documents without ids how they can be read all the same.
func hintAssign(err *fault.Error, o reqdoc.Options) *fault.Error {
	if err.Code != "no_requirements" || o.Assign || strings.Contains(err.Fix, "--assign") {
		return err
	}
	hinted := *err
	hinted.Fix += "; or let --assign make ids from section and item"
	return &hinted
}
