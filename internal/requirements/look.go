package requirements

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/rechecking"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/testruns"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/secret"
)

// maxLooks is how often a change is drafted anew, and its evidence looked at again, while others change the requirement.
const maxLooks = 50

// lookTime is how long all evidence of a change may take; what is not looked up by then could not be looked up.
const lookTime = 20 * time.Second

func (s *Rechecker) verifies() bool {
	return s.current.Load().Project.Evidence == projection.EvidenceVerified && s.options.Repository != nil
}

// look looks the evidence of a change up, before the transaction: what git takes would hold up every other change. A
// change that its role may not propose at all is left to the rules.
func (s *Rechecker) look(ctx context.Context, who lifecycle.Actor, c *lifecycle.Change) {
	if !s.verifies() || len(c.Violations) > 0 || !mayPropose(who.Role, c.Fields) {
		return
	}
	if !c.NeedsLook() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	c.Looked = &lifecycle.Looked{}
	runs := testruns.New(s.ledger)
	for _, claim := range c.Claims() {
		found, wrong := s.lookAt(ctx, claim.Evidence)
		if found != nil {
			found, wrong = runs.Tie(ctx, claim.Evidence, *found)
		}
		if wrong != nil { // it may quote what stands in the repository
			masked := secret.MaskedField(*wrong)
			wrong = &masked
		}
		c.Looked.Findings = append(c.Looked.Findings,
			lifecycle.Finding{Pointer: claim.Pointer, Found: found, Wrong: wrong})
	}
}

// momentary returns the failure behind a refusal for nothing but evidence that could not be read now; nil for any other.
// It decides nothing: it is neither on record nor remembered under an Idempotency-Key, so that the change can be sent
// again as it is. What a log of earlier days recorded as a refusal stays one, which is why the rules know nothing of it.
func momentary(refusal *fault.Error) error {
	untrue := func(wrong fault.Field) bool { return wrong.Code != evidence.CodeUnreadable }
	if refusal == nil || refusal.Code != lifecycle.CodeEvidenceNotFound || slices.ContainsFunc(refusal.Fields, untrue) {
		return nil
	}
	failure := fault.New(fault.Unavailable, evidence.CodeUnreadable,
		"the evidence of the change cannot be looked at now").WithFields(refusal.Fields...).
		WithFix("nothing was applied; send the change again, under the same Idempotency-Key if it has one").ForClients()
	failure.Current, failure.Allowed = refusal.Current, refusal.Allowed
	return failure
}

func mayPropose(role lifecycle.Role, fields []string) bool {
	allowed := lifecycle.FieldsOf(role)
	return !slices.ContainsFunc(fields, func(f string) bool { return !slices.Contains(allowed, f) })
}

func (s *Rechecker) lookAt(ctx context.Context, e lifecycle.Evidence) (*lifecycle.Found, *fault.Field) {
	if digest, attached := attachedDigest(e); attached {
		return s.lookAtAttached(ctx, e, digest)
	}
	return s.options.Repository.Look(ctx, e)
}

// weigh looks again at what a requirement rests on that makes a move, and holds what the change gives against the branch.
// What it finds holds for the present revision of the requirement alone.
func (s *Rechecker) weigh(ctx context.Context, id string, c *lifecycle.Change) error {
	e, known := s.current.Load().Find(id)
	if c.Looked == nil || !known {
		return nil
	}
	req := e.Requirement()
	given, findings := givenEvidence(c)
	subjects := []evidence.Subject{{Cited: given, Code: req.ImplementationEvidence}}
	again := lifecycle.LatestRules.LookAgain(c.Status)
	if again {
		subjects = append(subjects, subjectOf(req))
	} else if len(given) == 0 {
		return nil
	}
	checked, err := s.options.Repository.Recheck(ctx, subjects)
	standings := checked.Standings
	if err != nil || slices.ContainsFunc(slices.Concat(standings...), unread) {
		return fault.New(fault.Unavailable, evidence.CodeUnreadable, "the evidence of %s cannot be looked at now", id).
			WithFix("nothing was applied; send the change again").Because(err).ForClients()
	}
	if again || len(c.Claims()) > 0 && c.Test.Record != nil {
		c.MadeFrom = req.Revision
	}
	for i, finding := range findings {
		finding.Against = nil
		if v := standings[0][i]; v.Reason != "" {
			finding.Against = &lifecycle.Against{Reason: v.Reason, Detail: rechecking.Remark(v)}
		}
	}
	if again {
		found := rechecking.Of(req, standings[1], s.clock().UTC().Truncate(time.Microsecond))
		c.Looked.Recheck = &found
	}
	return nil
}

// unread reports whether a piece of evidence could not be looked at now, which says nothing of it.
func unread(v evidence.Standing) bool { return v.Reason == lifecycle.Unreadable }

// givenEvidence returns the evidence of a change that was found, and its findings, in the same order.
func givenEvidence(c *lifecycle.Change) (given []lifecycle.Evidence, findings []*lifecycle.Finding) {
	for i, claim := range c.Claims() {
		if finding := &c.Looked.Findings[i]; finding.Found != nil {
			claim.Found = finding.Found
			given, findings = append(given, claim.Evidence), append(findings, finding)
		}
	}
	return given, findings
}

// subjectOf returns what a requirement rests on. Its tests are tied to the files of its implementation until it is done:
// from then on it stands for what was tested, and files may change beside the lines that it cites. What older rules let
// become done never was tied, which is shown.
func subjectOf(req lifecycle.Requirement) evidence.Subject {
	var subject evidence.Subject
	for _, c := range req.Citations() {
		subject.Cited = append(subject.Cited, c.Evidence)
	}
	if req.Status != lifecycle.Done || req.JudgedBy() < lifecycle.Rules3 {
		subject.Code = req.ImplementationEvidence
	}
	return subject
}

// recheckOf looks again at the citations of requirements; one Recheck for each, in their order.
func (s *Rechecker) recheckOf(ctx context.Context,
	all []lifecycle.Requirement) ([]lifecycle.Recheck, evidence.Checked, error) {
	subjects := make([]evidence.Subject, len(all))
	for i, req := range all {
		subjects[i] = subjectOf(req)
	}
	checked, err := s.options.Repository.Recheck(ctx, subjects)
	if err != nil {
		return nil, checked, err
	}
	now := s.clock().UTC().Truncate(time.Microsecond)
	found := make([]lifecycle.Recheck, len(all))
	for i, req := range all {
		found[i] = rechecking.Of(req, checked.Standings[i], now)
	}
	return found, checked, nil
}

// attachedDigest returns the digest of the attached report that evidence names; false when it names none.
func attachedDigest(e lifecycle.Evidence) (string, bool) {
	digest, found := strings.CutPrefix(e.Report, lifecycle.AttachedPrefix)
	return digest, found && e.Kind == lifecycle.EvidenceTest
}

// lookAtAttached looks a test up in a report that was attached earlier.
func (s *Rechecker) lookAtAttached(ctx context.Context, e lifecycle.Evidence,
	digest string) (*lifecycle.Found, *fault.Field) {
	kept, err := s.attachedReport(ctx, digest)
	if err != nil {
		return nil, &fault.Field{Code: evidence.CodeUnreadable,
			Detail: "the attached report " + e.Report + " cannot be read now", Fix: "send the change again"}
	}
	if kept == nil {
		return nil, &fault.Field{Code: "report_missing",
			Detail: "no report with the digest " + digest + " was attached",
			Fix:    "attach it with POST /requirements/{id}/test-report, which answers how to name it"}
	}
	report := kept.AsRead()
	result, err := report.Find(e.Name)
	if f := fault.As(err); f != nil {
		return nil, &fault.Field{Code: f.Code, Detail: f.Detail + " in " + e.Report, Fix: f.Fix}
	}
	if result != e.Result {
		return nil, &fault.Field{Code: "test_result_differs",
			Detail: fmt.Sprintf("%s has %s with result %s, not %s", e.Report, e.Name, result, e.Result),
			Fix:    "cite the result that the report has"}
	}
	found := testruns.FoundOf(kept.Found, report, e.Name)
	return &found, nil
}

// attachedRun reads the report of a run, or with a digest, that was attached earlier; nil when there is none.
func (s *Rechecker) attachedRun(ctx context.Context, run, digest string) (*record.Report, error) {
	err := s.ledger.View(ctx, func(r store.Reader) error {
		at, known, err := record.TableRuns.Get(r, run)
		if known && at.Report != "" {
			digest = at.Report
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.attachedReport(ctx, digest)
}

// attachedReport reads a report that was attached earlier; nil when there is none with this digest.
func (s *Rechecker) attachedReport(ctx context.Context, digest string) (*record.Report, error) {
	if kept := s.lastReport.Load(); kept != nil && kept.SHA256 == digest {
		return kept, nil
	}
	var kept *record.Report
	err := s.ledger.View(ctx, func(r store.Reader) error {
		kept = nil
		at, found, err := record.TableReports.Get(r, digest)
		if err != nil || !found {
			return err
		}
		_, rec, err := ledger.RecordAt(r, at.Seq)
		if err != nil {
			return err
		}
		data, err := ledger.DataOf[record.Proposed](r, rec)
		if kept = data.Report; kept != nil {
			kept.Found.Record = at.Seq
		}
		return err
	})
	if err == nil && kept != nil {
		s.lastReport.Store(kept)
	}
	return kept, err
}
