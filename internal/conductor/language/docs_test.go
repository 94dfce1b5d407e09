package language

import (
	"flag"
	"orchestrator/internal/rules/lifecycle"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the tables of docs/conductor-language.md anew")

const handbook = "../../../docs/conductor-language.md"

// section is a text with what stands between the marks of a name replaced.
func section(t *testing.T, text, name, inside string) string {
	t.Helper()
	begin, end := "<!-- "+name+": made from the code -->\n", "<!-- end of "+name+" -->"
	before, rest, found := strings.Cut(text, begin)
	require.True(t, found, begin)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found, end)
	return before + begin + "\n" + inside + "\n" + end + after
}

// cell is a text in a table of Markdown.
func cell(s string) string { return "`" + strings.ReplaceAll(s, "|", `\|`) + "`" }

func cells(all []string, each func(string) string) string {
	var b []string
	for _, s := range all {
		b = append(b, cell(each(s)))
	}
	return strings.Join(b, "<br>")
}

// Verifies: ORC-285
func TestTheHandbookHasTheForms(t *testing.T) {
	formTable := "| for example | all ways to say it | obligation | roles |\n| --- | --- | --- | --- |\n"
	for i, k := range Forms(moment) {
		roles := make([]string, len(k.Roles))
		for i, role := range k.Roles {
			roles[i] = string(role)
		}
		who := strings.Join(roles, ", ")
		if len(roles) == len(lifecycle.Roles()) {
			who = "all"
		}
		formTable += "| " + cell(k.Example) + " | " + cells(forms[i].Say, shown) + " | " + cell(forms[i].name()) + " | " + who + " |\n"
	}
	clauseTable := ""
	for _, say := range clauses {
		clauseTable += "- `" + shown(say) + "`\n"
	}
	is, err := os.ReadFile(handbook)
	require.NoError(t, err)
	want := section(t, section(t, string(is), "forms", formTable), "clauses", clauseTable)
	if *update {
		require.NoError(t, os.WriteFile(handbook, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(is), "run: go test ./internal/conductor/language -run Handbook -update")
}
