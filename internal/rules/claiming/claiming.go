// Package claiming decides who has a part of a requirement to themselves for a while, so that two agents of one role do
// not do the same work.
//
// A claim is of one field, by a token or a run of the role that the field belongs to. While it lives, nobody else of
// that role changes the field. It ends by its time, by its holder or by a pm. Nothing here reads a clock.
package claiming

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// Claim is a field of a requirement that somebody works on.
type Claim struct {
	Requirement string          `json:"requirement"`
	Field       string          `json:"field"`
	By          lifecycle.Actor `json:"by"`
	Holder      string          `json:"holder"` // the id of the token, or HolderOfRun
	Since       time.Time       `json:"since"`
	Until       time.Time       `json:"until"` // the first moment at which it does not count any more
}

// The bounds of claims.
const (
	Most     = 5 // that one holder has at a time
	Shortest = time.Minute
	Longest  = 4 * time.Hour // from the moment at which it is taken or renewed
	Usual    = 30 * time.Minute
)

// CodeClaimed is the code of a refusal for a claim of somebody else.
const CodeClaimed fault.Code = "claimed"

// HolderOfRun returns what all tokens of a run of the conductor claim as.
func HolderOfRun(run string) string { return ofRuns + run }

const ofRuns = "run:"

// IsRun reports whether a holder is a run.
func IsRun(holder string) bool { return strings.HasPrefix(holder, ofRuns) }

// OfRun reports whether a claim is that of a run of the conductor.
func (c Claim) OfRun() bool { return IsRun(c.Holder) }

// owner is a field that can be claimed, with the role that it belongs to.
type owner struct {
	field string
	role  lifecycle.Role
}

var owners = []owner{
	{lifecycle.FieldDesignSpec, lifecycle.Architect},
	{lifecycle.FieldImplementation, lifecycle.Coder},
	{lifecycle.FieldTest, lifecycle.Tester},
}

// FieldOf returns the field that a role can claim; "" where there is none.
func FieldOf(role lifecycle.Role) string {
	for _, o := range owners {
		if o.role == role {
			return o.field
		}
	}
	return ""
}

// Claimable reports whether there is a role that can claim a field.
func Claimable(field string) bool {
	return slices.ContainsFunc(owners, func(o owner) bool { return o.field == field })
}

// Live returns the claims that count at a moment, in the same order. One of the future, which a clock that was set back
// makes of it, does not count: no claim lasts longer than it may.
func Live(claims []Claim, at time.Time) []Claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool { return at.Before(c.Since) || !at.Before(c.Until) })
}

// Length reads for how long a claim is asked, as Go writes durations; "" is Usual.
func Length(text string) (time.Duration, error) {
	if text == "" {
		return Usual, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < Shortest || d > Longest {
		return 0, fault.New(fault.Invalid, "invalid_claim", "a claim lasts from %s to %s", brief(Shortest), brief(Longest)).
			WithFields(fault.Field{Pointer: "/for", Detail: "it is no such duration"}).
			WithFix(`send for example {"field":"implementation","for":"30m"}, and renew the claim while you work`)
	}
	return d, nil
}

// brief writes whole minutes and hours without what is zero.
func brief(d time.Duration) string {
	if d%time.Hour == 0 {
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dm", d/time.Minute)
}

// Asked is a claim that somebody asks for.
type Asked struct {
	By     lifecycle.Actor
	Holder string
	Field  string
	For    time.Duration
}

// Check refuses what nobody, or not this role, can claim.
func (a Asked) Check() error {
	for _, o := range owners {
		if o.field != a.Field {
			continue
		}
		if o.role == a.By.Role {
			return nil
		}
		return fault.New(fault.Forbidden, "role_forbidden", "claiming %s is for role %s, not for role %s", o.field, o.role,
			a.By.Role).WithFix("%s", a.own())
	}
	return fault.New(fault.Invalid, "invalid_claim", "no such field can be claimed").
		WithFields(fault.Field{Pointer: "/field", Detail: "it is none of design_spec, implementation and test"}).
		WithFix("%s", a.own())
}

func (a Asked) own() string {
	if field := FieldOf(a.By.Role); field != "" {
		return fmt.Sprintf("role %s claims %s", a.By.Role, field)
	}
	return "claim with a token of an architect, a coder or a tester"
}

// Take decides a claim, given those on the requirement and those of the holder. One that the holder has is renewed,
// which gives it a new end.
//
// Implements: ORC-122
func (a Asked) Take(req lifecycle.Requirement, on, held []Claim, at time.Time) (c Claim, renewed bool, err error) {
	if err := a.Check(); err != nil {
		return c, false, err
	}
	switch {
	case req.Retired:
		return c, false, fault.New(fault.Conflict, "retired", "%s was removed from the requirement document", req.ID).
			WithFix("work on another requirement: GET /next lists what is yours")
	case req.Status == lifecycle.Done:
		return c, false, fault.New(fault.Conflict, "sealed", "%s is done: there is nothing to claim", req.ID).
			WithFix("work on another requirement: GET /next lists what is yours")
	}
	c = Claim{req.ID, a.Field, a.By, a.Holder, at, at.Add(a.For)}
	for _, other := range Live(on, at) {
		switch {
		case other.Field != a.Field:
		case other.Holder != a.Holder:
			return c, false, other.bars(a.By, at)
		default:
			c.Since, renewed = other.Since, true
		}
	}
	if n := len(Live(held, at)); n >= Most && !renewed {
		return c, false, fault.New(fault.Conflict, "too_many_claims", "this token has %d claims; at most %d are held at a time",
			n, Most).WithFix("release one with DELETE /requirements/{id}/claim?field=…, or let one expire")
	}
	return c, renewed, nil
}

// bars returns the refusal of a change or claim that another's claim stands against. The wait is for the answer alone:
// the text has the end of the claim, so that the record of the refusal is the same whenever it is decided again.
func (c Claim) bars(who lifecycle.Actor, at time.Time) error {
	by := c.By.Name
	if by == who.Name {
		by = "another token of " + by
	}
	until := c.Until.UTC().Format(time.RFC3339)
	return fault.New(fault.Conflict, CodeClaimed, "%s of %s is claimed by %s until %s", c.Field, c.Requirement, by, until).
		WithFields(fault.Field{Pointer: "/" + c.Field, Code: CodeClaimed, Detail: "claimed by " + by + " until " + until}).
		WithFix("work on another requirement (GET /next), or send it again after %s; a pm can break the claim with "+
			"DELETE /requirements/%s/claim?field=%s", until, url.PathEscape(c.Requirement), c.Field).
		After(c.Until.Sub(at))
}

// Allow refuses a change of a field that somebody else of its role has claimed. Only the fields of their own role are
// anybody's to change, so that a pm is never refused.
//
// Implements: ORC-122
func Allow(on []Claim, who lifecycle.Actor, holder string, fields []string, at time.Time) error {
	for _, c := range Live(on, at) {
		if c.Holder != holder && FieldOf(who.Role) == c.Field && slices.Contains(fields, c.Field) {
			return c.bars(who, at)
		}
	}
	return nil
}

// Release finds the claim of a field that somebody gives up, or a pm breaks; found is false where there is none that
// counts. Nobody else may.
func Release(on []Claim, who lifecycle.Actor, holder, field string, at time.Time) (c Claim, found bool, err error) {
	for _, c := range Live(on, at) {
		if c.Field != field {
			continue
		}
		if c.Holder != holder && who.Role != lifecycle.PM {
			return c, true, fault.New(fault.Forbidden, "claim_of_another", "%s of %s is claimed by %s until %s, and not by this token",
				c.Field, c.Requirement, c.By.Name, c.Until.UTC().Format(time.RFC3339)).
				WithFix("let its holder release it, or ask a pm to break it")
		}
		return c, true, nil
	}
	return Claim{}, false, nil
}
