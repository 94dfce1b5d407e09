// Package setup makes a folder with requirement documents a project: it finds the documents, writes the settings,
// makes the data folder with a first import, tells agents how to work there, and guards their clients. All of it is
// done, or nothing is.
//
// It works in the working folder, since paths of documents are part of the state.
package setup

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/system/tree"
)

// Answers are what whoever sets a project up has said. What is empty was not said.
type Answers struct {
	Documents []string
	Family    string
	Qualify   string
	Workflow  string // of a new project
	Evidence  string
	Clients   []string // agent clients to guard; none among them is nobody
	Roles     []string // further roles that get a token here
	Strict    bool     // refuse templates and drafts
}

// Project is what is set up.
type Project struct {
	Data    datadir.Dir
	Export  string // file with the state; "" for none
	Answers Answers
	Told    []string // files in which agents are told how to work; the first one is made where there is none

	// Begin opens the project as a service does, imports its documents and closes it: the first start.
	Begin func(context.Context, Answers) error

	// Guard says how an agent client is guarded.
	Guard func(ctx context.Context, client string) (Guard, error)
}

// Plan is what is still to be done.
type Plan struct {
	Found Found
	Steps []*Step
	New   bool // the project has no database yet

	data   datadir.Dir
	told   []string
	guards []Guard
}

// Step is one thing to be done.
type Step struct {
	Path string   `json:"path"` // of what is written
	What string   `json:"what"` // is in there; for people
	Done bool     `json:"done"` // already
	Said []string `json:"said"` // what the person has to know; after it was done

	do   func(context.Context) error
	undo func() error // where it takes more than to put files back
}

// String returns the path, and what is in there.
func (s *Step) String() string { return s.Path + ": " + s.What }

// Complete reports whether nothing is left to be done.
func (p Plan) Complete() bool {
	return !slices.ContainsFunc(p.Steps, func(s *Step) bool { return !s.Done })
}

// Plan finds out what is to be done. It writes nothing.
func (p Project) Plan(ctx context.Context) (Plan, error) {
	plan, err := p.plan(ctx)
	return plan, explained(ctx, err)
}

func (p Project) plan(ctx context.Context) (Plan, error) {
	if err := p.refuseLinks(ctx); err != nil {
		return Plan{}, err
	}
	if err := p.refuseClone(ctx); err != nil {
		return Plan{}, err
	}
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
	found, err := Find(ctx, wanted.Documents, reqdoc.Options{Family: wanted.Family, Qualify: wanted.Qualify,
		Strict: p.Answers.Strict})
	if err != nil {
		return Plan{}, err
	}
	wanted.Documents = found.Documents
	plan := Plan{Found: found, New: !tree.Exists(p.Data.Database()), data: p.Data, told: p.Told}
	plan.Steps = append([]*Step{treeStep(inTree, wanted)}, p.settingSteps(local)...)
	plan.Steps = append(plan.Steps, p.beginStep(wanted, local))
	for _, add := range []func(context.Context, *Plan) error{p.tokenSteps, p.sectionSteps, p.guardSteps} {
		if err := add(ctx, &plan); err != nil {
			return Plan{}, err
		}
	}
	return plan, nil
}

// treeStep writes orchestrator.yaml.
func treeStep(has, wanted config.Tree) *Step {
	s := &Step{Path: config.TreeFile, What: "documents " + strings.Join(wanted.Documents, ", ")}
	s.Done = tree.Exists(config.TreeFile) && slices.Equal(has.Documents, wanted.Documents) &&
		has.Family == wanted.Family && has.Qualify == wanted.Qualify
	s.do = func(context.Context) error { return write(config.TreeFile, 0o644, wanted.Encode()) }
	return s
}

// settingSteps write the settings of the data folder. The workflow of a new project is always among them, so that
// everybody sees which one it is.
func (p Project) settingSteps(local config.Local) (steps []*Step) {
	wanted := map[string]string{"evidence": p.Answers.Evidence, "workflow": p.Answers.Workflow}
	if !tree.Exists(p.Data.Database()) {
		wanted["workflow"] = cmp.Or(p.Answers.Workflow, local.Workflow, "v1")
	}
	for _, key := range []string{"workflow", "evidence"} {
		value := wanted[key]
		if value == "" {
			continue
		}
		steps = append(steps, &Step{
			Path: p.Data.File(config.LocalFile), What: key + " " + value,
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
func (p Project) beginStep(inTree config.Tree, local config.Local) *Step {
	a := Answers{Documents: inTree.Documents, Family: inTree.Family, Qualify: inTree.Qualify, Strict: p.Answers.Strict,
		Workflow: cmp.Or(p.Answers.Workflow, local.Workflow), Evidence: cmp.Or(p.Answers.Evidence, local.Evidence)}
	return &Step{
		Path: string(p.Data),
		What: "the database with a first import, the key of the log, and tokens for pm and viewer in " +
			p.Data.TokenDir(),
		Done: tree.Exists(p.Data.Database()),
		do:   func(ctx context.Context) error { return p.Begin(ctx, a) },
	}
}
