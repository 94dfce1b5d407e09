package requirements

import (
	"cmp"
	"context"
	"slices"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/rechecking"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

// maxRechecked bounds one transaction of Recheck, in requirements.
const maxRechecked = 500

// maxLooked is how many requirements are decoded at the same time to be looked at again. Each part of so many asks git
// anew.
const maxLooked = 2000

// Recheck looks again at all evidence that the requirements rest on, and puts on record what went stale, moved, or
// holds again; it returns how many requirements that changed. No status moves. Without a repository it does nothing.
// A look that another caller began after this one asked will do for both: reviews do not queue up behind a slow git.
func (s *Rechecker) Recheck(ctx context.Context) (int, error) {
	if !s.verifies() {
		return 0, nil
	}
	return s.recheckSince(ctx, s.begun.Load())
}

// recheckSince rechecks for a caller that asked when so many had begun.
func (s *Rechecker) recheckSince(ctx context.Context, asked uint64) (int, error) {
	if err := s.one.Take(ctx); err != nil {
		return 0, err
	}
	defer s.one.Leave()
	if s.ended && s.begun.Load() > asked {
		return 0, nil
	}
	s.begun.Add(1)
	changed, err := s.recheckAll(ctx)
	s.ended = err == nil
	return changed, err
}

func (s *Rechecker) recheckAll(ctx context.Context) (int, error) {
	tip, tipErr := s.options.Repository.Tip(ctx)
	base := ""
	if tipErr == nil {
		base = s.options.Repository.Base(tip)
	}
	found, unread, err := s.lookOverAll(ctx, base)
	if err != nil {
		return 0, err
	}
	changed := 0
	for part := range slices.Chunk(found, maxRechecked) {
		n, err := s.takeOver(ctx, part)
		if err != nil {
			return changed, err
		}
		changed += n
	}
	s.tip.Store(&branchTip{tip, cmp.Or(tipErr, s.firstUnknown())})
	return changed, unread
}

// lookOverAll returns what is new of every requirement that rests on evidence, but for those that were seen to stand
// on this base: nothing can be new of them. Of what cannot be read now nothing is new, since that says nothing of it;
// unread says so.
func (s *Rechecker) lookOverAll(ctx context.Context, base string) (news []record.RecheckedOne, unread, err error) {
	var open []*projection.Entry
	for e := range s.current.Load().All() {
		if e.Cites && !e.Stands(base) {
			open = append(open, e)
		}
	}
	for part := range slices.Chunk(open, maxLooked) {
		found, missed, err := s.lookOverThese(ctx, part)
		if err != nil {
			return nil, nil, err
		}
		news = append(news, found...)
		if unread == nil {
			unread = missed
		}
	}
	return news, unread, nil
}

// lookOverThese does it for some requirements, which are decoded at the same time.
func (s *Rechecker) lookOverThese(ctx context.Context,
	entries []*projection.Entry) (news []record.RecheckedOne, unread, err error) {
	all := make([]lifecycle.Requirement, len(entries))
	for i, e := range entries {
		all[i] = e.Requirement()
	}
	found, checked, err := s.recheckOf(ctx, all)
	if err != nil {
		return nil, nil, err
	}
	for i, req := range all {
		if detail := rechecking.KeepUnread(req, &found[i]); detail != "" && unread == nil {
			unread = fault.New(fault.Unavailable, evidence.CodeUnreadable,
				"evidence of %s, and perhaps of others, cannot be read now: %s", req.ID, detail).
				WithFix("see whether git runs in the repository, and may read it; what is known of this evidence stays until it can be read").
				ForClients()
		}
		at, base := checked.Base, (*string)(nil) // that it stands on, with what was found; nil where it rests on more
		if checked.Fixed[i] {
			base = &at
		}
		if _, changed := req.Rechecked(found[i], lifecycle.LatestRules); changed {
			news = append(news, record.RecheckedOne{ID: req.ID, Recheck: found[i], Base: base})
		} else {
			entries[i].Stand(base)
		}
	}
	return news, unread, nil
}

// LookOver looks again at the evidence that one requirement cites, and returns how much that is and what no longer
// holds. Nothing is recorded. Evidence that cannot be looked at now is fault.Unavailable; a service that looks nothing
// up is fault.Conflict.
func (s *Rechecker) LookOver(ctx context.Context, id string) (cited int, stale []lifecycle.Stale, err error) {
	e, err := s.entry(id)
	if err != nil {
		return 0, nil, err
	}
	if !s.verifies() {
		return 0, nil, fault.New(fault.Conflict, "evidence_not_looked_up",
			"this service records evidence as it is given, and looks nothing up").
			WithFix("start it in a git working tree, with --evidence verify")
	}
	ctx, stop := context.WithTimeout(ctx, lookTime)
	defer stop()
	req := e.Requirement()
	found, _, err := s.recheckOf(ctx, []lifecycle.Requirement{req})
	if err != nil {
		return 0, nil, unreadableNow(id).Because(err)
	}
	for _, one := range found[0].Stale {
		if one.Reason == lifecycle.Unreadable {
			return 0, nil, unreadableNow(id)
		}
	}
	return len(req.Citations()), found[0].Stale, nil
}

func unreadableNow(id string) *fault.Error {
	return fault.New(fault.Unavailable, evidence.CodeUnreadable, "the evidence of %s cannot be looked at now", id).
		WithFix("see whether git runs in the repository, and may read it; then ask again").ForClients()
}

// takeOver writes what was found. A requirement that has changed meanwhile is left to the next look.
func (s *Rechecker) takeOver(ctx context.Context, found []record.RecheckedOne) (int, error) {
	var data record.Rechecked
	err := s.ledger.Update(ctx, func(tx *ledger.Tx) error {
		w, err := projection.InForce(tx)
		if err != nil {
			return err
		}
		data = record.Rechecked{Rules: lifecycle.LatestRules, Workflow: w.Name}
		for _, one := range found {
			req, _, err := s.reader(tx)(one.ID)
			if err != nil {
				return err
			}
			next, news := req.Rechecked(one.Recheck, lifecycle.LatestRules)
			if !news {
				continue
			}
			raw, err := projection.TableRequirements.Put(tx, one.ID, next)
			if err != nil {
				return err
			}
			one.SHA256 = ledger.Digest(raw)
			data.Changed = append(data.Changed, one)
		}
		if len(data.Changed) == 0 {
			return nil
		}
		return tx.Append(ledger.Event{Kind: record.KindRechecked, Actor: ledger.System(), Data: data})
	})
	for _, one := range data.Changed {
		s.current.Load().Stand(one.ID, one.SHA256, one.Base)
	}
	return len(data.Changed), err
}

// branch returns the branch whose tip evidence is held against, and why that tip was not known at the last look; "" where
// it was, or where nothing is looked up.
func (s *Rechecker) branch() (name, unknown string) {
	if !s.verifies() {
		return "", ""
	}
	name = s.current.Load().Project.Branch
	if last := s.tip.Load(); last != nil && last.err != nil {
		return name, last.err.Error()
	}
	return name, ""
}

// firstUnknown returns why some evidence is unknown, as that of a shallow clone may be; nil where none is.
func (s *Rechecker) firstUnknown() error {
	for e := range s.current.Load().All() {
		if !e.Summary.Stale || !rechecking.MayBeUnknown(e.Raw) { // most are stale for other reasons
			continue
		}
		if err := rechecking.Unknown(e.Requirement()); err != nil {
			return err
		}
	}
	return nil
}

// dirtyFiles returns which files have uncommitted changes, as far as that can be told now.
func (s *Rechecker) dirtyFiles(ctx context.Context, paths []string) map[string]bool {
	if !s.verifies() {
		return nil
	}
	dirty, err := s.options.Repository.Dirty(ctx, paths)
	if err != nil {
		return nil
	}
	return dirty
}
