package deltas_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/deltas"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/requirements/reqdoc"
)

const whole = `## ADDED Requirements

### Requirement: Export
The system SHALL export.

#### Scenario: As CSV
- **WHEN** asked
- **THEN** it exports

## MODIFIED Requirements

### Requirement: List
The system SHALL list all.

## REMOVED Requirements

### Requirement: Print
**Reason**: nobody does.

## RENAMED Requirements

- FROM: ` + "`### Requirement: Show`" + `
- TO: ` + "`### Requirement: Display`" + `
`

func of(contents ...string) (files []reqdoc.File) {
	for i, content := range contents {
		files = append(files, reqdoc.File{Path: fmt.Sprintf("openspec/changes/c%d/specs/cli/spec.md", i), Content: []byte(content),
			Change: fmt.Sprintf("c%d", i)})
	}
	return files
}

func TestEveryChangeOfADeltaIsRead(t *testing.T) {
	all := deltas.Read(append(of(whole), reqdoc.File{Path: "openspec/specs/cli/spec.md", Content: []byte("# A document")}))
	require.Len(t, all, 1)
	require.Equal(t, "c0", all[0].Change)
	require.Len(t, all[0].SHA256, 64)
	require.Empty(t, all[0].Remarks)
	fingerprints := 0
	for i := range all[0].Entries {
		if all[0].Entries[i].Fingerprint != "" {
			fingerprints++
			all[0].Entries[i].Fingerprint = ""
		}
	}
	require.Equal(t, 2, fingerprints)
	require.Equal(t, []pending.Entry{
		{Does: pending.Add, Name: "Export", Line: 3}, {Does: pending.Modify, Name: "List", Line: 12},
		{Does: pending.Remove, Name: "Print", Line: 17}, {Does: pending.Rename, Name: "Show", To: "Display", Line: 22},
	}, all[0].Entries)
}

// A file with faults proposes nothing, or less, and keeps nothing from being imported.
func TestFaultsAreRemarks(t *testing.T) {
	for content, want := range map[string]string{
		"\xff":                  "is not valid UTF-8",
		"# Notes\n\nNothing.\n": "it proposes nothing: it has no section such as ADDED Requirements",
		"## ADDED Requirements\n\n### Requirement: A\none\n\n### Requirement: A\ntwo\n":     `two deltas change "A" in two ways, on line 3 and on line 6`,
		"## ADDED Requirements\n\n### Requirement: <!-- requirement name -->\n<!-- t -->\n": "",
		"## RENAMED Requirements\n\nnothing\n":                                              "no renaming was read below this heading",
	} {
		d := deltas.Read(of(content))[0]
		require.NotEmpty(t, d.Remarks, content)
		require.Contains(t, d.Remarks[0].Message, want, content)
		require.NotEmpty(t, d.Remarks[0].Fix, content)
		require.Nil(t, d.Entries, content)
	}
	d := deltas.Read([]reqdoc.File{{Path: "x", Change: "c", Unread: "it is a symbolic link that leads out of /p"}})[0]
	require.Equal(t, "it is a symbolic link that leads out of /p", d.Remarks[0].Message)
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	var long strings.Builder
	long.WriteString("## REMOVED Requirements\n\n")
	for i := range 2_500 {
		fmt.Fprintf(&long, "- `### Requirement: R%d`\n", i)
	}
	all := deltas.Read(of(long.String(), whole))
	require.Len(t, all[0].Entries, 2_000)
	require.Equal(t, 500, all[0].More)
	require.Empty(t, all[1].Entries)
	require.Equal(t, 4, all[1].More)

	long.Reset()
	long.WriteString("## ADDED Requirements\n\n")
	for range 50 {
		long.WriteString("### Requirement – A name\nx\n\n")
	}
	d := deltas.Read(of(long.String()))[0]
	require.Len(t, d.Remarks, 20)
	require.Positive(t, d.More)
}

func TestSecretsAreNotKept(t *testing.T) {
	d := deltas.Read(of("## ADDED Requirements\n\n### Requirement: Use ghp_0123456789abcdefghijABCDEFGHIJ012345\nx\n"))[0]
	require.Empty(t, d.Entries)
	require.NotContains(t, fmt.Sprint(d), "ghp_0123456789")
}
