package setup

import (
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
	"orchestrator/internal/system/tree"
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
func (p Project) sectionSteps(_ context.Context, plan *Plan) error {
	files := slices.DeleteFunc(slices.Clone(agentFiles),
		func(name string) bool { return !tree.Exists(name) || takesOver(name) })
	if len(files) == 0 {
		files = agentFiles[:1]
	}
	for _, name := range files {
		step, err := sectionStep(name)
		if err != nil {
			return err
		}
		plan.Steps = append(plan.Steps, step)
	}
	return nil
}

// takesOver reports whether a file has no section, and takes over the one in AGENTS.md.
func takesOver(name string) bool {
	has, err := readText(name)
	return err == nil && name != agentFiles[0] && slices.Contains(strings.Fields(has), includes) && !holdsSection(has)
}

func holdsSection(text string) bool { return strings.Contains(text, beginsWith) }

func readText(name string) (string, error) {
	text, err := durable.ReadRegular(name, maxKept)
	return string(text), err
}

func sectionStep(name string) (*Step, error) {
	left := func(why string) (*Step, error) {
		return &Step{Path: name, Done: true,
			What: "left as it is, since it is " + why + "; agents are not told there how to work here"}, nil
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Lstat(name); err == nil {
		switch {
		case !info.Mode().IsRegular():
			return left("a link or no file")
		case info.Size() > maxKept:
			return left("larger than 1 MiB")
		}
		mode = info.Mode().Perm()
	}
	has, err := readText(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if !utf8.ValidString(has) {
		return left("not UTF-8")
	}
	wanted, err := withSection(name, has, section)
	return &Step{
		Path: name,
		What: "the section that tells agents how to work here",
		Done: err == nil && wanted == has,
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
		return "", fault.New(fault.Invalid, CodeMarks, "the marks %s and %s in %s do not enclose one section",
			beginMark, endMark, name).WithFix("remove the marks, and orchestrator init writes the section anew")
	case has == "":
		return text, nil
	case !strings.HasSuffix(has, "\n"):
		has += newline
	}
	return has + newline + text, nil
}
