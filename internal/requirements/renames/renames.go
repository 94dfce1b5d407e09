// Package renames gives requirements other ids, on record: those that a pm confirms, or all of a project in another
// form.
//
// Package renaming decides. One transaction moves the lives and the claims, and writes one record, whatever the number
// of requirements; the replay of that record comes to the same by the functions of this package.
package renames

import (
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/reqid"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/renaming"
)

// Asked is a renaming that somebody asks for: either pairs of ids, or another form for all ids.
type Asked struct {
	By        lifecycle.Actor `json:"-"`
	RequestID string          `json:"-"`
	Key       string          `json:"-"` // Idempotency-Key, if one was sent
	Digest    string          `json:"-"` // of the body as sent; with Key

	Renames []renaming.Pair `json:"renames"`
	Qualify string          `json:"qualify"`
	Reason  string          `json:"reason"`
}

const (
	mostPairs = 1000 // of one request; another form is given to any number of requirements
	maxReason = 1000 // bytes
)

// CodeInvalid is the code of a request that names no renaming.
const CodeInvalid fault.Code = "rename_invalid"

// Example is a request.
const Example = `{"renames":[{"from":"REQ-001","to":"REQ-101"}],"reason":"the document numbers by chapter now"}`

// MayBe refuses who may not rename.
func (a Asked) MayBe() error {
	if a.By.Role == lifecycle.PM {
		return nil
	}
	return fault.New(fault.Forbidden, "role_forbidden", "renaming requirements is for role pm, not for role %s",
		a.By.Role).WithFix("ask a pm to send it")
}

// Check refuses who may not rename, and a request that names nothing that could be renamed.
func (a Asked) Check() error {
	if err := a.MayBe(); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(a.Reason) == "":
		return fault.New(fault.Invalid, "reason_required", "renaming requirements needs a reason").
			WithFix("send for example %s", Example)
	case len(a.Reason) > maxReason:
		return fault.New(fault.Invalid, "reason_too_long", "the reason has %d bytes; at most %d are kept", len(a.Reason),
			maxReason).WithFix("say it shorter")
	case (len(a.Renames) > 0) == (a.Qualify != ""):
		return invalid("it names either pairs of ids or a form for all ids", "send for example "+Example)
	case len(a.Renames) > mostPairs:
		return invalid("it has more than 1000 pairs", "send them in several requests")
	case a.Qualify != "":
		if qualify.Check(a.Qualify) != nil {
			return invalid("there is no such form of ids",
				"send folder, which puts the folder of the document in front of each id, families or none")
		}
		return nil
	}
	return checkPairs(a.Renames)
}

// checkPairs wants each id at one end of one pair.
func checkPairs(pairs []renaming.Pair) error {
	seen := map[string]bool{}
	for i, p := range pairs {
		for end, id := range []string{p.From, p.To} {
			if why := fault.As(reqid.Valid(id)); why != nil {
				return invalid(fmt.Sprintf("/renames/%d/%s: %s", i, []string{"from", "to"}[end], why.Detail),
					"take the ids from GET /requirements and from the report of the import")
			}
			if seen[id] {
				return invalid("it names "+id+" more than once",
					"name each id once; a chain of renamings is one pair, from the first id to the last")
			}
			seen[id] = true
		}
	}
	return nil
}

func invalid(detail, fix string) error {
	return fault.New(fault.Invalid, CodeInvalid, "the renaming cannot be made: %s", detail).WithFix("%s", fix)
}

// Decide decides a renaming in a state: of pairs, or where a form is given of all requirements of the project.
func Decide(s renaming.State, p projection.Project, pairs []renaming.Pair, form string, seq uint64,
	rules lifecycle.Rules) (renaming.Outcome, error) {
	if form == "" {
		if err := checkPairs(pairs); err != nil {
			return renaming.Outcome{}, err
		}
		return renaming.Confirm(s, pairs, seq, rules)
	}
	all := make([]lifecycle.Requirement, len(p.IDs))
	defined := make([]qualify.Defined, len(p.IDs))
	for i, id := range p.IDs {
		r, found, err := s.Find(id)
		if err != nil {
			return renaming.Outcome{}, err
		}
		if !found {
			return renaming.Outcome{}, projection.Disagreement(
				"the project lists %q, which is not among the requirements", id)
		}
		all[i], defined[i] = r, qualify.Defined{ID: id, Path: r.Source.Path, Family: r.Source.Family}
	}
	ids := keepRetired(all, qualify.InForm(form, defined))
	if err := checkForm(p.IDs, ids); err != nil {
		return renaming.Outcome{}, err
	}
	return renaming.Reform(all, ids, seq), nil
}

// keepRetired leaves retired requirements their ids where another one would have the same: what is in no document keeps
// nobody from a form.
func keepRetired(all []lifecycle.Requirement, ids []string) []string {
	owners := make(map[string]int, len(ids))
	for _, id := range ids {
		owners[id]++
	}
	kept := slices.Clone(ids)
	for i, r := range all {
		if r.Retired && owners[ids[i]] > 1 {
			kept[i] = r.ID
		}
	}
	return kept
}

// checkForm refuses ids of a new form that are no ids, or not unique.
func checkForm(before, ids []string) error {
	owner := make(map[string]string, len(ids))
	for i, id := range ids {
		if err := reqid.Valid(id); err != nil {
			return fault.New(fault.Conflict, "rename_form_invalid", "%s cannot be called %s: %s", before[i],
				fault.Clip(id, 200), fault.As(err).Detail).
				WithFix("give its folder, or the requirement, a shorter name and import the document; then choose " +
					"the form")
		}
		if other, taken := owner[id]; taken {
			return fault.New(fault.Conflict, "rename_form_invalid", "%s and %s would both be called %s", other,
				before[i], id).
				WithFix("rename one of them in its document and import it, or keep the folders in front of the ids")
		}
		owner[id] = before[i]
	}
	return nil
}

// After returns the project with the ids that an outcome leaves, in their order.
func After(p projection.Project, out renaming.Outcome, form string) projection.Project {
	now := make(map[string]string, len(out.Pairs))
	for _, pair := range out.Pairs {
		now[pair.From] = pair.To
	}
	ids := make([]string, 0, len(p.IDs))
	for _, id := range p.IDs {
		switch to, renamed := now[id]; {
		case !renamed:
			ids = append(ids, id)
		case form != "":
			ids = append(ids, to)
		}
	}
	p.IDs = ids
	if form != "" {
		p.Qualify = form
	}
	return p
}

// Suspects returns the new ids of those whose text is another, so that a pm must accept it.
func Suspects(out renaming.Outcome) (ids []string) {
	for _, r := range out.Next {
		if r.Suspect && slices.ContainsFunc(out.Pairs, func(p renaming.Pair) bool { return p.To == r.ID }) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
