package choices

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

// Workflow puts the workflow of a new project on record: the one that the operator names, else lifecycle.V1. From then
// on the log decides, and an operator who names another one is refused.
func Workflow(ctx context.Context, l *ledger.Ledger, was, asked string) error {
	if was != "" {
		return onRecord(was, asked)
	}
	return choose(ctx, l, func(p *projection.Project) (ledger.Event, error) {
		if p.WorkflowName != "" { // another replica was first
			return ledger.Event{}, onRecord(p.WorkflowName, asked)
		}
		p.WorkflowName = cmp.Or(asked, lifecycle.V1.Name)
		return ledger.Event{Kind: record.KindWorkflowChosen,
			Data: record.WorkflowChosen{Rules: lifecycle.LatestRules, To: p.WorkflowName}}, nil
	})
}

// onRecord refuses another workflow than the one that is on record.
func onRecord(was, asked string) error {
	if _, err := lifecycle.ParseWorkflow(was); err != nil || asked == "" || asked == was {
		return err
	}
	return fault.New(fault.Conflict, "workflow_on_record",
		"the log says that workflow %s is in force, and --workflow says %s", was, asked).
		WithFix(`leave --workflow out, since it counts at the first start only; the pm switches a project, `+
			`while its service runs: orchestrator workflow %s --reason '<why>'`, asked)
}

// Switch is a workflow that somebody asks for, and why.
type Switch struct {
	By        lifecycle.Actor `json:"-"`
	RequestID string          `json:"-"`
	To        string          `json:"workflow"`
	Reason    string          `json:"reason"`
}

// maxReason is how long the reason of a switch may be, in bytes.
const maxReason = 1000

// MayBe refuses who may not switch.
func (s Switch) MayBe() error {
	if s.By.Role == lifecycle.PM {
		return nil
	}
	return fault.New(fault.Forbidden, "role_forbidden", "switching the workflow is for role pm, not for role %s", s.By.Role).
		WithFix("ask a pm to send it")
}

// Check refuses who may not switch, and what no project can be switched to.
func (s Switch) Check() error {
	if err := s.MayBe(); err != nil {
		return err
	}
	if _, err := lifecycle.ParseWorkflow(s.To); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(s.Reason) == "":
		return fault.New(fault.Invalid, "reason_required", "switching the workflow needs a reason").
			WithFix(`send for example {"workflow":%q,"reason":"work that was sent back must be able to return"}`, s.To)
	case len(s.Reason) > maxReason:
		return fault.New(fault.Invalid, "reason_too_long", "the reason has %d bytes; at most %d are kept", len(s.Reason),
			maxReason).WithFix("say it shorter")
	}
	return nil
}

// Standing is what decides whether a switch strands a requirement.
type Standing struct {
	Status  lifecycle.Status
	Retired bool
}

// Apply switches the workflow of the project in a transaction, and returns the one before. The present one is no
// record. It refuses to strand a requirement; standing finds where one stands.
func (s Switch) Apply(tx *ledger.Tx, standing func(id string) (Standing, error)) (before string, err error) {
	p, _, err := projection.TableProject.Get(tx, projection.KeyProject)
	if err != nil || p.WorkflowName == s.To {
		return p.WorkflowName, err
	}
	if err := s.checkStranded(p, standing); err != nil {
		return p.WorkflowName, err
	}
	data := record.WorkflowChosen{Rules: lifecycle.LatestRules, From: p.WorkflowName, To: s.To, Reason: s.Reason}
	p.WorkflowName = s.To
	if _, err := projection.TableProject.Put(tx, projection.KeyProject, p); err != nil {
		return data.From, err
	}
	return data.From, tx.Append(ledger.Event{Kind: record.KindWorkflowChosen, RequestID: s.RequestID, Data: data,
		Actor: audit.Actor{Name: s.By.Name, Role: string(s.By.Role)}})
}

// maxStranded is how many stranded requirements a refusal names.
const maxStranded = 20

// checkStranded refuses a switch after which a requirement could never be done that can be now.
func (s Switch) checkStranded(p projection.Project, standing func(id string) (Standing, error)) error {
	to, err := lifecycle.ParseWorkflow(s.To)
	if err != nil {
		return err
	}
	closed := p.Workflow().ClosedBy(to)
	if len(closed) == 0 {
		return nil
	}
	count, named := 0, []fault.Field{}
	for _, id := range p.IDs {
		at, err := standing(id)
		if err != nil {
			return err
		}
		if at.Retired || !slices.Contains(closed, at.Status) {
			continue
		}
		if count++; count <= maxStranded {
			named = append(named, fault.Field{Pointer: "/workflow", Code: "stranded", Detail: id + " is " + string(at.Status)})
		}
	}
	if count == 0 {
		return nil
	}
	rest := ""
	if count > len(named) {
		rest = "; errors names the first of them"
	}
	return fault.New(fault.Conflict, "workflow_would_strand",
		"requirements to which workflow %s leaves no way to done: %d", s.To, count).WithFields(named...).
		WithFix("move those that errors names on under workflow %s, then switch%s", p.WorkflowName, rest)
}
