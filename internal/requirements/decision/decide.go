package decision

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/repeating"
	"orchestrator/internal/system/lazyregexp"
)

// The codes of refusals that the service explains further.
const (
	CodeUnknown   fault.Code = "unknown_requirement"
	CodeKeyReused fault.Code = "idempotency_key_reused"
)

// Finder finds a requirement by its id, and how many bytes it has as stored; 0 when there is none.
type Finder func(id string) (req lifecycle.Requirement, size int, err error)

// Request is a change that an actor asks for.
type Request struct {
	Actor   lifecycle.Actor
	ID      string           // of the requirement
	IfMatch []string         // the revisions that it may have, as If-Match has them; none is any
	KeyUsed bool             // its Idempotency-Key was used with another request
	Claims  []claiming.Claim // on the requirement
	Holder  string           // who claims as the actor would
	Change  lifecycle.Change
	At      time.Time
}

// Decide decides a request in the state that from reads. It looks at the Idempotency-Key, the id and If-Match, at
// rights, at the claims of others, then at the other rules. It returns the requirement as the change makes it, or why
// the request is refused. An error decides nothing.
func Decide(from Finder, w lifecycle.Workflow, r Request) (lifecycle.Requirement, *fault.Error, error) {
	req, size, err := from(r.ID)
	if err != nil {
		return req, nil, err
	}
	next := lifecycle.Requirement{}
	switch {
	case r.KeyUsed:
		err = keyUsed(w, req, size)
	case size == 0:
		err = fault.New(fault.NotFound, CodeUnknown, "there is no requirement %q", r.ID).
			WithFix("GET /requirements lists the ids; they are compared letter by letter")
	default:
		if err = w.At(req, checkBefore(req, r)); err == nil {
			next, err = w.Apply(req, r.Actor, r.Change, r.At)
		}
		if err == nil {
			err = w.At(req, checkSize(r, size))
		}
	}
	if refusal := Refusal(err); refusal != nil {
		return next, refusal, nil
	}
	return next, nil, err
}

// maxRequirement is from how many bytes on a requirement takes changes of up to record.SmallChange bytes alone, under
// lifecycle.Rules1. Later versions limit the share of each role.
const maxRequirement = 2 << 20

// checkSize refuses what Rules1 alone limits.
func checkSize(r Request, size int) error {
	if r.Change.Rules != lifecycle.Rules1 || size <= maxRequirement || r.Change.Size <= record.SmallChange {
		return nil
	}
	return fault.New(fault.Invalid, "requirement_full", "%s has %d bytes; beyond %d only small changes are taken", r.ID,
		size, maxRequirement).
		WithFix("keep notes short, and cite files instead of copying them; changes of up to %d bytes are taken",
			record.SmallChange)
}

// Once finds the requirement that one request is about once.
func Once(find Finder) Finder {
	var req lifecycle.Requirement
	var size int
	var err error
	found := false
	return func(id string) (lifecycle.Requirement, int, error) {
		if !found {
			found = true
			req, size, err = find(id)
		}
		return req, size, err
	}
}

// Repeated reports whether a request asks for the move that was made last, and returns the requirement, which has it.
// Its If-Match may name the revision that the move was made from: who repeats it did not see another.
func Repeated(from Finder, r Request) (req lifecycle.Requirement, is bool, err error) {
	req, size, err := from(r.ID)
	if err != nil || size == 0 || r.KeyUsed || !repeating.Is(req, r.Actor, r.Change) {
		return req, false, err
	}
	before := req
	before.Revision = repeating.MadeFrom(req)
	return req, checkBefore(req, r) == nil || checkBefore(before, r) == nil, nil
}

// checkBefore checks what comes before the rules of the workflow.
func checkBefore(req lifecycle.Requirement, r Request) error {
	if err := checkCondition(req, r); err != nil {
		return err
	}
	if err := lifecycle.CheckRights(r.Actor.Role, r.Change.Fields); err != nil {
		return err
	}
	return claiming.Allow(r.Claims, r.Actor, r.Holder, r.Change.Fields, r.At)
}

// rechecked is an entity tag of a requirement at whose evidence was looked since it was changed.
var rechecked = lazyregexp.New(`^([0-9]+)-[0-9]+$`)

// checkCondition wants If-Match to name the present revision. Since lifecycle.Rules4, what stands after a dash says how
// often its evidence was looked at anew, which changes nothing of what a change is made from.
func checkCondition(req lifecycle.Requirement, r Request) error {
	if len(r.IfMatch) == 0 {
		return nil
	}
	for _, tag := range r.IfMatch {
		if r.Change.Rules >= lifecycle.Rules4 {
			tag = rechecked().ReplaceAllString(tag, "$1")
		}
		if tag == "*" || tag == strconv.FormatUint(req.Revision, 10) {
			return nil
		}
	}
	err := fault.New(fault.Stale, "stale_revision", "%s is at revision %d, which If-Match does not name", req.ID,
		req.Revision).
		WithFix("read the requirement again, look at what changed, and send the change with its present ETag")
	err.Current = &fault.Current{Status: string(req.Status), Revision: req.Revision}
	return err
}

// keyUsed returns the refusal of a request whose Idempotency-Key was used with another one.
func keyUsed(w lifecycle.Workflow, req lifecycle.Requirement, size int) error {
	refusal := fault.New(fault.Invalid, CodeKeyReused, "this Idempotency-Key was used with another request").
		WithFix("use a new key for a new request")
	if size == 0 {
		return refusal
	}
	return w.At(req, refusal)
}

// Refusal returns the refusal that an error is, or nil for a failure: what is unavailable, internal or for
// want of room decides nothing, nor does a limit of the token.
func Refusal(err error) *fault.Error {
	f := fault.As(err)
	undecided := []error{fault.Internal, fault.Unavailable, fault.InsufficientStorage, fault.RateLimited}
	if f == nil || slices.ContainsFunc(undecided, func(kind error) bool { return errors.Is(err, kind) }) {
		return nil
	}
	return f
}
