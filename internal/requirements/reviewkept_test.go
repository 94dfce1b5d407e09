package requirements

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// fromNothing reviews the project, and looks at its evidence, as if there had been no review before.
func (r *rig) fromNothing() review.Project {
	r.t.Helper()
	none := ""
	for e := range r.current.Load().All() {
		e.Stand(&none)
	}
	in, snap, err := r.reviewInput(r.t.Context(), reading())
	require.NoError(r.t, err)
	in.Requirements = requirementsOf(snap)
	var paths []string
	for req := range in.Requirements {
		paths = append(paths, review.FilesOf(req)...)
	}
	in.Dirty = r.Reviews.evidence.dirtyFiles(r.t.Context(), paths)
	return review.Full(in)
}

// sameReview holds the review that is kept up against the one from nothing, in every form.
func (r *rig) sameReview(t require.TestingT) {
	kept, err := r.Review(r.t.Context(), reading())
	require.NoError(t, err)
	want := r.fromNothing()
	require.Equal(t, want, kept.Project())
	ids := slices.Clone(r.current.Load().Project.IDs)
	slices.Reverse(ids)
	for _, c := range []struct {
		want review.Project
		kept review.Encoded
	}{{want, kept}, {want.Narrowed(ids[1:]), kept.Narrowed(ids[1:])}, {want.Narrowed(nil), kept.Narrowed(nil)}} {
		var a, b bytes.Buffer
		require.NoError(t, c.want.JSON(&a))
		require.NoError(t, c.kept.JSON(&b))
		require.Equal(t, a.String(), b.String())
	}
}

// happenings are what may come between two reviews.
var happenings = map[string]func(*rig, *shelf, *rapid.T){
	"change": func(r *rig, _ *shelf, t *rapid.T) {
		who := rapid.SampledFrom([]lifecycle.Actor{paula, archy, cody, tess, green2}).Draw(t, "who")
		body := rapid.SampledFrom([]string{
			move(lifecycle.Planned), move(lifecycle.DesignInProgress), move(lifecycle.Blocked), move(lifecycle.Deferred),
			move(lifecycle.NeedsChanges), move(lifecycle.Implemented), move(lifecycle.Done, approved), designed, implemented, testReport,
			`{"implementation":{"summary":"s","files":[{"path":"dirty.go"},{"path":"login.go"}]}}`, `{"implementation":null}`,
			`{"deviations":[{"id":"D1","text":"not \"so\",\"ok\":"}]}`, `{"deviations":[{"id":"D1","resolution":"it is so now"}]}`,
			`{"test":{"evidence":[{"kind":"test","name":"Test_REQ_002","result":"pass","report":"r.xml"}]}}`,
		}).Draw(t, "body")
		_, _ = r.patch(who, anID(t), body)
	},
	"import": func(r *rig, _ *shelf, t *rapid.T) {
		document := "# Demo\n\n"
		for _, i := range rapid.Permutation([]int{1, 2, 3, 4}).Draw(t, "order")[:rapid.IntRange(2, 4).Draw(t, "rows")] {
			document += fmt.Sprintf("- **REQ-%03d**: It works, %s.\n", i, rapid.SampledFrom([]string{"well", "better"}).Draw(t, "how"))
		}
		_, _ = r.importText(document)
	},
	"workflow": func(r *rig, _ *shelf, t *rapid.T) {
		_, _ = r.switchTo(paula, rapid.SampledFrom([]string{"v1", "rework"}).Draw(t, "workflow"), "it is time")
	},
	"repository": func(_ *rig, f *shelf, t *rapid.T) {
		f.says(rapid.SampledFrom([]string{"login.go", "dirty.go", "TestLogin", "abcdef1"}).Draw(t, "cited"),
			rapid.SampledFrom([]evidence.Standing{{}, {MovedTo: "moved.go:3"}, {Reason: lifecycle.FileGone, Detail: "gone"},
				{Reason: lifecycle.Unreadable, Detail: "git hangs"}, {Reason: lifecycle.Unknown, Detail: "cut off"}}).Draw(t, "stands"))
		f.mu.Lock()
		defer f.mu.Unlock()
		f.base += "+"
		f.dirty = rapid.SliceOfN(rapid.SampledFrom([]string{"login.go", "moved.go"}), 0, 2).Draw(t, "dirty")
	},
	"claim": func(r *rig, _ *shelf, t *rapid.T) { _, _, _ = r.claim(cody, "c1", anID(t), time.Hour) },
	"clock": func(r *rig, _ *shelf, t *rapid.T) {
		r.clock.wind(rapid.SampledFrom([]time.Duration{time.Second, time.Hour, year}).Draw(t, "later"))
	},
	"recheck": func(r *rig, _ *shelf, _ *rapid.T) { _, _ = r.Recheck(context.Background()) },
	"nothing": func(*rig, *shelf, *rapid.T) {},
}

var green2 = lifecycle.Actor{Name: "theo", Role: lifecycle.Tester}

func anID(t *rapid.T) string {
	return rapid.SampledFrom([]string{"REQ-001", "REQ-002", "REQ-003"}).Draw(t, "id")
}

// Verifies: ORC-093
// Verifies: ORC-300
func TestTheReviewThatIsKeptUpIsTheOneFromNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r, f := startVerifying(t, store.NewMemory(), func(o *Options) { o.ExportPath = "" })
		defer r.stop()
		f.base = "tip"
		names := make([]string, 0, len(happenings))
		for name := range happenings {
			names = append(names, name)
		}
		slices.Sort(names)
		for range rapid.IntRange(2, 12).Draw(rt, "steps") {
			happenings[rapid.SampledFrom(names).Draw(rt, "what")](r, f, rt)
			r.sameReview(rt)
		}
		r.verified()
	})
}

// What stands on the base of now is not looked at again; what could not be told is, and everything is when the base is
// another one.
// Verifies: ORC-300
func TestWhatStandsOnTheBaseIsNotLookedAtAgain(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	r.must(cody, "REQ-002", `{"implementation":{"summary":"done","files":[{"path":"logout.go"}]}}`)
	looks := func() int {
		before := f.checked
		_, _ = r.Recheck(t.Context())
		return f.checked - before
	}
	require.Equal(t, []int{2, 2}, []int{looks(), looks()}, "without a base nothing stands")
	f.base = "tip"
	require.Equal(t, []int{2, 0}, []int{looks(), looks()})
	r.must(cody, "REQ-002", `{"implementation":{"summary":"again","files":[{"path":"logout.go"}]}}`)
	require.Equal(t, []int{1, 0}, []int{looks(), looks()}, "only what changed")
	f.base = "next tip"
	f.says("logout.go", evidence.Standing{Reason: lifecycle.Unreadable, Detail: "git hangs"})
	require.Equal(t, []int{2, 1, 1}, []int{looks(), looks(), looks()})
	f.says("logout.go", evidence.Standing{Reason: lifecycle.FileGone, Detail: "gone"})
	require.Equal(t, []int{1, 0}, []int{looks(), looks()}, "what is news stands as it was found")
	f.base = "tip after that"
	changed, err := r.Recheck(t.Context())
	require.NoError(t, err)
	require.Zero(t, changed, "another look finds nothing new of it")
	f.gone = fmt.Errorf("there is no branch")
	require.Equal(t, 2, looks(), "without a tip there is no base")
}
