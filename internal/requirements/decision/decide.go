package decision

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

// Finder finds a requirement by its id, and how many bytes it has as stored; 0 when there is none.
type Finder func(id string) (req lifecycle.Requirement, size int, err error)

// Decide decides one change in the state that from reads: unknown id, stale condition, then the rules. It returns the
// requirement as the change makes it, or the refusal; see Refusal.
func Decide(from Finder, w lifecycle.Workflow, who lifecycle.Actor, id string, ifMatch []string, c lifecycle.Change,
	at time.Time) (lifecycle.Requirement, error) {
	req, size, err := from(id)
	if err != nil {
		return req, err
	}
	if size == 0 {
		return req, fault.New(fault.NotFound, "unknown_requirement", "there is no requirement %q", id).
			WithFix("GET /requirements lists the ids; they are compared letter by letter")
	}
	if err := checkCondition(req, ifMatch); err != nil {
		return req, w.At(req, err)
	}
	next, err := w.Apply(req, who, c, at)
	if err == nil && c.Rules == lifecycle.Rules1 && size > maxRequirement && c.Size > record.SmallChange {
		err = w.At(req, fault.New(fault.Invalid, "requirement_full",
			"%s has %d bytes; beyond %d only small changes are taken", id, size, maxRequirement).
			WithFix("keep notes short, and cite files instead of copying them; changes of up to %d bytes are taken",
				record.SmallChange))
	}
	return next, err
}

// Under lifecycle.Rules1 a requirement that has grown beyond maxRequirement bytes takes changes of up to smallChange
// bytes. Later versions limit the share of each role.
const (
	maxRequirement = 2 << 20
)

func checkCondition(req lifecycle.Requirement, ifMatch []string) error {
	if len(ifMatch) == 0 {
		return nil
	}
	for _, tag := range ifMatch {
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

// KeyReused returns the refusal of a request whose Idempotency-Key was used with another one.
func KeyReused() *fault.Error {
	return fault.New(fault.Invalid, "idempotency_key_reused", "this Idempotency-Key was used with another request").
		WithFix("use a new key for a new request")
}

// Refusal returns the refusal that an error of Decide is, or nil for a failure: what is unavailable, internal or for
// want of room decides nothing, nor does a limit of the token.
func Refusal(err error) *fault.Error {
	f := faultOf(err)
	undecided := []error{fault.Internal, fault.Unavailable, fault.InsufficientStorage, fault.RateLimited}
	if f == nil || slices.ContainsFunc(undecided, func(kind error) bool { return errors.Is(err, kind) }) {
		return nil
	}
	return f
}

func faultOf(err error) *fault.Error {
	f, _ := errors.AsType[*fault.Error](err)
	return f
}
