package reqdoc

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestEveryRowIsAccountedFor: what looks like a requirement was read, or is listed with line, reason and text.
func TestEveryRowIsAccountedFor(t *testing.T) {
	const src = `# Desk

- **FR-1**: Keep parcels.
- **FR-2**: [what it does]
- **FR-3**: Give parcels out.
- fr-4: Count parcels.
- FR-5 Sort parcels.
- **SHA-256**: digests

~~~
**FR-6** in code
~~~

- [FR-7](seven.md): elsewhere
- **FR-3**: Give parcels out.

Total: 7 requirements
`
	set, err := Read(files(src, "# Notes\n\nNothing here.\n"), Options{})
	require.NoError(t, err)
	require.Equal(t, "FR-1 | FR-3", ids(set.Requirements))
	require.Equal(t, []int{3, 0}, []int{set.Documents[0].Found, set.Documents[1].Found}, "FR-3 is there twice")
	require.Equal(t, []int{5, 0}, []int{set.Documents[0].Rows, set.Documents[1].Rows})
	require.Equal(t, `a.md:4 placeholder "- **FR-2**: [what it does]"
a.md:6 near_miss "- fr-4: Count parcels."
a.md:7 near_miss "- FR-5 Sort parcels."
a.md:8 unrelated "- **SHA-256**: digests"
a.md:11 hidden "**FR-6** in code"
a.md:14 reference "- [FR-7](seven.md): elsewhere"
a.md:17 total "Total: 7 requirements"
b.md:1 empty "# Notes"
a.md:15 repeated "- **FR-3**: Give parcels out."`, reasons(append(set.Skipped, set.Warnings...)))
}

func reasons(problems []Problem) string {
	var list []string
	for _, p := range problems {
		list = append(list, fmt.Sprintf("%s %s %q", p.Place, p.Reason, p.Excerpt))
	}
	return strings.Join(list, "\n")
}

func TestExcerptsAreShort(t *testing.T) {
	set, err := readOne([]byte("- FR-1 " + strings.Repeat("ж", 5_000)))
	require.NoError(t, err)
	require.Len(t, []rune(set.Skipped[0].Excerpt), maxExcerpt+1, "and an ellipsis")
	require.True(t, utf8.ValidString(set.Skipped[0].Excerpt))
}
