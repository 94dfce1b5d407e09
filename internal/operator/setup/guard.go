package setup

import (
	"context"
	"slices"

	"orchestrator/internal/fault"
	"orchestrator/internal/operator/tokens"
	"orchestrator/internal/system/tree"

	"time"
)

// None is the name that guards no client, and gives no further role a token.
const None = "none"

// Named returns what is named in an answer, each name once.
func Named(answer []string) []string {
	names := slices.DeleteFunc(slices.Clone(answer), func(name string) bool { return name == None })
	slices.Sort(names)
	return slices.Compact(names)
}

// Guard is the boundary's hook in the settings of an agent client.
type Guard struct {
	File   string // of the client's settings; relative to the project
	Folder string // of the boundary
	Done   bool   // it is there

	Install   func(context.Context) (said []string, err error)
	Uninstall func() error // leaves alone what Install did not do
}

// guardSteps guards the clients. They come last, so that a failure before them leaves no trace in a journal.
func (p Project) guardSteps(ctx context.Context, plan *Plan) error {
	for _, client := range Named(p.Answers.Clients) {
		g, err := p.Guard(ctx, client)
		if err != nil {
			return err
		}
		s := &Step{Path: g.File, What: "the hook of the boundary for " + client +
			", which records and blocks nothing yet", Done: g.Done, undo: g.Uninstall}
		s.do = func(ctx context.Context) (err error) {
			s.Said, err = g.Install(ctx)
			return err
		}
		plan.Steps = append(plan.Steps, s)
		plan.guards = append(plan.guards, g)
	}
	return nil
}

// furtherRoles can be given a token beside those of a first start.
var furtherRoles = []string{"architect", "coder", "tester"}

// Roles returns what can be answered to the question which further roles get a token.
func Roles() []string { return append(slices.Clone(furtherRoles), allRoles, None) }

// allRoles stands for all of furtherRoles.
const allRoles = "all"

// CheckRoles refuses names that are no roles which can be given a token.
func CheckRoles(names []string) error {
	_, err := rolesOf(names)
	return err
}

// rolesOf returns the roles that some names stand for, each once.
func rolesOf(names []string) (roles []string, err error) {
	for _, role := range Named(names) {
		switch {
		case role == allRoles:
			roles = append(roles, furtherRoles...)
		case slices.Contains(furtherRoles, role):
			roles = append(roles, role)
		default:
			return nil, fault.New(fault.Invalid, fault.CodeUsage, "%q is no role that gets a token here",
				fault.Clip(role, 64)).WithFix("give architect, coder, tester, all or none; pm and viewer have one")
		}
	}
	slices.Sort(roles)
	return slices.Compact(roles), nil
}

// tokenSteps gives further roles a token.
func (p Project) tokenSteps(_ context.Context, plan *Plan) error {
	roles, err := rolesOf(p.Answers.Roles)
	if err != nil {
		return err
	}
	for _, role := range roles {
		plan.Steps = append(plan.Steps, &Step{
			Path: p.Data.Token(role),
			What: "the token of the " + role,
			Done: tree.Exists(p.Data.Token(role)),
			do: func(context.Context) error {
				_, err := tokens.Open(p.Data).Supply([]string{role}, time.Now())
				return err
			},
		})
	}
	return nil
}
