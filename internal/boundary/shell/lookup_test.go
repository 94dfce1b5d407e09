package shell

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/boundary/shell/lists"
	"orchestrator/internal/boundary/shell/toolchain"
)

// An option is found as if the entries of the table were looked at one by one.
func TestOptionsAreFoundInOrder(t *testing.T) {
	tables := []string{"", "n", "n:", "no:> n --no=", gitOptions, lessOptions, pythonOptions, awkOptions}
	for _, r := range append(toolchain.Rows(), toolchain.SteeringRows()...) {
		tables = append(tables, r.Opts)
	}
	for _, r := range append(writers, sometimes...) {
		tables = append(tables, r.opts)
	}
	oneByOne := func(table, name string) (close option) {
		for entry := range strings.SplitSeq(table, " ") {
			spelled := strings.TrimRight(entry, optionMarks+":=")
			exact := spelled == name
			if entry == "" || !exact && !(strings.HasPrefix(name, "--") && len(name) > 2 && strings.HasPrefix(spelled, name)) {
				continue
			}
			o := option{found: true}
			for _, c := range []byte(entry[len(spelled):]) {
				if c == ':' || c == '=' {
					o.takes = c
				} else {
					o.mark = c
				}
			}
			if exact {
				return o
			}
			if !close.found || o.mark != 0 {
				close = o
			}
		}
		return close
	}
	require.False(t, find("n e:", "n e").found, "no entry has a space")
	rapid.Check(t, func(t *rapid.T) {
		table := rapid.SampledFrom(tables).Draw(t, "table")
		name := rapid.SampledFrom([]string{"-", "--", " ", "=", "--zz", "n e", "\xc3"}).Draw(t, "odd")
		if words := strings.Fields(table); len(words) > 0 && rapid.Bool().Draw(t, "known") {
			name = strings.TrimRight(rapid.SampledFrom(words).Draw(t, "word"), optionMarks+":=")
			name = name[:rapid.IntRange(1, len(name)).Draw(t, "length")]
		}
		require.Equal(t, oneByOne(table, name), find(table, name), "%q in %q", name, table)
	})
}

// What is told first, that a program only reads, is all that any table tells of it.
func TestPlainReadersStandInNoOtherTable(t *testing.T) {
	plain := casesOf(t, "ReadsPlainly")
	require.Greater(t, len(plain), 100)
	for _, name := range plain {
		require.True(t, lists.ReadsPlainly(name))
		_, wraps := wrappers.find(name)
		_, runs := interpreters.find(name)
		_, does := program(name)
		require.False(t, wraps || runs || does || toolchain.Knows(name) || special(name) != nil, name)
	}
}

// Whether a program wraps another one is told by a switch, and how by a table.
func TestWrappersAreThoseOfTheTable(t *testing.T) {
	var all []string
	for _, row := range wrappers {
		all = append(all, row.name)
	}
	require.Equal(t, all, casesOf(t, "Wraps"))
}

// casesOf returns the words that a function of package lists tells from all others.
func casesOf(t *testing.T, function string) (words []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "lists/programs.go", nil, 0)
	require.NoError(t, err)
	for _, d := range file.Decls {
		f, isFunction := d.(*ast.FuncDecl)
		if !isFunction || f.Name.Name != function {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if text, isText := n.(*ast.BasicLit); isText {
				word, err := strconv.Unquote(text.Value)
				require.NoError(t, err)
				words = append(words, word)
			}
			return true
		})
	}
	return words
}
