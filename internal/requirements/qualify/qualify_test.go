package qualify

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// Verifies: ORC-145

func TestTheFolderOfADocument(t *testing.T) {
	for _, c := range []struct{ form, file, want string }{
		{Families, "openspec/specs/cli-list/spec.md", "cli-list"},
		{Families, "openspec/specs/client/cli-list/spec.md", "client/cli-list"},
		{Families, "openspec/changes/add-json/specs/cli-list/spec.md", "cli-list"},
		{Families, "openspec/changes/archive/2026-01-02-x/specs/cli-list/spec.md", "cli-list"},
		{Families, "openspec/specs/specs/spec.md", "specs"},
		{Families, ".kiro/specs/login/requirements.md", "login"},
		{Families, "apps/web/.kiro/specs/login/requirements.md", "login"},
		{Families, "specs/003-command-timeout/spec.md", "003-command-timeout"},
		{Families, "/srv/shop/specs/003-command-timeout/spec.md", "003-command-timeout"},
		{Families, "../shop/./specs/003-command-timeout/spec.md", "003-command-timeout"},
		{Families, "specs/003-command-timeout/plan.md", ""},
		{Families, "specs/login/spec.md", ""},
		{Families, "specs/login/requirements.md", ""},
		{Families, "openspec/specs/spec.md", ""},
		{Families, "openspec/project.md", ""},
		{Families, "docs/REQUIREMENTS.md", ""},
		{Families, "REQUIREMENTS.md", ""},
		{Folder, "specs/login/requirements.md", "login"},
		{Folder, "packages/shop/docs/REQUIREMENTS.md", "packages/shop/docs"},
		{Folder, "REQUIREMENTS.md", ""},
		{Folder, "../REQUIREMENTS.md", ""},
		{Folder, "../../REQUIREMENTS.md", ""},
		{Folder, "../shop/REQUIREMENTS.md", "shop"},
		{Folder, "/srv/shop/REQUIREMENTS.md", "shop"},
		{Folder, "/REQUIREMENTS.md", ""},
		{None, "openspec/specs/cli-list/spec.md", ""},
	} {
		require.Equal(t, c.want, FolderOf(c.form, c.file, false), "%s %s", c.form, c.file)
	}
	require.Equal(t, "login", FolderOf(Families, "specs/login/spec.md", true), "its family numbers per folder")
	require.Empty(t, FolderOf(Families, "docs/spec.md", true), "it lies in no such folder")
	require.True(t, PerFolder("openspec") && PerFolder("spec-kit") && PerFolder("kiro"))
	require.False(t, PerFolder("gsd") || PerFolder("markdown") || PerFolder(""))
}

func TestWholeAndShort(t *testing.T) {
	for _, c := range []struct{ folder, file, id, whole string }{
		{"cli-list", "openspec/specs/cli-list/spec.md", "Output Format", "cli-list/Output Format"},
		{"client/cli-list", "openspec/specs/client/cli-list/spec.md", "Read/Write", "client/cli-list/Read/Write"},
		{"docs", "docs/R.md", "FR-1", "docs/FR-1"},
		{"", "R.md", "FR-1", "FR-1"},
	} {
		require.Equal(t, c.whole, Whole(c.folder, c.id))
		require.Equal(t, c.id, Short(c.whole, c.file))
	}
	require.Equal(t, "other/FR-1", Short("other/FR-1", "specs/login/spec.md"), "the id has another folder")
	require.Equal(t, "login/", Short("login/", "specs/login/spec.md"), "nothing is left of it")
}

func TestShortFormsAreUniqueOrName(t *testing.T) {
	names := NamesOf([]One{
		{ID: "b/FR-1", Path: "specs/b/spec.md"}, {ID: "a/FR-1", Path: "specs/a/spec.md"}, {ID: "a/FR-2", Path: "specs/a/spec.md"},
		{ID: "FR-3", Path: "R.md"}, {ID: "a/FR-3", Path: "specs/a/spec.md"},
		{ID: "old/FR-2", Path: "specs/old/spec.md", Retired: true}, {ID: "old/FR-9", Path: "specs/old/spec.md", Retired: true},
	})
	for name, want := range map[string][]string{
		"FR-1": {"a/FR-1", "b/FR-1"}, "FR-2": {"a/FR-2"}, "a/FR-2": {"a/FR-2"}, "old/FR-2": {"old/FR-2"},
		"FR-3": {"FR-3", "a/FR-3"}, "./FR-3": {"FR-3"}, "./FR-1": nil, "./a/FR-2": nil, "a/FR-3": {"a/FR-3"},
		"FR-9": {"old/FR-9"}, "FR-4": nil, "a": nil, "": nil,
	} {
		require.Equal(t, want, names.Meant(name), name)
	}
	require.Equal(t, map[string][]string{"FR-1": {"a/FR-1", "b/FR-1"}, "FR-2": {"a/FR-2"}, "FR-3": {"FR-3", "a/FR-3"},
		"FR-9": {"old/FR-9"}}, names.Shorts())
	require.True(t, names.Shared("FR-3") && names.Is("FR-3") && !names.Shared("FR-1") && !names.Is("FR-1"))
	alone := NamesOf([]One{{ID: "FR-3", Path: "R.md"}, {ID: "a/FR-3", Path: "specs/a/spec.md", Retired: true}})
	require.Equal(t, []string{"FR-3"}, alone.Meant("FR-3"), "the other one is retired")
}

// Verifies: ORC-146

func TestTheFormOnRecordDecides(t *testing.T) {
	for _, c := range []struct {
		asked, onRecord string
		imported        bool
		want            string
		refused         bool
	}{
		{"", "", false, Families, false},
		{Folder, "", false, Folder, false},
		{None, "", false, None, false},
		{"", "", true, None, false}, // an older project
		{None, "", true, None, false},
		{Folder, "", true, None, true},
		{"", Families, true, Families, false},
		{Folder, None, false, None, true}, // the record goes before what is asked for
		{None, Families, true, Families, true},
		{Folder, Families, true, Families, true},
		{Folder, Folder, true, Folder, false},
	} {
		require.Equal(t, c.want, InForce(c.asked, c.onRecord, c.imported), "%+v", c)
		err := Agree(c.asked, c.onRecord, c.imported)
		require.Equal(t, c.refused, fault.Is(err, CodeOnRecord), "%+v", c)
		if c.refused {
			require.Contains(t, fault.As(err).Fix, "orchestrator rename --qualify "+c.asked)
		}
	}
	require.True(t, fault.Is(Agree("path", "", false), "unknown_qualification"))
}

// TestIDsInAnotherForm: there and back they are as they were.
func TestIDsInAnotherForm(t *testing.T) {
	as := func(ids ...string) []Defined {
		return []Defined{{ids[0], "specs/login/spec.md", "spec-kit"}, {ids[1], "specs/login/spec.md", "markdown"},
			{ids[2], "docs/R.md", "markdown"}, {ids[3], "R.md", "kiro"}}
	}
	none := []string{"FR-1", "X-1", "REQ-1", "1"}
	families := []string{"login/FR-1", "login/X-1", "REQ-1", "1"}
	folder := []string{"login/FR-1", "login/X-1", "docs/REQ-1", "1"}
	for _, ids := range [][]string{none, families, folder} {
		require.Equal(t, none, InForm(None, as(ids...)))
		require.Equal(t, families, InForm(Families, as(ids...)))
		require.Equal(t, folder, InForm(Folder, as(ids...)))
	}
}

// Verifies: ORC-175

func TestFormerIDsNameWhatHadThem(t *testing.T) {
	names := NamesOf([]One{
		{ID: "NEW", Path: "R.md", Former: []string{"OLD", "FR-3", "a/FR-1"}},
		{ID: "a/FR-1", Path: "specs/a/spec.md"}, {ID: "a/FR-3", Path: "specs/a/spec.md"},
		{ID: "LATER", Path: "R.md", Former: []string{"TWICE", "TWICE"}}, {ID: "FIRST", Path: "R.md", Former: []string{"TWICE"}},
	})
	require.Equal(t, []string{"NEW"}, names.Meant("OLD"))
	require.Equal(t, []string{"FIRST", "LATER"}, names.Meant("TWICE"), "both had it")
	require.Equal(t, []string{"a/FR-1"}, names.Meant("a/FR-1"), "a requirement has it")
	require.Equal(t, []string{"a/FR-3"}, names.Meant("FR-3"), "it is a short form")
}
