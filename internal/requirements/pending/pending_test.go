package pending_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/requirements/qualify"
)

func known(texts map[string]string) pending.Known {
	return func(id string) (string, bool) {
		text, defined := texts[id]
		return text, defined
	}
}

func delta(change, capability string, entries ...pending.Entry) pending.Delta {
	for i := range entries {
		entries[i].Line = 3 + i
	}
	return pending.Delta{Change: change, Path: "openspec/changes/" + change + "/specs/" + capability + "/spec.md", Entries: entries}
}

// conflictsOf returns what stands against each proposal, by change and requirement.
func conflictsOf(open *pending.Open) map[string][]string {
	all := map[string][]string{}
	for _, p := range open.Proposals {
		all[p.Change+" "+p.Does+" "+p.Requirement] = p.Conflicts
	}
	return all
}

// Verifies: ORC-148
func TestProposalsAreHeldAgainstTheDocumentsAndOneAnother(t *testing.T) {
	texts := known(map[string]string{"cli/List": "t1", "cli/Show": "t2", "cli/Taken": "t3"})
	add, modify := pending.Entry{Does: pending.Add, Name: "New", Fingerprint: "n"},
		pending.Entry{Does: pending.Modify, Name: "List", Fingerprint: "m"}
	with := func(e pending.Entry, name, fingerprint string) pending.Entry {
		e.Name, e.Fingerprint = name, fingerprint
		return e
	}
	const at = "openspec/changes/b/specs/cli/spec.md:3"
	for name, c := range map[string]struct {
		a, b pending.Entry
		want []string // against a
	}{
		"both modify":                  {modify, with(modify, "List", "other"), []string{"b would modify it, too (" + at + ")"}},
		"both modify in one way":       {modify, modify, nil},
		"one modifies, one removes":    {modify, pending.Entry{Does: pending.Remove, Name: "List"}, []string{"b would remove it, too (" + at + ")"}},
		"both remove":                  {pending.Entry{Does: pending.Remove, Name: "List"}, pending.Entry{Does: pending.Remove, Name: "List"}, nil},
		"both add":                     {add, with(add, "New", "other"), []string{"b would add it, too (" + at + ")"}},
		"both add in one way":          {add, add, nil},
		"one modifies what one adds":   {with(modify, "New", "m"), add, nil},
		"one adds what one modifies":   {add, with(modify, "New", "m"), nil},
		"modifies what is not there":   {with(modify, "Gone", "m"), add, []string{"no document defines it"}},
		"removes what is not there":    {pending.Entry{Does: pending.Remove, Name: "Gone"}, add, []string{"no document defines it"}},
		"adds what is there":           {with(add, "Show", "other"), add, []string{"the documents define it with another text"}},
		"renames to what is there":     {pending.Entry{Does: pending.Rename, Name: "List", To: "Taken"}, add, []string{"the documents define cli/Taken already"}},
		"renames to what is added":     {pending.Entry{Does: pending.Rename, Name: "List", To: "New"}, add, []string{"b would add it, too (" + at + ")"}},
		"both rename in one way":       {pending.Entry{Does: pending.Rename, Name: "List", To: "New"}, pending.Entry{Does: pending.Rename, Name: "List", To: "New"}, nil},
		"both rename":                  {pending.Entry{Does: pending.Rename, Name: "List", To: "New"}, pending.Entry{Does: pending.Rename, Name: "List", To: "Other"}, []string{"b would rename it, too (" + at + ")"}},
		"one modifies what is renamed": {modify, pending.Entry{Does: pending.Rename, Name: "List", To: "New"}, []string{"b would rename it, too (" + at + ")"}},
		"others":                       {modify, with(modify, "Show", "other"), nil},
	} {
		open := pending.Of([]pending.Delta{delta("a", "cli", c.a), delta("b", "cli", c.b)}, qualify.Families, texts)
		require.Equal(t, c.want, conflictsOf(open)["a "+c.a.Does+" cli/"+c.a.Name], name)
	}
}

func TestAChangeDoesNotStandAgainstItself(t *testing.T) {
	open := pending.Of([]pending.Delta{delta("a", "cli",
		pending.Entry{Does: pending.Rename, Name: "List", To: "Lines"},
		pending.Entry{Does: pending.Modify, Name: "Lines", Fingerprint: "m"})},
		qualify.Families, known(map[string]string{"cli/List": "t"}))
	require.Equal(t, map[string][]string{"a rename cli/List": nil, "a modify cli/List": nil}, conflictsOf(open),
		"what is modified under its new name is the requirement that is renamed")
	require.Len(t, open.On("cli/List"), 2)
	require.Len(t, open.On("cli/Lines"), 1)
	require.Equal(t, "2", open.Summary())
}

// A change may be taken over into the documents before it is put into the archive.
func TestWhatWasMadeIsKnown(t *testing.T) {
	deltas := []pending.Delta{delta("a", "cli",
		pending.Entry{Does: pending.Rename, Name: "List", To: "Lines"},
		pending.Entry{Does: pending.Modify, Name: "Lines", Fingerprint: "m"},
		pending.Entry{Does: pending.Remove, Name: "Print"},
		pending.Entry{Does: pending.Add, Name: "New", Fingerprint: "n"})}
	applied := func(texts map[string]string, once ...string) (all []string) {
		open := pending.Of(deltas, qualify.Families, func(id string) (string, bool) {
			text, defined := texts[id]
			if slices.Contains(once, id) {
				text = "retired"
			}
			return text, defined
		})
		for _, p := range open.Proposals {
			if p.Applied {
				require.Empty(t, p.Conflicts, p.Requirement)
				all = append(all, p.Does+" "+p.Requirement)
			}
		}
		return all
	}
	require.Empty(t, applied(map[string]string{"cli/List": "t", "cli/Print": "p"}))
	require.Equal(t, []string{"rename cli/List", "modify cli/Lines", "remove cli/Print", "add cli/New"},
		applied(map[string]string{"cli/Lines": "m", "cli/New": "n"}, "cli/List", "cli/Print"))
	require.Equal(t, []string{"rename cli/List"}, applied(map[string]string{"cli/Lines": "t", "cli/New": "other"}),
		"what never was cannot have been removed")
}

func TestIdsHaveTheFormOfTheProject(t *testing.T) {
	deltas := []pending.Delta{delta("a", "client/cli", pending.Entry{Does: pending.Modify, Name: "List", Fingerprint: "t"})}
	for form, id := range map[string]string{qualify.Families: "client/cli/List", qualify.Folder: "client/cli/List", qualify.None: "List"} {
		open := pending.Of(deltas, form, known(map[string]string{id: "t"}))
		require.Equal(t, id, open.Proposals[0].Requirement)
		require.True(t, open.Proposals[0].Applied, "the documents have the text already")
		require.Empty(t, open.Proposals[0].Conflicts)
	}
	require.Nil(t, pending.Of(nil, qualify.None, nil))
	require.Empty(t, (*pending.Open)(nil).On("List"))
}

func TestNoMoreThanAFewAreNamed(t *testing.T) {
	var deltas []pending.Delta
	for i := range 100 {
		deltas = append(deltas, delta(fmt.Sprintf("c%d", i), "cli", pending.Entry{Does: pending.Modify, Name: "List", Fingerprint: fmt.Sprint(i)}))
	}
	open := pending.Of(deltas, qualify.Families, known(map[string]string{"cli/List": "t"}))
	require.Len(t, open.Proposals[0].Conflicts, 6)
	require.Equal(t, "94 more changes stand against it", open.Proposals[0].Conflicts[5])
	require.Equal(t, "100, of which 100 in conflict", open.Summary())
}

func TestARecordHasWhatChanged(t *testing.T) {
	one, two := delta("a", "cli", pending.Entry{Does: pending.Add, Name: "New"}), delta("b", "cli")
	other := one
	other.SHA256 = "00"
	for name, c := range map[string]struct{ before, now, want []pending.Delta }{
		"nothing":        {nil, nil, nil},
		"the same":       {[]pending.Delta{one, two}, []pending.Delta{one, two}, nil},
		"the first":      {nil, []pending.Delta{one}, []pending.Delta{one}},
		"one more":       {[]pending.Delta{one}, []pending.Delta{one, two}, []pending.Delta{{Change: "a", Path: one.Path, Same: true}, two}},
		"another text":   {[]pending.Delta{one}, []pending.Delta{other}, []pending.Delta{other}},
		"none any more":  {[]pending.Delta{one}, nil, []pending.Delta{}},
		"in other order": {[]pending.Delta{one, two}, []pending.Delta{two, one}, []pending.Delta{{Change: "b", Path: two.Path, Same: true}, {Change: "a", Path: one.Path, Same: true}}},
	} {
		changes := pending.Changes(c.before, c.now)
		require.Equal(t, c.want, changes, name)
		after, err := pending.Apply(c.before, changes)
		require.NoError(t, err, name)
		require.Equal(t, c.now, after, name)
	}
	_, err := pending.Apply(nil, []pending.Delta{{Path: "x", Same: true}})
	require.ErrorContains(t, err, "it says that x proposes what it did")
}
