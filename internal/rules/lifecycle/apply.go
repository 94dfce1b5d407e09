package lifecycle

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/fault"
)

// Apply decides one change. It returns the requirement as it is afterwards, or the refusal: a
// *fault.Error that carries the current status and revision and the moves that are allowed from there.
// req is never changed.
func (w Workflow) Apply(req Requirement, who Actor, c Change, at time.Time) (Requirement, error) {
	c.Rules = cmp.Or(c.Rules, LatestRules)
	next := req.applied(who, c, at)
	err := firstRefusal(
		func() error { return CheckRights(who.Role, c.Fields) },
		func() error { return w.checkOpen(req, who.Role, c.Status) },
		func() error { return w.checkStatus(req, who.Role, c.Status) },
		func() error { return checkSchema(c.Violations) },
		func() error { return checkEntries(req, c) },
		func() error { return checkRecheck(req, c) },
		func() error { return checkMoveGates(candidate{next, who, c.Rules}, c.Status) },
		func() error { return checkSeen(next, c) },
		func() error { return checkEvidence(c) },
		func() error { return checkClaims(c) },
		func() error { return checkFindings(c, next) },
		func() error { return checkShares(next, who.Role, c) },
	)
	if err != nil {
		return Requirement{}, w.At(req, err)
	}
	return next, nil
}

func firstRefusal(checks ...func() error) error {
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// At adds to a refusal where the requirement stands and where it can go, so that the refused can correct
// themselves.
func (w Workflow) At(req Requirement, err error) error {
	if refusal := fault.As(err); refusal != nil {
		refusal.Current = &fault.Current{Status: string(req.Status), Revision: req.Revision}
		refusal.Allowed = []fault.Move{}
		for _, m := range w.openMoves(req) {
			refusal.Allowed = append(refusal.Allowed, fault.Move{To: string(m.To), By: string(m.By)})
		}
	}
	return err
}

// openMoves returns the moves of the table, less those that a retired requirement has lost: PM can still
// block, defer or send it back, but nobody can work on text that is gone.
func (w Workflow) openMoves(req Requirement) []Transition {
	moves := w.movesFrom(req)
	if req.Retired {
		moves = slices.DeleteFunc(moves, func(m Transition) bool { return !fromAny(m.To) })
	}
	return moves
}

// fromAny reports whether a row of the table leads from any status to this one.
func fromAny(to Status) bool { return slices.Contains(transitions, Transition{anyStatus, to, PM}) }

// checkOpen keeps a done requirement sealed for everyone but PM, and a retired one from being worked on.
func (w Workflow) checkOpen(req Requirement, role Role, to Status) error {
	switch {
	case req.Status == Done && role != PM:
		return fault.New(fault.Conflict, "sealed", "%s is done, and sealed for role %s", req.ID, role).
			WithFix("%s", w.reopening())
	case req.Retired && (role != PM || to != "" && !fromAny(to)):
		return fault.New(fault.Conflict, "retired", "%s was removed from the requirement document", req.ID).
			WithFix("the pm can defer it, or have its text put back into the document and imported")
	}
	return nil
}

func (w Workflow) checkStatus(req Requirement, role Role, to Status) error {
	if to == "" {
		return nil
	}
	return w.checkMove(req, role, to)
}

func checkSchema(violations []fault.Field) error {
	if len(violations) == 0 {
		return nil
	}
	err := fault.New(fault.Invalid, CodeSchemaViolation, "the change does not match its schema").
		WithFields(violations...)
	if slices.ContainsFunc(violations, func(f fault.Field) bool {
		return strings.HasPrefix(f.Pointer, "/"+FieldJustification)
	}) {
		return err.WithFix("%s", justificationExample)
	}
	return err.WithFix("see /schemas/change_request.schema.json; nothing of this request was applied")
}

// checkEntries holds what no schema can say: new entries against those that are there.
func checkEntries(req Requirement, c Change) error {
	if c.AcceptFingerprint != "" && c.AcceptFingerprint != req.Fingerprint {
		return fault.New(fault.Conflict, "fingerprint_mismatch",
			"accept_fingerprint does not name the current text of %s", req.ID).
			WithFields(fault.Field{Pointer: "/accept_fingerprint", Detail: "the current text has " + req.Fingerprint}).
			WithFix("read the requirement again, and accept the fingerprint of the text you have read")
	}
	var wrong []fault.Field
	if len(c.Fields) == 1 && c.Fields[0] == FieldJustification {
		wrong = append(wrong, fault.Field{Code: "nothing_to_change",
			Detail: "a justification alone changes nothing; send it with what it justifies"})
	}
	approves := slices.ContainsFunc(c.Approvals, func(a NewApproval) bool { return a.Decision == Approved })
	if c.AcceptFingerprint != "" && len(c.PMNotes) == 0 && !approves {
		wrong = append(wrong, fault.Field{Pointer: "/accept_fingerprint", Code: "note_required",
			Detail: "accepting a changed text takes an approval or a note in the same request"})
	}
	wrong = append(wrong, deviationsWrong(req, c.Deviations)...)
	if wrong == nil {
		return nil
	}
	return fault.New(fault.Invalid, "invalid_entry", "the change cannot be appended to %s", req.ID).
		WithFields(wrong...).
		WithFix("correct the entries named in errors; nothing of this request was applied")
}

// deviationsWrong keeps recorded deviations as they are: a known id takes a resolution and nothing else.
func deviationsWrong(req Requirement, changes []DeviationChange) []fault.Field {
	var wrong []fault.Field
	seen := map[string]bool{}
	for i, d := range changes {
		pointer := PointerTo(FieldDeviations, i)
		known := slices.IndexFunc(req.Deviations, func(k Deviation) bool { return k.ID == d.ID })
		switch {
		case seen[d.ID]:
			wrong = append(wrong, fault.Field{Pointer: pointer + "/id",
				Detail: "deviation " + d.ID + " stands twice in this request"})
		case known < 0 && strings.TrimSpace(d.Text) == "":
			wrong = append(wrong, fault.Field{Pointer: pointer + "/text",
				Detail: "deviation " + d.ID + " is new and needs a text"})
		case known >= 0 && d.Text != "" && d.Text != req.Deviations[known].Text:
			wrong = append(wrong, fault.Field{Pointer: pointer + "/text",
				Detail: "deviation " + d.ID + " is on record; only its resolution can be set"})
		case known >= 0 && d.Resolution == nil:
			wrong = append(wrong, fault.Field{Pointer: pointer + "/resolution",
				Detail: "deviation " + d.ID + " is on record; send the resolution that closes it, or another id"})
		}
		seen[d.ID] = true
	}
	return wrong
}

func checkMoveGates(next candidate, to Status) error {
	if to == "" {
		return nil
	}
	return checkGates(next)
}

// checkEvidence wants every status change justified, with at least one piece of evidence.
func checkEvidence(c Change) error {
	if c.Status == "" {
		return nil
	}
	j := c.Justification
	if j != nil && strings.TrimSpace(j.Reason) != "" && len(j.Evidence) > 0 {
		return nil
	}
	return fault.New(fault.Invalid, CodeUnjustified,
		"every status change needs a reason and at least one piece of evidence").
		WithFields(fault.Field{Pointer: "/justification", Detail: "missing, or without reason or evidence"}).
		WithFix("%s", justificationExample)
}

const justificationExample = `add for example "justification":{"reason":"design reviewed",` +
	`"evidence":[{"kind":"file","path":"docs/design.md","lines":"1-40"}]}; ` +
	`other kinds are {"kind":"commit","commit":"4f2a9c1"} and {"kind":"test","name":"TestLogin","result":"pass"}`
