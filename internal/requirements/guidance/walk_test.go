package guidance

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/rules/lifecycle"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func text(fingerprint string) lifecycle.Definition {
	return lifecycle.Definition{ID: "REQ 1", Title: "Log in", Text: "A user logs in.", Kind: "requirement",
		Fingerprint: "sha256:" + strings.Repeat(fingerprint, 64),
		Source:      lifecycle.Source{Path: "REQUIREMENTS.md", Line: 3, EndLine: 9}}
}

// actors hold one role each.
var actors = []lifecycle.Actor{{Name: "paula", Role: lifecycle.PM}, {Name: "archie", Role: lifecycle.Architect},
	{Name: "cody", Role: lifecycle.Coder}, {Name: "tess", Role: lifecycle.Tester}, {Name: "vera", Role: lifecycle.Viewer}}

// kindOf tells requirements apart by what guidance looks at.
func kindOf(r lifecycle.Requirement) string {
	var stale, last []string
	for _, s := range r.Stale {
		if s.Reason == lifecycle.Unknown || r.Status == lifecycle.Done {
			stale = append(stale, s.Part+s.Reason)
		}
	}
	if n := len(r.Approvals); n > 0 {
		last = append(last, r.Approvals[n-1].Decision)
	}
	failed := r.Test != nil && r.Test.Results != nil && r.Test.Results.Failed > 0
	seen := r.Test != nil && r.Test.Evidence[0].Found != nil
	return fmt.Sprint(r.Status, r.HeldFrom, r.Suspect, r.Retired, r.DesignSpec != nil, r.Implementation != nil,
		r.Stamps.DesignSpec.Revision > r.Stamps.Implementation.Revision, r.Stamps.Implementation.Revision > r.Stamps.Test.Revision,
		len(r.ImplementationEvidence) > 0, r.Test != nil, failed, seen, len(r.Standing()) > 0, last, r.OpenDeviation() != "", stale)
}

// send decides a change as the service does. Where evidence is looked up, all of it is found.
func send(w lifecycle.Workflow, verifies bool, r lifecycle.Requirement, who lifecycle.Actor, body *Body) (lifecycle.Requirement, error) {
	raw, err := jsonv2.Marshal(body)
	if err != nil {
		return r, err
	}
	change, err := decision.Read(raw, who.Role)
	if err != nil {
		return r, err
	}
	change.Record = r.Revision + 1
	at := noon.Add(time.Duration(r.Revision) * time.Minute)
	if verifies && change.NeedsLook() {
		change.Looked = &lifecycle.Looked{}
		for _, c := range change.Claims() {
			found := &lifecycle.Found{In: lifecycle.InBranch}
			if c.Kind == lifecycle.EvidenceTest {
				counts := &lifecycle.Results{Run: 1, Passed: 1}
				if c.Result == lifecycle.ResultFail {
					counts = &lifecycle.Results{Run: 1, Failed: 1}
				}
				found = &lifecycle.Found{In: lifecycle.InAttached, SHA256: "ab", Modified: at, Counts: counts}
			}
			change.Looked.Findings = append(change.Looked.Findings, lifecycle.Finding{Pointer: c.Pointer, Found: found})
		}
		if lifecycle.LatestRules.LookAgain(change.Status) {
			change.Looked.Recheck = &lifecycle.Recheck{Revision: r.Revision, Rechecks: r.Rechecks}
			for _, s := range r.Stale {
				if s.Pointer != "/"+s.Part {
					change.Looked.Recheck.Stale = append(change.Looked.Recheck.Stale, s)
				}
			}
		}
	}
	next, refusal, err := decision.Decide(func(string) (lifecycle.Requirement, int, error) { return r, 100, nil }, w,
		decision.Request{Actor: who, ID: r.ID, Change: change, At: at})
	if refusal != nil {
		return r, refusal
	}
	return next, err
}

// events are what happens beside requests.
func events(r lifecycle.Requirement, at time.Time) (all []lifecycle.Requirement) {
	if !slices.Contains([]lifecycle.Status{lifecycle.ImplementationInProgress, lifecycle.TestedPass, lifecycle.Done}, r.Status) {
		return nil
	}
	other := map[bool]string{true: "a", false: "b"}[r.Fingerprint == text("b").Fingerprint]
	changed, _ := lifecycle.Define(&r, text(other), at, lifecycle.LatestRules)
	retired, _ := lifecycle.Retire(r)
	all = append(all, changed, retired)
	for _, c := range r.Citations() {
		if c.Part == lifecycle.PartStatus {
			continue
		}
		found := lifecycle.Recheck{Revision: r.Revision, Rechecks: r.Rechecks, Stale: []lifecycle.Stale{{Part: c.Part, Pointer: c.Pointer,
			Reason: lifecycle.Unknown, Detail: "the branch is gone", Since: at}}}
		stale, _ := r.Rechecked(found, lifecycle.LatestRules)
		all = append(all, stale)
	}
	return all
}

// TestEveryExampleIsWhatItSays walks from not_started along every example that is offered to anybody, and what happens
// beside, and holds each answer to what was said of it.
//
// Verifies: ORC-150
func TestEveryExampleIsWhatItSays(t *testing.T) {
	for _, base := range []lifecycle.Workflow{lifecycle.V1, lifecycle.Rework} {
		for _, verifies := range []bool{true, false} {
			around := Around{Workflow: base.Looking(verifies)}
			begun, _ := lifecycle.Define(nil, text("a"), noon, lifecycle.LatestRules)
			seen, queue, sent, done := map[string]bool{kindOf(begun): true}, []lifecycle.Requirement{begun}, 0, 0
			visit := func(r lifecycle.Requirement) {
				if key := kindOf(r); !seen[key] && len(r.History) < 14 {
					seen[key] = true
					queue = append(queue, r)
				}
			}
			for ; len(queue) > 0; queue = queue[1:] {
				r := queue[0]
				for _, who := range actors {
					sent += requireTold(t, around, r, who, visit)
				}
				requireLeads(t, around, r)
				for _, next := range events(r, noon.Add(time.Hour)) {
					visit(next)
				}
				if r.Status == lifecycle.Done {
					done++
				}
			}
			require.Greater(t, done, 3)
			t.Logf("%s, verifies %v: %d kinds of requirements, %d examples sent, %d kinds done", base.Name, verifies, len(seen), sent, done)
		}
	}
}

// requireTold sends every example of a view.
func requireTold(t *testing.T, a Around, r lifecycle.Requirement, who lifecycle.Actor, visit func(lifecycle.Requirement)) (sent int) {
	t.Helper()
	v := a.Of(r, who)
	told := fmt.Sprintf("%s %s %s: %s", a.Workflow.Name, who.Role, kindOf(r), dump(t, v))
	for _, f := range v.Fields {
		next, err := send(a.Workflow, a.Workflow.Looks(), r, who, f.Example)
		require.NoError(t, err, "%s\n%s", f.Field, told)
		sent++
		if f.Due || f.Field == lifecycle.FieldDeviations && r.Status == lifecycle.TestedPass {
			visit(next) // the rest is sent everywhere, and does not have to be mixed with all else
		}
	}
	for _, m := range v.Moves {
		next, err := send(a.Workflow, a.Workflow.Looks(), r, who, m.Example)
		sent++
		var left []string
		for _, l := range m.Lacks {
			if l.By != who.Role {
				left = append(left, l.Gate)
			}
		}
		require.Equal(t, m.Ready, len(m.Lacks) == 0)
		if err == nil {
			require.NotEqual(t, m.Why != "", m.LeadsToDone)
			requireNoReturn(t, a, next, m)
			visit(next)
		}
		if len(left) == 0 {
			require.NoError(t, err, "%s\n%s", m.To, told)
			continue
		}
		require.Equal(t, left, codes(err), "%s lacks what it says: %v\n%s", m.To, err, told)
	}
	return sent
}

func requireNoReturn(t *testing.T, a Around, next lifecycle.Requirement, m Move) {
	t.Helper()
	if m.LeadsToDone || next.Retired {
		return
	}
	out := a.After(next)
	require.True(t, slices.ContainsFunc(out.Warnings, func(o Objection) bool { return o.Gate == ofDeadEnd && o.Detail == m.Why }),
		"the answer warns as the offer did: %+v", out)
}

func codes(err error) (gates []string) {
	refusal := (*fault.Error)(nil)
	if !errors.As(err, &refusal) {
		return nil
	}
	for _, f := range refusal.Fields {
		gates = append(gates, string(f.Code))
	}
	return gates
}

// requireLeads: what leads on is said where something does, to those it waits for, and each example is accepted.
func requireLeads(t *testing.T, a Around, r lifecycle.Requirement) {
	t.Helper()
	out := a.After(r)
	require.Equal(t, len(out.WaitingFor) == 0, len(out.Next) == 0, "%s: %s", kindOf(r), dump(t, out))
	for _, l := range out.Next {
		require.Contains(t, out.WaitingFor, l.By, "%s: %s", kindOf(r), dump(t, out))
		require.True(t, l.Example == nil || l.Request == "", "one request and its body: %s", dump(t, out))
		if l.Example == nil {
			require.NotEmpty(t, l.Needs)
			continue
		}
		i := slices.IndexFunc(actors, func(who lifecycle.Actor) bool { return lifecycle.Party(who.Role) == l.By })
		_, err := send(a.Workflow, a.Workflow.Looks(), r, actors[i], l.Example)
		require.NoError(t, err, "%s: %s", kindOf(r), dump(t, out))
	}
}

func dump(t *testing.T, v any) string {
	t.Helper()
	raw, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	require.NoError(t, err)
	return string(raw)
}
