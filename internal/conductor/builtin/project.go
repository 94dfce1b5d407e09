package builtin

import (
	"context"
	"maps"
	"strconv"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// Project is the project that the built-in tools read and change. Its errors are those of the service: what it refuses
// is a *fault.Error.
type Project interface {
	Status(ctx context.Context) (ProjectStatus, error)
	Requirement(ctx context.Context, id string) (Requirement, error)
	Stored(ctx context.Context, id string) (Parts, error)
	// Next lists the steps that lead one requirement on, or those that wait for a role. "" stands for any of them; a
	// role without a requirement has to be named.
	Next(ctx context.Context, id, role string) (NextSteps, error)
	// Missing says what keeps a requirement from being done.
	Missing(ctx context.Context, id string) (Missing, error)
	Query(ctx context.Context, q Query) (RequirementList, error)
	// Change proposes a change in the caller's own name and role. nil means that it is made.
	Change(ctx context.Context, c Change) error
	// Evidence checks what a requirement cites.
	Evidence(ctx context.Context, id string) (EvidenceCheck, error)
	// Work lists what leads a requirement on now, in the order in which it is to be done: nothing where it is done, or
	// where somebody has put it aside.
	Work(ctx context.Context, id string) ([]Work, error)
	// Prompt writes what an agent is told.
	Prompt(ctx context.Context, b Briefing) (string, error)
	VerifyLog(ctx context.Context) (LogCheck, error)
	Refusals(ctx context.Context, q Refusals) (RefusalList, error)
	History(ctx context.Context, id string) (History, error)
	// Acts says who did something to a requirement, and when; did is one of those that the schema lists.
	Acts(ctx context.Context, id, did string) (Acts, error)
	// Complete adds to an obligation that words made what they leave out: the evidence for a reason, and the status that
	// a requirement was held from. What it cannot tell is left as it is.
	Complete(ctx context.Context, o planning.Obligation) planning.Obligation
}

// Work leads a requirement on: an obligation, and the role that it is for.
type Work struct {
	Role       string // whose work it is
	Obligation planning.Obligation
	Needs      []string // what is to be supplied; none where it is a move
}

// Matches reports whether an obligation is to do this work. Moves are told apart by the status that they lead to.
func (d Work) Matches(o planning.Obligation) bool {
	return d.Obligation.Kind() == o.Kind() &&
		(o.Kind() != planning.KindStatus || d.Obligation.Payload["status"] == o.Payload["status"])
}

// Briefing describes the work that an agent's prompt is about.
type Briefing struct {
	Role, Agent string
	URL         string // of the service
	Obligation  planning.Obligation
	Branch      string // that the agent commits to; "" where it works in the folder of the project
}

// Query selects requirements. A filter that is empty or nil admits all.
type Query struct {
	Status     string
	NotStatus  string // in any other status
	AssignedTo string
	Kind       string
	Role       string
	Text       string
	Suspect    *bool
	Retired    *bool

	Why   bool   // say why each is where it is
	Count bool   // count them, and list none
	After string // id of the last one of the page before
	Limit int    // 0 is the default
}

// Change is a change of a requirement, as PATCH takes it.
type Change struct {
	Caller   audit.Actor
	ID       string
	Revision uint64         // that the requirement must still have; 0 is any
	Members  map[string]any // as in schemas/change_request.schema.json
	Run      string         // id of the run that asks
	Key      string         // equal ones of a caller make one change
}

// Over returns the tools that work on a project, by name; none where it is nil.
func Over(p Project) map[string]Tool {
	if p == nil {
		return map[string]Tool{}
	}
	on := project{p}
	return map[string]Tool{
		"project.status":       {Run: on.status, Repeatable: true},
		"requirement.status":   {Run: on.requirement, Repeatable: true},
		"requirement.missing":  {Run: on.missing, Repeatable: true},
		"requirement.next":     {Run: on.next, Repeatable: true},
		"query.requirements":   {Run: on.query, Repeatable: true},
		"requirement.change":   {Run: on.change, Missing: missingMember, Shown: on.shown},
		"requirement.evidence": {Run: on.evidence},
		"audit.verify":         {Run: on.log},
		"query.refusals":       {Run: on.refusals, Repeatable: true},
		"requirement.history":  {Run: on.history, Repeatable: true},
		"requirement.acts":     {Run: on.acts, Repeatable: true},
	}
}

// project runs the tools that work on a project.
type project struct{ Project }

func (p project) status(ctx context.Context, _ Call) (map[string]any, []Effect, error) {
	return noEffects(p.Status(ctx))
}

func (p project) requirement(ctx context.Context, c Call) (map[string]any, []Effect, error) {
	return noEffects(p.Requirement(ctx, c.text("id")))
}

func (p project) missing(ctx context.Context, c Call) (map[string]any, []Effect, error) {
	return noEffects(p.Missing(ctx, c.text("id")))
}

func (p project) evidence(ctx context.Context, c Call) (map[string]any, []Effect, error) {
	return noEffects(p.Evidence(ctx, c.text("id")))
}

func (p project) log(ctx context.Context, _ Call) (map[string]any, []Effect, error) {
	return noEffects(p.VerifyLog(ctx))
}

// noEffects returns the result of a tool that asserts nothing besides it.
func noEffects[T result](r T, err error) (map[string]any, []Effect, error) {
	if err != nil {
		return nil, nil, state.WithFields(err)
	}
	return r.values(), nil, nil
}

// next takes the caller's role if neither a requirement nor a role is named.
func (p project) next(ctx context.Context, c Call) (map[string]any, []Effect, error) {
	id, role := c.text("id"), c.text("role")
	if id == "" && role == "" {
		role = c.Caller.Role
	}
	return noEffects(p.Next(ctx, id, role))
}

func (p project) query(ctx context.Context, c Call) (map[string]any, []Effect, error) {
	filters, _ := c.Inputs["filters"].(map[string]any)
	text := func(name string) string { s, _ := filters[name].(string); return s }
	flag := func(name string) *bool {
		if b, is := filters[name].(bool); is {
			return &b
		}
		return nil
	}
	q := Query{Status: text("status"), NotStatus: text("not_status"), AssignedTo: text("assigned_to"),
		Kind: text("kind"), Role: text("role"), Text: text("q"), Suspect: flag("suspect"), Retired: flag("retired"),
		After: c.text("after"), Limit: int(asUint(c.Inputs["limit"]))}
	q.Why, _ = c.Inputs["why"].(bool)
	q.Count, _ = c.Inputs["count"].(bool)
	return noEffects(p.Query(ctx, q))
}

// missingMember names the member that an obligation is about, if its payload does not have it: then it proposes
// nothing.
func missingMember(o planning.Obligation) []string {
	_, member := partOf(o)
	_, has := o.Payload[member]
	if has && member == lifecycle.FieldAcceptFingerprint && o.Payload[lifecycle.FieldApprovals] == nil {
		member = lifecycle.FieldPMNotes // or an approval, without which no text is accepted
		_, has = o.Payload[member]
	}
	if has {
		return nil
	}
	if _, reasoned := o.Payload["justification"]; o.Kind() == planning.KindStatus && !reasoned {
		return []string{"justification", member} // without which no status is taken
	}
	return []string{member}
}

// change proposes what the payload has besides kind, id and revision, and answers with the requirement as it
// is stored then. The payload alone counts: nothing of a change is taken from what is known.
func (p project) change(ctx context.Context, c Call) (map[string]any, []Effect, error) {
	members := maps.Clone(c.Obligation.Payload)
	for _, name := range []string{"kind", "id", "revision"} {
		delete(members, name)
	}
	id := c.text("id")
	change := Change{
		Caller: c.Caller, ID: id, Revision: asUint(c.Obligation.Payload["revision"]), Members: members, Run: c.Run,
		Key: "conductor: " + c.Run + "/" + c.ID, // no Idempotency-Key of a request has a blank
	}
	if err := p.Project.Change(ctx, change); err != nil {
		return nil, nil, state.RefusedChange(err)
	}
	now, err := p.Requirement(ctx, id)
	result, _, err := noEffects(now, err)
	if err == nil {
		err = standing(c.Obligation, now)
	}
	if _, moved := members["status"]; moved && err == nil {
		putText(result, "was", string(now.Was))
	}
	return result, nil, err
}

// asUint returns an integer of any type that JSON is read into; 0 for anything else.
func asUint(v any) uint64 {
	raw, err := ledger.Encode(v)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseUint(string(raw), 10, 64)
	return n
}

// kindsOfChange are what requirement.change brings about.
var kindsOfChange = []string{"status", "design_spec", "implementation", "test", "signoff", "pm_notes", "deviations",
	"accept_fingerprint"}

// ProjectContracts returns the contracts of the tools over the project, for a conductor that has one: see
// Options.Project.
func ProjectContracts() []planning.Contract {
	text := map[string]any{"type": "string", "minLength": 1, "maxLength": 1000}
	yes := map[string]any{"type": "boolean"}
	id := planning.Input{Name: "id", Schema: text, Required: true}
	filters := objectSchema(nil, map[string]any{"status": text, "not_status": text, "assigned_to": text, "kind": text,
		"role": text, "q": text, "suspect": yes, "retired": yes})
	filters["additionalProperties"] = false
	one := schemaOf(requirementShape)
	change := changeContract(one, id)
	evidence := contractOf("requirement.evidence", "Looks up again what a requirement cites as evidence.", 30_000,
		[]string{"VERIFY(requirement.evidence)"}, schemaOf(evidenceShape), id)
	log := contractOf("audit.verify",
		"Checks the whole log: every hash, the signature, and every decision once more.",
		120_000, []string{"VERIFY(audit)"}, schemaOf(logShape))
	for _, c := range []*planning.Contract{&evidence, &log} {
		c.LatencyMS, c.Cost, c.Verify, c.Postconditions = 500, planning.CostLow, planning.CheckOff, []string{
			"result.ok == true"}
	}
	status := contractOf("requirement.status", "Says where a requirement stands, why, and whose turn it is.", 5000,
		[]string{"REPORT(requirement.status)"}, one, id)
	status.Postconditions = []string{"result.id == input.id"}
	return append(recordContracts(id, text),
		contractOf("project.status", "Counts the requirements in each status.", 5000,
			[]string{"REPORT(project.status)"}, schemaOf(statusShape)),
		status,
		contractOf("requirement.missing", "Says what keeps a requirement from being done, who supplies it, and with what.", 5000,
			[]string{"REPORT(requirement.missing)"}, schemaOf(missingShape), id),
		contractOf("requirement.next",
			"Lists what leads a requirement on, or what waits for a role; for the caller's where neither is named.", 5000,
			[]string{"REPORT(requirement.next)"}, schemaOf(nextShape),
			planning.Input{Name: "id", Schema: text}, planning.Input{Name: "role", Schema: text}),
		contractOf("query.requirements", "Lists requirements by filters.", 10_000,
			[]string{"REPORT(query.requirements)"},
			schemaOf(listShape),
			planning.Input{Name: "after", Schema: text}, planning.Input{Name: "count", Schema: yes},
			planning.Input{Name: "filters", Schema: filters},
			planning.Input{Name: "limit", Schema: map[string]any{"type": "integer", "minimum": 1, "maximum": 1000}},
			planning.Input{Name: "why", Schema: yes}),
		change, evidence, log,
	)
}

// changeContract returns the contract of requirement.change, which answers with a requirement in a shape.
func changeContract(shape map[string]any, id planning.Input) planning.Contract {
	var changes []string
	for _, kind := range kindsOfChange {
		changes = append(changes, "ACHIEVE(requirement."+kind+")")
	}
	change := contractOf("requirement.change",
		"Changes a requirement in the caller's own role: status, parts of the work, notes, approvals. "+
			"The payload is the change, as PATCH takes it.",
		60_000, changes, shape, id)
	change.LatencyMS, change.Verify = 20, planning.CheckOff
	change.Postconditions = []string{
		"result.id == input.id", "!has(payload.status) || result.status == payload.status",
		"payload.kind != 'requirement.accept_fingerprint' || !has(result.suspect)",
	}
	return change
}
