package setup

import (
	"bytes"
	"context"
	_ "embed" // the text of the section
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/durable"
)

// CodeMarks is the code of a file whose marks do not enclose one section.
const CodeMarks fault.Code = "section_marks"

// The marks that enclose the section. What stands outside of them is the user's.
const (
	beginMark = "<!-- orchestrator:begin - orchestrator init replaces what stands between these marks -->"
	endMark   = "<!-- orchestrator:end -->"

	beginsWith = "<!-- orchestrator:begin"
)

// agentFiles are where agents are told how to work in a project; the first one is made where there is none.
var agentFiles = []string{"AGENTS.md", "CLAUDE.md"}

// includes is the line by which CLAUDE.md takes over what AGENTS.md says.
const includes = "@AGENTS.md"

// told tells agents how to work in a project. It quotes nothing of the project.
//
//go:embed section.md
var told string

var section = beginMark + "\n" + told + endMark + "\n"

// sectionSteps put the section into the files that agents read.
func sectionSteps() (steps []Step, err error) {
	files := slices.DeleteFunc(slices.Clone(agentFiles),
		func(name string) bool { return !exists(name) || takesOver(name) })
	if len(files) == 0 {
		files = agentFiles[:1]
	}
	for _, name := range files {
		step, err := sectionStep(name)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// takesOver reports whether a file has no section, and takes over the one in AGENTS.md.
func takesOver(name string) bool {
	has, err := durable.ReadRegular(name, maxKept)
	return err == nil && name != agentFiles[0] && slices.Contains(strings.Fields(string(has)), includes) &&
		!bytes.Contains(has, []byte(beginsWith))
}

func sectionStep(name string) (Step, error) {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return Step{What: name + ", which is a link or no file: it is left as it is", Done: true}, nil
	}
	has, err := durable.ReadRegular(name, maxKept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Step{}, err
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	if !utf8.Valid(has) {
		return Step{What: name + ", which is not UTF-8: it is left as it is", Done: true}, nil
	}
	wanted, err := withSection(name, string(has), section)
	return Step{
		What: name + ": the section that tells agents how to work here",
		Done: err == nil && wanted == string(has),
		do:   func(context.Context) error { return write(name, mode, []byte(wanted)) },
	}, err
}

// withSection returns a text with the section in it: in the place of the one that it has, or at its end. All else
// stays byte for byte; the section takes over how lines end.
func withSection(name, has, text string) (string, error) {
	newline := "\n"
	if first := strings.IndexByte(has, '\n'); first > 0 && has[first-1] == '\r' {
		newline = "\r\n"
		text = strings.ReplaceAll(text, "\n", newline)
	}
	begin, end := strings.Index(has, beginsWith), strings.Index(has, endMark)
	switch begins, ends := strings.Count(has, beginsWith), strings.Count(has, endMark); {
	case begins == 1 && ends == 1 && begin < end:
		return has[:begin] + strings.TrimSuffix(text, newline) + has[end+len(endMark):], nil
	case begins+ends > 0:
		return "", fault.New(fault.Invalid, CodeMarks, "the marks %s and %s in %s do not enclose one section", beginMark,
			endMark, name).WithFix("remove the marks, and orchestrator init writes the section anew")
	case has == "":
		return text, nil
	case !strings.HasSuffix(has, "\n"):
		has += newline
	}
	return has + newline + text, nil
}
