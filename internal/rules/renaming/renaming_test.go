package renaming

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// Verifies: ORC-175

func defined(id, text string) lifecycle.Requirement {
	r, _ := lifecycle.Define(nil, lifecycle.Definition{ID: id, Title: text, Fingerprint: "sha256:" + text}, at(1), lifecycle.LatestRules)
	return r
}

func at(hour int) time.Time { return time.Date(2026, 11, 1, hour, 0, 0, 0, time.UTC) }

// lived returns a requirement that was worked on, as an import has retired it.
func lived(id, text string) lifecycle.Requirement {
	r := defined(id, text)
	r.Status, r.Revision = lifecycle.Planned, 6
	r.Stamps.DesignSpec = lifecycle.Stamp{Revision: 5, By: "Arno", Fingerprint: r.Fingerprint}
	r.DesignSpec = []byte(`{"text":"x"}`)
	r.History = append(r.History, lifecycle.HistoryEntry{From: lifecycle.NotStarted, To: lifecycle.Planned})
	r.PMNotes = append(r.PMNotes, lifecycle.Note{Text: "soon"})
	r, _ = lifecycle.Retire(r)
	return r
}

func stateOf(claimed string, all ...lifecycle.Requirement) State {
	return State{
		Find: func(id string) (lifecycle.Requirement, bool, error) {
			for _, r := range all {
				if r.ID == id {
					return r, true, nil
				}
			}
			return lifecycle.Requirement{}, false, nil
		},
		Claims: func(id string) ([]claiming.Claim, error) {
			if id == claimed {
				return []claiming.Claim{{Requirement: id}}, nil
			}
			return nil, nil
		},
	}
}

func TestTheNewRequirementTakesTheLifeOver(t *testing.T) {
	before, after := lived("OLD", "one"), defined("NEW", "one")
	before.FormerIDs = []lifecycle.FormerID{{ID: "OLDER", Record: 3}}
	after.TextSince, after.Source.Priority, after.Source.Line = at(2), "", 9
	out, err := Confirm(stateOf("", before, after), []Pair{{"OLD", "NEW"}}, 12, lifecycle.LatestRules)
	require.NoError(t, err)
	require.Equal(t, []Pair{{"OLD", "NEW"}}, out.Pairs)
	next := out.Next[0]
	require.Equal(t, after.Definition, next.Definition)
	require.Equal(t, []lifecycle.FormerID{{ID: "OLDER", Record: 3}, {ID: "OLD", Record: 12}}, next.FormerIDs)
	require.Equal(t, before.Status, next.Status)
	require.Equal(t, before.Stamps, next.Stamps)
	require.Equal(t, before.History, next.History)
	require.Equal(t, before.PMNotes, next.PMNotes)
	require.False(t, next.Retired || next.Suspect, "the text is the same")
	require.Equal(t, at(1), next.TextSince)
	require.Equal(t, before.Revision+after.Revision+1, next.Revision, "no revision of either is given twice")
	require.Len(t, before.FormerIDs, 1, "what it was given is as it was")
}

func TestAnotherTextIsAChangeOfTheText(t *testing.T) {
	after := defined("NEW", "two")
	after.TextSince = at(2)
	out, err := Confirm(stateOf("", lived("OLD", "one"), after), []Pair{{"OLD", "NEW"}}, 12, lifecycle.LatestRules)
	require.NoError(t, err)
	require.True(t, out.Next[0].Suspect)
	require.Equal(t, at(2), out.Next[0].TextSince)
	require.Equal(t, []string{"design_spec"}, out.Next[0].RestingElsewhere(out.Next[0].Fingerprint))
}

func TestWhatStandsAgainstARenaming(t *testing.T) {
	used := lived("USED", "used")
	used.Retired = false
	all := []lifecycle.Requirement{lived("OLD", "one"), defined("NEW", "one"), defined("IN", "in"), lived("GONE", "gone"), used}
	for _, c := range []struct {
		pair      Pair
		claimed   string
		code      fault.Code
		at, says  string
		more, fix string
	}{
		{pair: Pair{"NONE", "NEW"}, code: CodeSource, at: "/renames/0/from", says: "there is no requirement NONE", fix: "retired=true"},
		{pair: Pair{"IN", "NEW"}, code: CodeSource, at: "/renames/0/from", says: "IN is still in a document", fix: "write NEW in place of IN"},
		{pair: Pair{"OLD", "NONE"}, code: CodeTarget, at: "/renames/0/to", says: "no document defines NONE", fix: "import the document"},
		{pair: Pair{"OLD", "GONE"}, code: CodeTarget, at: "/renames/0/to", says: "no document defines GONE", fix: "import the document"},
		{pair: Pair{"OLD", "USED"}, code: CodeUsed, at: "/renames/0/to", says: "something has happened to USED already; it is planned", fix: "defer OLD"},
		{pair: Pair{"OLD", "NEW"}, claimed: "NEW", code: CodeUsed, at: "/renames/0/to", says: "somebody has claimed a part of NEW", fix: "released"},
	} {
		_, err := Confirm(stateOf(c.claimed, all...), []Pair{c.pair}, 12, lifecycle.LatestRules)
		f := fault.As(err)
		require.Equal(t, c.code, f.Code, "%v", c.pair)
		require.ErrorIs(t, err, fault.Conflict)
		require.Equal(t, c.at, f.Fields[0].Pointer)
		require.Equal(t, c.says, f.Fields[0].Detail)
		require.Contains(t, f.Fix, c.fix)
		require.Equal(t, f.Fix, f.Fields[0].Fix)
	}
	_, err := Confirm(stateOf("", all...), []Pair{{"OLD", "NEW"}, {"IN", "NONE"}}, 12, lifecycle.LatestRules)
	require.Len(t, fault.As(err).Fields, 2, "all or none, and everything is said")
}

func TestARenamingThatIsMadeIsLeftOut(t *testing.T) {
	after := defined("NEW", "one")
	after.FormerIDs = []lifecycle.FormerID{{ID: "OLD", Record: 3}}
	out, err := Confirm(stateOf("", after), []Pair{{"OLD", "NEW"}}, 12, lifecycle.LatestRules)
	require.NoError(t, err)
	require.Empty(t, out)
	_, err = Confirm(stateOf("", after, lived("OLD", "back")), []Pair{{"OLD", "NEW"}}, 12, lifecycle.LatestRules)
	require.True(t, fault.Is(err, CodeUsed), "a new OLD is another requirement")
}

func TestAFailureDecidesNothing(t *testing.T) {
	broken := errors.New("broken")
	all := stateOf("", lived("OLD", "one"), defined("NEW", "one"))
	for _, failing := range []string{"OLD", "NEW", "claims"} {
		s := State{
			Find: func(id string) (lifecycle.Requirement, bool, error) {
				if id == failing {
					return lifecycle.Requirement{}, false, broken
				}
				return all.Find(id)
			},
			Claims: func(string) ([]claiming.Claim, error) {
				if failing == "claims" {
					return nil, broken
				}
				return nil, nil
			},
		}
		_, err := Confirm(s, []Pair{{"OLD", "NEW"}}, 12, lifecycle.LatestRules)
		require.ErrorIs(t, err, broken, failing)
	}
}

// Verifies: ORC-176

func TestAllIDsGetAnotherFormAtOnce(t *testing.T) {
	one, two, other, alone := lived("FR-1", "one"), defined("FR-2", "two"), defined("R-1", "other"), defined("R-2", "alone")
	two.DependsOn, two.Parents = []string{"FR-1", "R-2"}, []string{"US-1"}
	other.DependsOn = []string{"FR-2"}
	one.Rechecks = 2
	out := Reform([]lifecycle.Requirement{one, two, other, alone}, []string{"a/FR-1", "a/FR-2", "R-1", "R-2"}, 40)
	require.Equal(t, []Pair{{"FR-1", "a/FR-1"}, {"FR-2", "a/FR-2"}}, out.Pairs)
	require.Len(t, out.Next, 3)
	first := out.Next[0]
	require.Equal(t, []lifecycle.FormerID{{ID: "FR-1", Record: 40}}, first.FormerIDs)
	require.Equal(t, one.Revision+1, first.Revision)
	require.Zero(t, first.Rechecks)
	require.True(t, first.Retired, "it lives on as it was")
	require.Equal(t, one.History, first.History)
	require.Equal(t, []string{"a/FR-1", "R-2"}, out.Next[1].DependsOn)
	require.Equal(t, []string{"US-1"}, out.Next[1].Parents)
	require.Equal(t, []string{"a/FR-2"}, out.Next[2].DependsOn)
	require.Empty(t, out.Next[2].FormerIDs)
	require.Equal(t, []string{"FR-1", "R-2"}, two.DependsOn, "what it was given is as it was")
}

// Verifies: ORC-175

func TestPairsAreProposed(t *testing.T) {
	idle := defined("IDLE", "six")
	idle.Retired = true
	deferred := lived("LATER", "seven")
	deferred.Status = lifecycle.Deferred
	retitled := defined("N-4", "Four")
	retitled.Fingerprint = "sha256:other"
	taken := lived("N-5", "five")
	taken.Retired = false
	one := in(lived("O-1", "one"), "a.md", 3, "Shop", "Login")
	require.Equal(t, Proposals{[]Proposal{
		{Pair{"O-1", "N-1"}, "one", lifecycle.Planned, SameText, Place{"a.md", 3, []string{"Shop", "Login"}},
			Place{Section: []string{}}},
		{Pair{"O-4", "N-4"}, "Four", lifecycle.Planned, SameTitle, Place{Section: []string{}},
			Place{Section: []string{}}},
	}, []Ambiguity{}}, Propose([]lifecycle.Requirement{
		one, lived("O-3", "three"), lived("O-4", "four"), lived("O-5", "five"), idle, deferred,
		defined("N-1", "one"), retitled, taken, defined("N-6", "six"), defined("N-7", "seven"),
	}))
}

// in returns a requirement that stands elsewhere.
func in(r lifecycle.Requirement, path string, line int, section ...string) lifecycle.Requirement {
	r.Source = lifecycle.Source{Path: path, Line: line, Section: section}
	return r
}

// short returns proposals as a test compares them.
func short(p Proposals) (all []string) {
	for _, one := range p.Proposed {
		all = append(all, one.From+">"+one.To)
	}
	for _, one := range p.Ambiguous {
		said := one.Same + ":"
		for _, c := range one.From {
			said += " " + c.ID
		}
		said += " ?"
		for _, c := range one.To {
			said += " " + c.ID
		}
		all = append(all, said)
	}
	return all
}

func TestALifeIsProposedToNoTwin(t *testing.T) {
	idle := defined("IDLE", "one")
	idle.Retired = true
	deferred := lived("LATER", "one")
	deferred.Status = lifecycle.Deferred
	taken := lived("TAKEN", "one")
	taken.Retired = false
	confirmed := taken
	confirmed.FormerIDs = []lifecycle.FormerID{{ID: "O-9", Record: 3}}
	retitled := defined("N-3", "One")
	retitled.Fingerprint = "sha256:other"
	for _, c := range []struct {
		name string
		all  []lifecycle.Requirement
		want []string
	}{
		{"two and two", []lifecycle.Requirement{
			lived("O-1", "one"), lived("O-2", "one"), defined("N-1", "one"), defined("N-2", "one")},
			[]string{"text: O-1 O-2 ? N-1 N-2"}},
		{"two and one", []lifecycle.Requirement{
			lived("O-1", "one"), lived("O-2", "one"), defined("N-1", "one")},
			[]string{"text: O-1 O-2 ? N-1"}},
		{"one and two", []lifecycle.Requirement{lived("O-1", "one"), defined("N-1", "one"), defined("N-2", "one")},
			[]string{"text: O-1 ? N-1 N-2"}},
		{"the other one never began", []lifecycle.Requirement{lived("O-1", "one"), idle, defined("N-1", "one")},
			[]string{"text: O-1 IDLE ? N-1"}},
		{"the other one is deferred", []lifecycle.Requirement{lived("O-1", "one"), deferred, defined("N-1", "one")},
			[]string{"text: O-1 LATER ? N-1"}},
		{"work began on the other one", []lifecycle.Requirement{
			lived("O-1", "one"), taken, defined("N-1", "one")},
			[]string{"text: O-1 ? TAKEN N-1"}},
		{"the other one is confirmed", []lifecycle.Requirement{lived("O-1", "one"), confirmed, defined("N-1", "one")},
			[]string{"O-1>N-1"}},
		{"the sections say which", []lifecycle.Requirement{
			in(lived("REQ-001", "one"), "r.md", 3, "Web shop"), in(lived("REQ-002", "one"), "r.md", 7, "Payment vault"),
			in(defined("VAULT-1", "one"), "r.md", 3, "Payment vault"), in(defined("WEB-1", "one"), "r.md", 7, "Web shop")},
			[]string{"REQ-001>WEB-1", "REQ-002>VAULT-1"}},
		{"the files say which", []lifecycle.Requirement{
			in(lived("O-1", "one"), "a.md", 3, "Shop"), in(lived("O-2", "one"), "b.md", 3, "Shop"),
			in(defined("N-2", "one"), "b.md", 3, "Shop"), in(defined("N-1", "one"), "a.md", 3, "Shop")},
			[]string{"O-1>N-1", "O-2>N-2"}},
		{"the section says it of one", []lifecycle.Requirement{
			in(lived("O-1", "one"), "a.md", 3, "Shop"), in(lived("O-2", "one"), "a.md", 9, "Bank"),
			in(defined("N-1", "one"), "a.md", 3, "Shop"), in(defined("N-2", "one"), "a.md", 9, "Vault")},
			[]string{"O-1>N-1", "text: O-2 ? N-2"}},
		{"titles of what is ambiguous", []lifecycle.Requirement{
			in(lived("O-1", "one"), "a.md", 3, "Shop"), in(lived("O-2", "one"), "a.md", 9, "Bank"),
			in(defined("N-1", "one"), "a.md", 3, "Vault"), in(retitled, "a.md", 9, "Shop")},
			[]string{"text: O-1 O-2 ? N-1"}},
	} {
		require.Equal(t, c.want, short(Propose(c.all)), c.name)
	}
}
