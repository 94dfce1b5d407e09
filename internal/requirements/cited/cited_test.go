package cited

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/evidence/gitrepo"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/rules/lifecycle"
)

// shelf has what is cited, by path, name or commit.
type shelf struct {
	has     map[string]evidence.Shown
	stands  map[string]evidence.Standing
	failing error
	asked   []string
}

func (s *shelf) Recheck(_ context.Context, subjects []evidence.Subject) (evidence.Checked, error) {
	checked := evidence.Checked{Tip: "tip"}
	for _, subject := range subjects {
		var all []evidence.Standing
		for _, e := range subject.Cited {
			all = append(all, s.stands[e.Path+e.Name+e.Commit])
		}
		checked.Standings = append(checked.Standings, all)
	}
	return checked, s.failing
}

func (s *shelf) Show(_ context.Context, tip string, e lifecycle.Evidence, _ evidence.Standing) evidence.Shown {
	s.asked = append(s.asked, tip+" "+e.Path+e.Name+e.Commit)
	return s.has[e.Path+e.Name+e.Commit]
}

func look(t *testing.T, s *shelf, show bool, all ...lifecycle.Citation) review.Seen {
	t.Helper()
	attached := func(_ context.Context, digest string) (*record.Report, error) {
		if digest != "known" {
			return nil, nil
		}
		return &record.Report{Found: lifecycle.Found{Format: testreport.Go}, Cases: []testreport.Case{
			{Suite: "p", Name: "TestA", Result: testreport.Fail}, {Suite: "p", Name: "TestA/one", Result: testreport.Fail}}}, nil
	}
	var seen review.Seen
	require.NoError(t, New(attached).Look(t.Context(), s, Asked{Cited: all, Show: show}, &seen))
	return seen
}

func fileAt(pointer, path string) lifecycle.Citation {
	return lifecycle.Citation{Pointer: pointer, Evidence: lifecycle.Evidence{Kind: lifecycle.EvidenceFile, Path: path}}
}

func content(path, text string) evidence.Shown {
	return evidence.Shown{Now: &evidence.Content{Path: path, Commit: "tip", Bytes: []byte(text)}}
}

// Verifies: ORC-329
func TestWhatEvidenceIsAboutIsShown(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	stale := content("b.go", "now\n")
	stale.Then = &evidence.Content{Path: "a.go", Commit: "then", First: 2, Last: 2, Bytes: []byte("\nwas\n")}
	s := &shelf{has: map[string]evidence.Shown{
		"a.go":    stale,
		"abc":     {Commit: &gitrepo.Told{Subject: "Use password = hunter2secretX9", Authored: at}},
		"TestOld": {Tests: []testreport.Case{{Name: "p.TestOld", Result: testreport.Pass}}},
	}, stands: map[string]evidence.Standing{"a.go": {Reason: lifecycle.LinesChanged, Detail: "other lines"}, "abc": {}, "TestA": {MovedTo: "x"}}}
	all := []lifecycle.Citation{
		fileAt("/implementation_evidence/0", "a.go"),
		{Pointer: "/implementation_evidence/1", Evidence: lifecycle.Evidence{Kind: lifecycle.EvidenceCommit, Commit: "abc", Found: &lifecycle.Found{Commit: "abcdef"}}},
		{Pointer: "/test/evidence/0", Evidence: lifecycle.Evidence{Kind: lifecycle.EvidenceTest, Name: "TestA", Report: lifecycle.AttachedPrefix + "known"}},
		{Pointer: "/test/evidence/1", Evidence: lifecycle.Evidence{Kind: lifecycle.EvidenceTest, Name: "TestB", Report: lifecycle.AttachedPrefix + "unknown"}},
		{Pointer: "/test/evidence/2", Evidence: lifecycle.Evidence{Kind: lifecycle.EvidenceTest, Name: "TestOld", Report: "r.xml"}},
	}
	seen := look(t, s, true, all...)
	require.Equal(t, []review.Rechecked{
		{Pointer: "/implementation_evidence/0", Verdict: review.Stale, Reason: lifecycle.LinesChanged, Detail: "other lines"},
		{Pointer: "/implementation_evidence/1", Verdict: review.Holds},
		{Pointer: "/test/evidence/0", Verdict: review.Moved, Detail: "x"},
		{Pointer: "/test/evidence/1", Verdict: review.Holds},
		{Pointer: "/test/evidence/2", Verdict: review.Holds},
	}, seen.Evidence)
	moved, commit := seen.Shown["/implementation_evidence/0"], seen.Shown["/implementation_evidence/1"].Commit
	require.Equal(t, &review.Excerpt{Path: "b.go", From: 1, Commit: "tip", Text: "now\n"}, moved.Lines)
	require.Equal(t, &review.Excerpt{Path: "a.go", From: 2, Commit: "then", Text: "was\n"}, moved.Cited)
	subject := "Use password = [masked assigned_secret]"
	require.Equal(t, &review.Commit{ID: "abcdef", Subject: subject, AuthoredAt: at}, commit)
	failing := []review.TestCase{{Name: "p.TestA", Result: "fail"}, {Name: "p.TestA/one", Result: "fail"}}
	require.Equal(t, &review.Tests{Cases: failing}, seen.Shown["/test/evidence/0"].Tests)
	require.Equal(t, review.Shown{}, seen.Shown["/test/evidence/1"])
	require.Equal(t, &review.Tests{Cases: []review.TestCase{{Name: "p.TestOld", Result: "pass"}}}, seen.Shown["/test/evidence/2"].Tests)

	without := look(t, s, false, all...)
	require.Equal(t, seen.Evidence, without.Evidence)
	require.Nil(t, without.Shown)
	s.failing, s.asked = errors.New("git hangs"), nil
	unread := look(t, s, true, all...)
	require.Equal(t, review.NotLookedUp, unread.Evidence[0].Verdict)
	require.Empty(t, s.asked, "what was not looked up is not shown")
	require.Empty(t, look(t, s, true).Evidence)
}

// The parts come first, and then the newest moves, until there is no room.
func TestThereIsRoomForSoMuch(t *testing.T) {
	s := &shelf{has: map[string]evidence.Shown{"big": content("big", strings.Repeat("x", mostBytes)), "huge": content("huge", strings.Repeat("x\n", mostRead/4))}}
	var all []lifecycle.Citation
	for i := range 200 {
		all = append(all, fileAt(fmt.Sprintf("/history/%d/justification/evidence/0", i), "big"))
	}
	all = append(all, fileAt("/test/evidence/0", "big"))
	seen := look(t, s, true, all...)
	shown := len(seen.Shown)
	require.Equal(t, 201, shown+seen.NotShown)
	require.Equal(t, mostShown/mostBytes+1, shown)
	require.Contains(t, seen.Shown, "/test/evidence/0")
	require.Contains(t, seen.Shown, "/history/199/justification/evidence/0")
	require.NotContains(t, seen.Shown, "/history/0/justification/evidence/0")

	all = nil
	for i := range 9 {
		all = append(all, fileAt(fmt.Sprintf("/history/%d/justification/evidence/0", i), "huge"))
	}
	require.Equal(t, 6, look(t, s, true, all...).NotShown, "no more than so many bytes are read")

	many := make([]testreport.Case, 50)
	require.Equal(t, 10, testsOf(many).More)
	require.Len(t, testsOf(many).Cases, mostCases)
	require.Nil(t, testsOf(nil))
}
