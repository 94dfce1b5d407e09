package reqdoc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/qualify"
)

// Verifies: ORC-145

func file(path, content string) File { return File{Path: path, Content: []byte(content)} }

func definedIDs(set Set) (ids []string) {
	for _, r := range set.Requirements {
		ids = append(ids, r.ID)
	}
	return ids
}

const (
	outputFormat = "# List\n\n### Requirement: Output Format\nThe list SHALL be a table.\n"
	feature      = "# Feature Specification: Timeout\n\n**Feature Branch**: `003`\n\n- **FR-001**: It stops.\n"
	kiroLogin    = "# Login\n\n### Requirement 1: Log in\nA user can log in.\n"
)

func TestIDsBeginWithTheirFolder(t *testing.T) {
	files := []File{
		file("openspec/specs/cli-list/spec.md", outputFormat),
		file("openspec/specs/cli-show/spec.md", strings.Replace(outputFormat, "a table", "JSON", 1)),
		file("specs/003-command-timeout/spec.md", feature),
		file("specs/004-retries/spec.md", strings.Replace(feature, "stops", "goes on", 1)),
		file(".kiro/specs/login/requirements.md", kiroLogin),
		file("docs/R.md", "# Docs\n\n- **REQ-001**: One.\n"),
	}
	set, err := Read(files, Options{})
	require.NoError(t, err)
	require.Equal(t, qualify.Families, set.Qualify)
	require.Equal(t, []string{"cli-list/Output Format", "cli-show/Output Format", "003-command-timeout/FR-001",
		"004-retries/FR-001", "login/1", "REQ-001"}, definedIDs(set))
	require.Equal(t, "Output Format", set.Requirements[0].Title)

	set, err = Read(files, Options{Qualify: qualify.Folder})
	require.NoError(t, err)
	require.Equal(t, "docs/REQ-001", set.Requirements[5].ID)

	_, err = Read(files, Options{Qualify: qualify.None})
	require.ErrorIs(t, err, fault.Invalid)
	require.Len(t, fault.As(err).Fields, 2, "two names are defined twice")
	require.Equal(t, "let ids begin with the folder of their document: --qualify folder", fault.As(err).Fields[0].Fix)
	_, err = Read(files, Options{Qualify: qualify.None, InForce: map[string]bool{"REQUIREMENTS.md": true}})
	require.Contains(t, fault.As(err).Fields[0].Fix, "orchestrator rename --qualify folder")
}

func TestTheFingerprintHasNoFolder(t *testing.T) {
	files := []File{file("openspec/specs/cli-list/spec.md", outputFormat)}
	whole, err := Read(files, Options{})
	require.NoError(t, err)
	short, err := Read(files, Options{Qualify: qualify.None})
	require.NoError(t, err)
	require.Equal(t, short.Requirements[0].Fingerprint, whole.Requirements[0].Fingerprint)
}

// TestNearlyTheSameIsNearInOneFolder: ids of two folders are never taken for one another for what stands behind it.
func TestNearlyTheSameIsNearInOneFolder(t *testing.T) {
	read := func(one, other string) error {
		_, err := Read([]File{
			file("specs/001-a/spec.md", "# A\n\n- **FR-001**: One.\n- **"+one+"**: Two.\n"),
			file("specs/002-b/spec.md", "# B\n\n- **"+other+"**: Three.\n"),
		}, Options{})
		return err
	}
	require.NoError(t, read("FR-002", "FR-01"))
	err := read("FR001", "FR-01")
	require.Error(t, err)
	require.Contains(t, fault.As(err).Fields[0].Detail, "001-a/FR001 on line 4 is nearly 001-a/FR-001 on line 3")
	require.Error(t, read("FR-01", "FR-1"))
}

func TestAnIDThatIsTooLongWithItsFolder(t *testing.T) {
	refused := func(folder, name string) fault.Field {
		t.Helper()
		_, err := Read([]File{file("openspec/specs/"+folder+"/spec.md", "# X\n\n### Requirement: "+name+"\nText.\n")}, Options{})
		require.ErrorIs(t, err, fault.Invalid)
		require.Len(t, fault.As(err).Fields, 1)
		return fault.As(err).Fields[0]
	}
	long := refused("cli-list", strings.Repeat("n", 120))
	require.Equal(t, "openspec/specs/cli-list/spec.md#L3", long.Pointer)
	require.Contains(t, long.Detail, "129 characters together with its folder cli-list, and an id has at most 128")
	require.Contains(t, long.Fix, "to 119 characters")
	require.Equal(t, "give the folder a shorter name", refused(strings.Repeat("f", 100), strings.Repeat("n", 40)).Fix)
	odd := refused("list\u2013all", "Name")
	require.Contains(t, odd.Detail, `together with its folder "list–all"`)
	require.Equal(t, "rename the folder", odd.Fix)

	_, err := Read([]File{file("openspec/specs/cli-list/spec.md", "# X\n\n### Requirement: "+strings.Repeat("n", 119)+"\nText.\n")},
		Options{})
	require.NoError(t, err)
}

func TestDeltasNameWhatTheirFolderHas(t *testing.T) {
	spec := file("openspec/specs/cli-list/spec.md", outputFormat+"\n### Requirement: Sorting\nSorted.\n\n### Requirement: Paging\nPaged.\n")
	other := file("openspec/specs/cli-show/spec.md", outputFormat)
	delta := file("openspec/changes/json/specs/cli-list/spec.md", "## MODIFIED Requirements\n\n### Requirement: Output Format\nJSON.\n\n"+
		"## REMOVED Requirements\n\n### Requirement: Sorting\n\n## RENAMED Requirements\n\n"+
		"- FROM: `### Requirement: Paging`\n- TO: `### Requirement: Pages`\n")
	set, err := Read([]File{spec, other, delta}, Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"cli-list/Output Format", "cli-list/Pages", "cli-show/Output Format"}, definedIDs(set))
	require.Equal(t, "JSON.", set.Requirements[0].Text)
	require.Equal(t, "Pages", set.Requirements[1].Title)
	require.Equal(t, "cli-list/Sorting", set.Removed[0].ID)
	require.Empty(t, set.Warnings)

	set, err = Read([]File{delta}, Options{})
	require.NoError(t, err)
	require.Equal(t, "cli-list/Output Format", set.Requirements[0].ID)
	require.Equal(t, "cli-list/Paging", set.Renamed[0].From)
}

func TestLinksResolveInTheirFolderFirst(t *testing.T) {
	oft := func(id, needs string) string {
		return "# X\n\n`req~" + id + "~1`\n\nText of " + id + ".\n\nCovers:\n\n- `req~" + needs + "~1`\n"
	}
	read := func(needs string) Set {
		set, err := Read([]File{
			file("specs/a/spec.md", oft("one", needs)+"\n`req~two~1`\n\nOf a.\n"),
			file("specs/b/spec.md", oft("three", "four")+"\n`req~two~1`\n\nOf b.\n\n`req~four~1`\n\nOf b too.\n"),
			file("specs/c/spec.md", "`req~four~1`\n\nOf c.\n"),
		}, Options{Qualify: qualify.Folder})
		require.NoError(t, err)
		return set
	}
	set := read("two")
	require.Equal(t, []string{"a/req~two~1"}, set.Requirements[0].Parents)
	require.Empty(t, set.Warnings)
	require.Equal(t, []string{"b/req~three~1"}, read("three").Requirements[0].Parents, "the only one")

	set = read("four")
	require.Equal(t, []string{"req~four~1"}, set.Requirements[0].Parents)
	require.Len(t, set.Warnings, 1)
	require.Contains(t, set.Warnings[0].Message, "could be b/req~four~1, c/req~four~1")
}
