// Package cited looks at all evidence of a requirement again for a review, and shows what it is about: the lines of
// files, the tests of reports, what commits say of themselves.
package cited

import (
	"context"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/requirements/turn"
	"orchestrator/internal/rules/lifecycle"
)

// Repository is where evidence is looked up.
type Repository interface {
	Recheck(context.Context, []evidence.Subject) (evidence.Checked, error)
	Show(ctx context.Context, tip string, e lifecycle.Evidence, s evidence.Standing) evidence.Shown
}

// Looker looks at evidence for reviews. It is safe for concurrent use.
type Looker struct {
	attached Reports
	turn     turn.Turn // to show: files take memory
}

// Reports reads an attached report by its digest; nil where there is none.
type Reports func(ctx context.Context, digest string) (*record.Report, error)

// New returns a Looker that reads attached reports.
func New(attached Reports) *Looker { return &Looker{attached, turn.New()} }

// Asked is the evidence of one requirement.
type Asked struct {
	Cited []lifecycle.Citation
	Code  []lifecycle.Evidence // to which tests are tied; nil where they are not
	Show  bool                 // what it is about
}

// Look fills in what looking at evidence again comes to.
//
// Implements: ORC-329
func (l *Looker) Look(ctx context.Context, in Repository, a Asked, seen *review.Seen) error {
	if len(a.Cited) == 0 {
		return nil
	}
	subject := evidence.Subject{Cited: make([]lifecycle.Evidence, len(a.Cited)), Code: a.Code}
	for i, c := range a.Cited {
		subject.Cited[i] = c.Evidence
	}
	checked, err := in.Recheck(ctx, []evidence.Subject{subject})
	for i, c := range a.Cited {
		verdict := review.Rechecked{Pointer: c.Pointer, Verdict: review.NotLookedUp,
			Detail: "the repository cannot be read now"}
		if err == nil {
			verdict = judged(c.Pointer, checked.Standings[0][i])
		}
		seen.Evidence = append(seen.Evidence, verdict)
	}
	if !a.Show || err != nil {
		return nil
	}
	if err := l.turn.Take(ctx); err != nil {
		return err
	}
	defer l.turn.Leave()
	l.show(ctx, in, a.Cited, checked, seen)
	return nil
}

func judged(pointer string, s evidence.Standing) review.Rechecked {
	switch {
	case s.Reason != "":
		return review.Rechecked{Pointer: pointer, Verdict: review.Stale, Reason: s.Reason, Detail: s.Detail}
	case s.MovedTo != "":
		return review.Rechecked{Pointer: pointer, Verdict: review.Moved, Detail: s.MovedTo}
	}
	return review.Rechecked{Pointer: pointer, Verdict: review.Holds}
}

// Limits of what is shown of one requirement.
const (
	showTime  = 5 * time.Second
	mostRead  = 64 << 20 // bytes of files
	mostShown = 1 << 20  // bytes of excerpts and tests
	mostCases = 40       // of one test
)

// show shows what evidence is about, that of the parts first and then that of the moves, newest first, as long as
// there is room.
func (l *Looker) show(ctx context.Context, in Repository, all []lifecycle.Citation, checked evidence.Checked,
	seen *review.Seen) {
	ctx, stop := context.WithTimeout(ctx, showTime)
	defer stop()
	seen.Shown = map[string]review.Shown{}
	read, shown := 0, 0
	for _, i := range inOrder(all) {
		if read > mostRead || shown > mostShown || ctx.Err() != nil {
			seen.NotShown++
			continue
		}
		e := all[i].Evidence
		found := in.Show(ctx, checked.Tip, e, checked.Standings[0][i])
		one := review.Shown{Lines: excerptOf(found.Now), Cited: excerptOf(found.Then),
			Tests: testsOf(l.cases(ctx, e, found.Tests))}
		if ctx.Err() != nil { // it was not read to the end
			seen.NotShown++
			continue
		}
		if found.Commit != nil {
			one.Commit = &review.Commit{ID: e.Found.Commit, Subject: line(found.Commit.Subject),
				AuthoredAt: found.Commit.Authored}
		}
		seen.Shown[all[i].Pointer] = one
		read, shown = read+sizeOf(found), shown+sizeShown(one)
	}
}

// inOrder returns the indexes of citations: those of the parts, then those of the moves, newest first.
func inOrder(all []lifecycle.Citation) (indexes []int) {
	moves := []int{}
	for i, c := range all {
		if strings.HasPrefix(c.Pointer, "/history/") {
			moves = append(moves, i)
		} else {
			indexes = append(indexes, i)
		}
	}
	slices.Reverse(moves)
	return append(indexes, moves...)
}

func sizeOf(s evidence.Shown) (size int) {
	for _, c := range []*evidence.Content{s.Now, s.Then} {
		if c != nil {
			size += len(c.Bytes)
		}
	}
	return size
}

func sizeShown(s review.Shown) (size int) {
	for _, e := range []*review.Excerpt{s.Lines, s.Cited} {
		if e != nil {
			size += len(e.Text)
		}
	}
	if s.Tests != nil {
		for _, c := range s.Tests.Cases {
			size += len(c.Name)
		}
	}
	return size
}

// cases returns the cases that a test stands for in a report that was attached, else those that were found.
func (l *Looker) cases(ctx context.Context, e lifecycle.Evidence, found []testreport.Case) []testreport.Case {
	digest, attached := strings.CutPrefix(e.Report, lifecycle.AttachedPrefix)
	if !attached || e.Kind != lifecycle.EvidenceTest {
		return found
	}
	kept, err := l.attached(ctx, digest)
	if kept == nil || err != nil {
		return nil
	}
	return kept.AsRead().Named(e.Name)
}

func testsOf(cases []testreport.Case) *review.Tests {
	if len(cases) == 0 {
		return nil
	}
	t := &review.Tests{More: max(0, len(cases)-mostCases)}
	for _, c := range cases[:len(cases)-t.More] {
		t.Cases = append(t.Cases, review.TestCase{Name: line(c.Name), Result: c.Result})
	}
	return t
}
