package project

import (
	"os"

	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/language"
	"orchestrator/internal/conductor/prompt"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/rules/lifecycle"
)

// Plan is what Open opens: options of which is known that they can be used.
type Plan struct {
	Options

	documents documents.Set
	workflow  lifecycle.Workflow
	contracts *contract.Registry // of the tools that the conductor can run
	prompts   *prompt.Set        // of agents
	model     *language.LLM      // nil where the environment names none
}

// Prepare checks what can be checked before anything is created. Close the plan after the project that it opens.
func Prepare(o Options) (*Plan, error) {
	o.resolveLinks()
	p := &Plan{Options: o}
	var err error
	if p.documents, err = documents.Open(o.Requirements); err != nil {
		return nil, err
	}
	if err := p.prepare(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Plan) prepare() (err error) {
	if p.workflow, err = lifecycle.ParseWorkflow(p.Workflow); err != nil {
		return err
	}
	if err := documents.CheckReading(p.Reading); err != nil {
		return err
	}
	if err := p.checkEvidence(); err != nil {
		return err
	}
	if err := p.limit().Check(); err != nil {
		return err
	}
	if p.contracts, err = Tools(p.dir()); err != nil {
		return err
	}
	if p.prompts, err = prompt.Load(p.dir().Prompts()); err != nil {
		return err
	}
	p.model, err = language.FromEnvironment(os.Getenv)
	return err
}

// Close lets go of the folders of the documents.
func (p *Plan) Close() { p.documents.Close() }
