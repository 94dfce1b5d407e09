// Package setup makes a folder with requirement documents a project: it finds the documents, writes the settings,
// makes the data folder with a first import, and tells agents how to work there. All of it is done, or nothing is.
//
// It works in the working folder, since paths of documents are part of the state.
package setup

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/requirements/reqdoc"
)

// Answers are what whoever sets a project up has said. What is empty was not said.
type Answers struct {
	Documents []string
	Family    string
	Qualify   string
	Workflow  string // of a new project
	Evidence  string
}

// Project is what is set up.
type Project struct {
	Data    datadir.Dir
	Answers Answers

	// Begin opens the project as a service does, imports its documents and closes it: the first start.
	Begin func(context.Context, Answers) error
}

// Plan is what is still to be done.
type Plan struct {
	Found Found
	Steps []Step
	New   bool // the project has no database yet
	data  datadir.Dir
}

// Step is one thing to be done.
type Step struct {
	What string // was done, or is already so; for people
	Done bool   // already

	do func(context.Context) error
}

// Complete reports whether nothing is left to be done.
func (p Plan) Complete() bool {
	return !slices.ContainsFunc(p.Steps, func(s Step) bool { return !s.Done })
}

// Plan finds out what is to be done. It writes nothing.
func (p Project) Plan(ctx context.Context) (Plan, error) {
	inTree, err := config.ReadTree(ctx, ".")
	if err != nil {
		return Plan{}, err
	}
	local, err := config.ReadLocal(ctx, p.Data)
	if err != nil {
		return Plan{}, err
	}
	wanted := config.Tree{
		Documents: inTree.Documents,
		Family:    cmp.Or(p.Answers.Family, inTree.Family),
		Qualify:   cmp.Or(p.Answers.Qualify, inTree.Qualify),
	}
	if len(p.Answers.Documents) > 0 {
		wanted.Documents = p.Answers.Documents
	}
	found, err := Find(ctx, wanted.Documents, reqdoc.Options{Family: wanted.Family, Qualify: wanted.Qualify})
	if err != nil {
		return Plan{}, err
	}
	wanted.Documents = found.Documents
	steps := append([]Step{treeStep(inTree, wanted)}, p.settingSteps(local)...)
	steps = append(steps, p.beginStep(wanted, local))
	told, err := sectionSteps()
	return Plan{Found: found, Steps: append(steps, told...), New: !exists(p.Data.Database()), data: p.Data}, err
}

// treeStep writes orchestrator.yaml.
func treeStep(has, wanted config.Tree) Step {
	s := Step{What: config.TreeFile + ": documents " + strings.Join(wanted.Documents, ", ")}
	s.Done = exists(config.TreeFile) && slices.Equal(has.Documents, wanted.Documents) && has.Family == wanted.Family &&
		has.Qualify == wanted.Qualify
	s.do = func(context.Context) error { return write(config.TreeFile, 0o644, wanted.Encode()) }
	return s
}

// settingSteps write the settings of the data folder. The workflow of a new project is always among them, so that
// everybody sees which one it is.
func (p Project) settingSteps(local config.Local) (steps []Step) {
	wanted := map[string]string{"evidence": p.Answers.Evidence, "workflow": p.Answers.Workflow}
	if !exists(p.Data.Database()) {
		wanted["workflow"] = cmp.Or(p.Answers.Workflow, local.Workflow, "v1")
	}
	for _, key := range []string{"workflow", "evidence"} {
		value := wanted[key]
		if value == "" {
			continue
		}
		steps = append(steps, Step{
			What: p.Data.File(config.LocalFile) + ": " + key + " " + value,
			Done: local.Get(key) == value,
			do: func(ctx context.Context) error {
				_, err := config.Change(ctx, p.Data, key, value)
				return err
			},
		})
	}
	return steps
}

// beginStep makes the database, the tokens and the key by a first import.
func (p Project) beginStep(inTree config.Tree, local config.Local) Step {
	a := Answers{Documents: inTree.Documents, Family: inTree.Family, Qualify: inTree.Qualify,
		Workflow: cmp.Or(p.Answers.Workflow, local.Workflow), Evidence: cmp.Or(p.Answers.Evidence, local.Evidence)}
	return Step{
		What: string(p.Data) + ": the database with a first import, the key of the log, and tokens for pm and viewer in " +
			p.Data.TokenDir(),
		Done: exists(p.Data.Database()),
		do:   func(ctx context.Context) error { return p.Begin(ctx, a) },
	}
}

// Do does what is left to be done. If a step fails, what the others did is undone.
func (p Plan) Do(ctx context.Context) error {
	if p.Complete() {
		return nil
	}
	b, err := look(p.files(), []string{string(p.data)})
	if err != nil {
		return err
	}
	for _, s := range p.Steps {
		if s.Done {
			continue
		}
		err := ctx.Err()
		if err == nil {
			err = s.do(ctx)
		}
		if err != nil {
			return errors.Join(err, b.restore())
		}
	}
	return nil
}

// files returns the files outside of the data folder that steps write, and those in it that they change.
func (p Plan) files() []string {
	return append([]string{config.TreeFile, p.data.File(config.LocalFile), p.data.GitIgnore()}, agentFiles...)
}
