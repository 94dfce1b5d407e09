package project

import (
	"context"
	"net/url"
	"os"
	"strings"

	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/language/translator"
	"orchestrator/internal/conductor/prompt"
	"orchestrator/internal/daemon/duty"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/gitignore"
)

// Plan is what Open opens: options that have been checked.
type Plan struct {
	Options

	workflow  lifecycle.Workflow
	contracts *contract.Registry // of the tools that the conductor can run
	prompts   *prompt.Set        // of agents
	model     *translator.LLM    // nil where the environment names none

	joined bool // other replicas serve the log, and what is on record decides
}

// Prepare checks what can be checked before anything is opened or created.
func Prepare(o Options) (*Plan, error) {
	if err := gitignore.RefuseLinks(context.Background(), o.Data); err != nil {
		return nil, err
	}
	o.resolveLinks()
	o.Store = o.Store.In(o.dir())
	p := &Plan{Options: o}
	var err error
	if p.Workflow != "" {
		if p.workflow, err = lifecycle.ParseWorkflow(p.Workflow); err != nil {
			return nil, err
		}
	}
	if err := documents.CheckReading(p.Reading); err != nil {
		return nil, err
	}
	if err := p.checkEvidence(); err != nil {
		return nil, err
	}
	if err := p.Limit().Check(); err != nil {
		return nil, err
	}
	if err := checkAdvertised(p.Advertise); err != nil {
		return nil, err
	}
	if p.Lease != 0 && p.Lease < duty.LeastTTL {
		return nil, fault.New(fault.Invalid, fault.CodeUsage, "--lease %s is too short", p.Lease).
			WithFix("give at least %s: a lease that is not renewed in time passes to another replica", duty.LeastTTL)
	}
	if p.contracts, err = Tools(p.dir()); err != nil {
		return nil, err
	}
	if p.prompts, err = prompt.Load(p.dir().Prompts()); err != nil {
		return nil, err
	}
	p.model, err = translator.FromEnvironment(os.Getenv)
	return p, err
}

// checkAdvertised refuses an address that no other replica could pass a request on to.
func checkAdvertised(address string) error {
	u, err := url.Parse(address)
	if address == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && u.Fragment == "" {
		return nil
	}
	return fault.New(fault.Invalid, fault.CodeUsage, "--advertise %s is no address of a service", address).
		WithFix("give the URL at which other replicas reach this one, such as https://one.example.org:8443").
		Because(err)
}
