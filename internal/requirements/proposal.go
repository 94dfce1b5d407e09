package requirements

import (
	"slices"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// Proposal is one change request as it arrived.
type Proposal struct {
	Request        string // method and route, for the record of a refusal
	ID             string
	Body           []byte
	Holder         string   // who claims as the sender would: the id of a token, or claiming.HolderOfRun
	IfMatch        []string // the entity tags of If-Match, unquoted; "*" is any; none when not sent
	IdempotencyKey string
	KeyMade        bool // the key was made for a caller who does not know of it: answers do not speak of it
	DryRun         bool
	RequestID      string
	options        string // what was sent beside the body, and decides with it
	Parsed         func() // called when the body is read and checked, and the commit comes next; may be nil
}

// Answer is an accepted change.
type Answer struct {
	Requirement []byte // as stored
	Revision    uint64
	Replayed    bool                // the first answer to this Idempotency-Key, again
	Unchanged   bool                // it was so already: nothing was applied
	Exported    projection.Exported // of a dry run, nothing
	Receipt     Receipt
	Outcome     *guidance.Outcome // what it has led to; nil where the first answer was given before there were any
}

// outcomeOf says what a change has led to. It depends on nothing but the answer, so that it is the same when the answer is
// given again.
func (s *shared) outcomeOf(id string, of decided) *guidance.Outcome {
	w, err := lifecycle.ParseWorkflow(of.answer.Workflow)
	req, failed := of.requirement(id)
	if err != nil || failed != nil {
		return nil
	}
	out := guidance.Around{Workflow: w.Looking(of.answer.Looks), Cited: s.options.Cited}.After(req)
	return &out
}

// requirement returns the requirement of the answer.
func (d decided) requirement(id string) (lifecycle.Requirement, error) {
	if d.next != nil {
		return *d.next, nil
	}
	req, _, err := projection.TableRequirements.Decode(id, d.answer.Requirement)
	return req, err
}

func (p Proposal) parsed() {
	if p.Parsed != nil {
		p.Parsed()
	}
}

// Refused returns the proposal as a request that never became a change.
func (p Proposal) Refused() Refused {
	return Refused{Request: p.Request, ID: p.ID, Body: p.Body, RequestID: p.RequestID, DryRun: p.DryRun}
}

// refuseSecrets refuses a request in which something looks like a secret. It is asked before anything of the request
// can be put on record: of what it refuses the log keeps size and digest, and the places.
func refuseSecrets(p Proposal, inBody []fault.Field) error {
	return decision.RefuseSecrets(append(decision.SecretsInHeaders(p.IdempotencyKey, p.IfMatch), inBody...))
}

// bodyDigest identifies a request with an Idempotency-Key: the requirement it is about and the body as sent.
func bodyDigest(p Proposal) string {
	if p.IdempotencyKey == "" {
		return ""
	}
	whole := slices.Concat([]byte(p.ID), []byte{0}, p.Body)
	if p.options != "" {
		whole = slices.Concat(whole, []byte{0}, []byte(p.options))
	}
	return ledger.Digest(whole)
}
