package setup

import (
	"context"
	_ "embed" // the text of the section
	"slices"

	"orchestrator/internal/system/marked"
	"orchestrator/internal/system/tree"
)

// told tells agents how to work in a project. It quotes nothing of the project.
//
//go:embed section.md
var told string

// sectionSteps put the section into the files that agents read; the first of them is made where there is none.
func (p Project) sectionSteps(_ context.Context, plan *Plan) error {
	var files []string
	for _, name := range p.Told {
		if tree.Exists(name) && !p.takesOver(name) {
			files = append(files, name)
		}
	}
	if len(files) == 0 && len(p.Told) > 0 {
		files = p.Told[:1]
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

// takesOver reports whether whoever reads a file reads another one of them: it is a link to that, or it includes the
// first one and has no section of its own.
func (p Project) takesOver(name string) bool {
	has, err := marked.Read(name)
	if err != nil || slices.ContainsFunc(p.Told, has.LeadsTo) {
		return err == nil
	}
	first := marked.File{Name: p.Told[0]}
	return name != p.Told[0] && has.Includes(p.Told[0]) && !first.LeadsTo(name) && !marked.Guide.Has(has.Text)
}

func sectionStep(name string) (*Step, error) {
	has, err := marked.Read(name)
	if err != nil {
		return nil, err
	}
	if has.Left != "" {
		return &Step{Path: name, Done: true,
			What: "left as it is, since it is " + has.Left + "; agents are not told there how to work here"}, nil
	}
	wanted, err := withSection(name, has.Text)
	return &Step{
		Path: name,
		What: "the section that tells agents how to work here",
		Done: err == nil && wanted == has.Text,
		do:   func(context.Context) error { return has.Write(wanted) },
	}, err
}

// withSection returns the text of a file with the section in it: in the place of the one that it has, or at its end.
// What the section says of the boundary stays in it.
func withSection(name, has string) (string, error) {
	before, err := marked.Guide.Text(name, has)
	if err != nil {
		return "", err
	}
	text := told
	if marked.Boundary.Has(before) {
		of, err := marked.Boundary.Text(name, before)
		if err != nil {
			return "", err
		}
		if text, err = marked.Boundary.Put(name, told, of); err != nil {
			return "", err
		}
	}
	return marked.Guide.Put(name, has, text)
}
