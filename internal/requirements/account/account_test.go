package account

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/reqdoc"
)

func read(t *testing.T, documents ...string) []Document {
	t.Helper()
	var files []reqdoc.File
	for i, d := range documents {
		files = append(files, reqdoc.File{Path: fmt.Sprintf("%c.md", 'a'+i), Content: []byte(d)})
	}
	set, err := reqdoc.Read(files, reqdoc.Options{})
	require.NoError(t, err)
	return Of(set)
}

const half = `# Desk

- **FR-1**: Keep parcels.
- **SHA-256**: digests
- FR-5 Sort parcels.
- **FR-2**: Give parcels out.

Total: 3 requirements
`

func TestOfCountsWhatWasNotRead(t *testing.T) {
	all := read(t, half, "# Notes\n\nNothing.\n", "- **G-1**: one\n- **G-1**: one\n")
	require.Equal(t, Counts{Rows: 3, Read: 2, Skipped: 2, Totals: 1}, all[0].Counts)
	require.Equal(t, 1, all[0].Missed())
	require.Equal(t, Counts{Empty: 1}, all[1].Counts)
	require.Equal(t, 1, all[2].Warnings, "it stands there twice")
	require.Equal(t, Counts{Rows: 5, Read: 4, Skipped: 2, Totals: 1, Empty: 1, Warnings: 1}, Sum(all))
	require.Equal(t, "4 of 5 rows that look like requirements were read, stated totals that differ: 1, documents of which nothing was read: 1",
		Sum(all).String())
	for lacks, c := range map[bool]Counts{true: {Rows: 3, Read: 2}, false: {Rows: 2, Read: 2, Skipped: 5, Warnings: 1}} {
		require.Equal(t, lacks, c.Lacks())
	}
	require.True(t, Counts{Totals: 1}.Lacks())
	require.True(t, Counts{Empty: 1}.Lacks())
	var remarks []string
	for _, d := range all {
		for _, r := range d.Remarks {
			remarks = append(remarks, fmt.Sprintf("%s:%d %s %s", d.Path, r.Line, r.Reason, r.Excerpt))
		}
	}
	require.Equal(t, []string{"a.md:5 near_miss - FR-5 Sort parcels.", "a.md:8 total Total: 3 requirements",
		"a.md:4 unrelated - **SHA-256**: digests", "b.md:1 empty # Notes", "c.md:2 repeated - **G-1**: one"}, remarks, "what matters most stands first")
	require.Contains(t, all[0].Remarks[0].Message, "FR-5 was not taken")
	require.NotEmpty(t, all[0].Remarks[0].Fix)
}

// Verifies: ORC-120
func TestRemarksAreBounded(t *testing.T) {
	many := "# Desk\n\n- **FR-1**: Keep.\n"
	for n := range 300 {
		many += fmt.Sprintf("- FR-%d %s\n", n+2, strings.Repeat("ж", 500))
	}
	documents := make([]string, 12)
	for i := range documents {
		documents[i] = strings.ReplaceAll(many, "FR-", fmt.Sprintf("F%c-", 'A'+i))
	}
	all := read(t, documents...)
	for i, d := range all {
		want := MaxRemarks
		if i >= maxAll/MaxRemarks {
			want = 0
		}
		require.Len(t, d.Remarks, want)
		require.Equal(t, 300-want, d.More)
		require.Equal(t, Counts{Rows: 301, Read: 1, Skipped: 300}, d.Counts, "all of them are counted")
		for _, r := range d.Remarks {
			require.LessOrEqual(t, len(r.Excerpt), maxText+len("…"))
		}
	}
}

// Verifies: ORC-120
func TestNoSecretIsKept(t *testing.T) {
	key := "AK" + "IAIOSFODNN7EXAMPLE"
	all := read(t, "- **FR-1**: Keep.\n- FR-2 the key "+key+" opens it\n")
	raw, err := json.Marshal(all)
	require.NoError(t, err)
	require.NotContains(t, string(raw), key)
	require.Contains(t, all[0].Remarks[0].Excerpt, "[masked ")
}

// What a record keeps of accounts amounts to the accounts, whatever came before.
func TestChangesAmountToTheAccounts(t *testing.T) {
	one, two, other := read(t, half), read(t, half, "- **FR-7**: Seven.\n"), read(t, "- **FR-1**: Keep.\n")
	origin := map[string]Origin{"a.md": {Commit: "c", At: time.Unix(1, 0).UTC()}}
	for _, before := range [][]Document{nil, one, two, other, Settle(nil, one, origin)} {
		for _, now := range [][]Document{one, two, other, {}, nil} {
			now = Settle(before, now, nil)
			raw, err := json.Marshal(struct {
				Read []Document `json:"read,omitzero"`
			}{Changes(before, now)})
			require.NoError(t, err)
			var kept struct {
				Read []Document `json:"read"`
			}
			require.NoError(t, json.Unmarshal(raw, &kept), "as a record keeps it")
			got, err := Apply(before, kept.Read)
			require.NoError(t, err)
			require.Len(t, got, len(now))
			for i := range now {
				require.Equal(t, now[i], got[i])
			}
		}
	}
	require.Nil(t, Changes(one, one))
	require.Nil(t, Changes([]Document{}, nil), "none are none, however they are written")
	require.Equal(t, []Document{{Path: "a.md"}, two[1]}, Changes(one, two), "what is as before is named alone")
	_, err := Apply(nil, []Document{{Path: "a.md"}})
	require.ErrorContains(t, err, "was not read before")
}

// What was not read of the documents that a delta changes is not forgotten with it; earlier deltas are.
func TestBeside(t *testing.T) {
	before := []Document{{Path: "a.md"}, {Path: "b.md"}, {Path: "old.md", Delta: true}}
	deltas := []Document{{Path: "b.md", SHA256: "new"}, {Path: "new.md", Delta: true}}
	require.Equal(t, []Document{{Path: "a.md"}, deltas[0], deltas[1]}, Beside(before, deltas))
	require.Len(t, before, 3)
	require.Equal(t, "old.md", before[2].Path)
}

func TestTold(t *testing.T) {
	silent, said := Document{Path: "a.md", Counts: Counts{Rows: 1, Read: 1}}, Document{Path: "b.md", Counts: Counts{Rows: 2, Read: 1}}
	require.Equal(t, []Document{said}, Told(nil, []Document{silent, said}))
	require.Equal(t, []Document{silent}, Told([]Document{{Path: "a.md"}}, []Document{silent}), "it is mended")
}

func TestSettleKeepsTheOriginOfTheSameBytes(t *testing.T) {
	one := read(t, half)
	before := Settle(nil, one, map[string]Origin{"a.md": {Commit: "c"}})
	require.Equal(t, "c", before[0].Origin.Commit)
	later := map[string]Origin{"a.md": {Uncommitted: true}}
	require.Equal(t, before, Settle(before, one, later))
	require.Equal(t, &Origin{Uncommitted: true}, Settle(before, read(t, half+"\nMore.\n"), later)[0].Origin)
	require.Nil(t, Settle(before, read(t, half+"\nMore.\n"), nil)[0].Origin, "it is not known")
}
