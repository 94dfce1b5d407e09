package drift

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/reqid"
	"orchestrator/internal/rules/lifecycle"
)

// delta holds documents that name only what they change against the requirements of the state, which they change.
type delta struct {
	plan     *Plan
	from     store.Getter
	set      reqdoc.Set
	known    map[string]bool
	alike    map[string][]string // ids of the state by skeleton
	leaving  map[string]bool     // ids that the documents take away, or give another name
	problems []reqdoc.Problem
}

func newDelta(p *Plan, from store.Getter, set reqdoc.Set) *delta {
	d := &delta{plan: p, from: from, set: set, known: make(map[string]bool, len(p.before.IDs)),
		alike: map[string][]string{}, leaving: map[string]bool{}}
	for _, id := range p.before.IDs {
		d.known[id] = true
		for _, key := range keys(id) {
			d.alike[key] = append(d.alike[key], id)
		}
	}
	for _, e := range set.Removed {
		d.leaving[e.ID] = true
	}
	for _, r := range set.Renamed {
		d.leaving[r.From] = true
	}
	return d
}

// applyDelta makes the plan for documents that all are deltas.
func (p *Plan) applyDelta(from store.Getter, set reqdoc.Set) error {
	p.after.Name = cmp.Or(p.before.Name, set.Title)
	d := newDelta(p, from, set)
	if err := d.check(); err != nil {
		return err
	}
	if err := p.defineAll(from, set); err != nil {
		return err
	}
	return d.takeAway()
}

// keys returns two keys, of which one is equal for ids that are nearly the same, so that each is compared with a few
// and not with all.
func keys(id string) [2]string {
	return [2]string{"near " + strings.ToLower(strings.ReplaceAll(id, "0", "")), "alike " + reqid.Skeleton(id)}
}

// near finds an id of the state that a reader would take for this one. One that is in use goes before a retired one.
func (d *delta) near(id string) (near string, inUse bool, err error) {
	alike := keys(id)
	for _, other := range slices.Concat(d.alike[alike[0]], d.alike[alike[1]]) {
		if d.leaving[other] || !reqdoc.Nearly(id, other) {
			continue
		}
		req, found, err := projection.TableRequirements.Get(d.from, other)
		if err != nil {
			return "", false, err
		}
		if near = other; found && !req.Retired {
			return near, true, nil
		}
	}
	return near, false, nil
}

// check refuses what contradicts the state, and warns of what is doubtful.
func (d *delta) check() error {
	for _, r := range d.set.Requirements {
		current, found, err := projection.TableRequirements.Get(d.from, r.ID)
		if err == nil && found {
			d.checkKnown(r, current)
		} else if err == nil {
			err = d.checkNew(r)
		}
		if err != nil {
			return err
		}
	}
	if len(d.problems) > 0 {
		return refusedDelta(d.problems)
	}
	return d.checkRenames()
}

func (d *delta) checkNew(r reqdoc.Requirement) error {
	near, inUse, err := d.near(r.ID)
	switch {
	case err != nil:
		return err
	case inUse:
		d.problems = append(d.problems, reqdoc.Problem{
			Place: r.Place, ID: r.ID, Message: fmt.Sprintf("%s is nearly %s, which the project has: did you mean %s?",
				r.ID, near, near),
			Fix: "write " + near,
		})
	case r.Change == reqdoc.DeltaModified && !d.renamedTo(r.ID):
		d.plan.warn(r.Place, r.ID,
			fmt.Sprintf("the delta modifies %q, which is no requirement of the project; it is added", r.ID),
			meant(near, "list it under ADDED Requirements"))
	}
	return nil
}

func (d *delta) renamedTo(id string) bool {
	return slices.ContainsFunc(d.set.Renamed, func(r reqdoc.Rename) bool { return r.To == id && d.known[r.From] })
}

func (d *delta) checkKnown(r reqdoc.Requirement, current lifecycle.Requirement) {
	switch {
	case r.Change != reqdoc.DeltaAdded || current.Retired || d.leaving[r.ID]:
	case current.Fingerprint == r.Fingerprint:
		d.plan.warn(r.Place, r.ID, fmt.Sprintf("the delta adds %q, which is already there, word for word", r.ID),
			"the delta was taken over before; leave it out of the import")
	default:
		d.problems = append(d.problems, reqdoc.Problem{
			Place: r.Place, ID: r.ID, Message: fmt.Sprintf("the delta adds %q, which the project has with another text", r.ID),
			Fix: "list it under MODIFIED Requirements",
		})
	}
}

// checkRenames warns of renamings that name nothing, or that bring no text: the state keeps texts as documents have
// them.
func (d *delta) checkRenames() error {
	for _, r := range d.set.Renamed {
		if !d.known[r.From] {
			near, _, err := d.near(r.From)
			if err != nil {
				return err
			}
			d.plan.warn(r.Place, r.From, fmt.Sprintf("the delta renames %q, which is no requirement of the project",
				r.From),
				meant(near, "mend the name; names are compared letter by letter"))
		} else if !d.plan.present[r.To] {
			d.plan.warn(r.Place, r.From,
				fmt.Sprintf("the delta renames %q to %q and has no text under the new name; nothing is renamed",
					r.From, r.To),
				fmt.Sprintf("write %q with its text under MODIFIED Requirements too", r.To))
		}
	}
	return nil
}

// takeAway completes a plan for documents that name only what they change: the rest stays, in its order.
func (d *delta) takeAway() error {
	p := d.plan
	p.after.IDs = slices.Clone(p.before.IDs)
	for _, r := range d.set.Requirements {
		if !d.known[r.ID] {
			p.after.IDs = append(p.after.IDs, r.ID)
		}
	}
	away := map[string]bool{}
	for _, e := range d.set.Removed {
		switch {
		case p.present[e.ID]:
			p.warn(e.Place, e.ID, fmt.Sprintf("%s is taken away here, and defined by the same documents; it stays",
				e.ID), "take one of the two out")
		case !d.known[e.ID]:
			near, _, err := d.near(e.ID)
			if err != nil {
				return err
			}
			p.warn(e.Place, e.ID, fmt.Sprintf("%s is taken away here, and is no requirement of the project",
				cmp.Or(e.ID, e.Title)),
				meant(near, "take the line out"))
		default:
			away[e.ID] = true
		}
	}
	for _, r := range d.set.Renamed {
		if d.known[r.From] && p.present[r.To] && !p.present[r.From] {
			away[r.From] = true
		}
	}
	for _, id := range p.before.IDs {
		if !away[id] {
			continue
		}
		if err := p.retire(d.from, id); err != nil {
			return err
		}
	}
	known := p.before.Import.Readings()
	if !p.changesRequirements() {
		p.after = p.before // documents that change nothing are not what the state was made from
		p.read = account.Told(known, p.read)
	}
	p.read = account.Beside(known, p.read)
	return nil
}

func meant(near, fix string) string {
	if near == "" {
		return fix
	}
	return fmt.Sprintf("write %s if it is meant", near)
}

// refusedDelta refuses a delta as package reqdoc refuses a document.
func refusedDelta(problems []reqdoc.Problem) error {
	slices.SortStableFunc(problems, func(a, b reqdoc.Problem) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line)
	})
	err := fault.New(fault.Invalid, "document_invalid", "problems with ids in the document: %d", len(problems)).
		WithFix("mend the documents; until then nothing is taken from them")
	for _, p := range problems[:min(len(problems), decision.MaxViolations)] {
		err.Fields = append(err.Fields, fault.Field{Pointer: fmt.Sprintf("%s#L%d", p.Path, p.Line), Detail: p.Message,
			Fix: p.Fix})
	}
	return err
}
