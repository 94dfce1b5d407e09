package layout_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// file is a production file, parsed.
type file struct {
	name   string
	source string
	ast    *ast.File
}

// parsed is a production package, parsed.
type parsed struct {
	pkg
	fset  *token.FileSet
	files []file
}

func parseAll(t *testing.T) []parsed {
	t.Helper()
	var all []parsed
	for _, p := range packages(t) {
		one := parsed{pkg: p, fset: token.NewFileSet()}
		for _, name := range p.GoFiles {
			source := p.source(t, name)
			syntax, err := parser.ParseFile(one.fset, filepath.Join(p.Dir, name), source, parser.ParseComments)
			require.NoError(t, err)
			one.files = append(one.files, file{name, source, syntax})
		}
		all = append(all, one)
	}
	return all
}

// width returns the columns of a line, a tab being four.
func width(line string) int { return utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) }

func (p parsed) lines() (n int) {
	for _, f := range p.files {
		n += strings.Count(f.source, "\n")
	}
	return n
}

// exported counts the exported functions, and the exported types with exported methods.
func (p parsed) exported() int {
	names := map[string]bool{}
	for _, f := range p.files {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.IsExported() {
				if name := receiver(d); name == "" {
					names[d.Name.Name] = true
				} else if ast.IsExported(name) {
					names[name] = true
				}
			}
		}
	}
	return len(names)
}

// receiver returns the name of the type that d is a method of, or "".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	for {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.ParenExpr:
			t = of.X
		case *ast.IndexExpr: // a type with one parameter
			t = of.X
		case *ast.IndexListExpr: // with several
			t = of.X
		default:
			return of.(*ast.Ident).Name
		}
	}
}

// methods counts the methods of each type.
func (p parsed) methods() map[string]int {
	count := map[string]int{}
	for _, f := range p.files {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv != nil {
				count[receiver(d)]++
			}
		}
	}
	return count
}

// knot returns the files of the largest group of which each needs, directly or by others, all the rest.
func (p parsed) knot() []string {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	var syntax []*ast.File
	for _, f := range p.files {
		syntax = append(syntax, f.ast)
	}
	// Names of other packages stay unknown, and what is wrong by that does not matter here.
	config := types.Config{Importer: nowhere{}, Error: func(error) {}, FakeImportC: true}
	own, _ := config.Check(p.ImportPath, p.fset, syntax, info)
	needs := map[string]map[string]bool{}
	for id, o := range info.Uses {
		if o.Pkg() != own || !o.Pos().IsValid() || o.Parent() != own.Scope() && !isMethod(o) {
			continue
		}
		from, to := filepath.Base(p.fset.Position(id.Pos()).Filename), filepath.Base(p.fset.Position(o.Pos()).Filename)
		if from != to {
			if needs[from] == nil {
				needs[from] = map[string]bool{}
			}
			needs[from][to] = true
		}
	}
	return largestKnot(needs)
}

func isMethod(o types.Object) bool {
	f, is := o.(*types.Func)
	return is && f.Signature().Recv() != nil
}

type nowhere struct{}

func (nowhere) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

// largestKnot returns the largest strongly connected part of a graph.
func largestKnot(needs map[string]map[string]bool) (largest []string) {
	reach := func(from string) map[string]bool {
		seen, next := map[string]bool{}, []string{from}
		for len(next) > 0 {
			at := next[0]
			next = next[1:]
			for to := range needs[at] {
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		return seen
	}
	reached := map[string]map[string]bool{}
	for from := range needs {
		reached[from] = reach(from)
	}
	for from := range needs {
		var knot []string
		for to := range reached[from] {
			if reached[to][from] {
				knot = append(knot, to)
			}
		}
		if len(knot) > len(largest) {
			largest = knot
		}
	}
	sort.Strings(largest)
	return largest
}

// described returns how the comment of a function begins: "a verb" or "a noun", or "" where there is no comment. A
// verb is a word in the third person; of what is so or not, a function reports whether.
func described(d *ast.FuncDecl) string {
	words := strings.Fields(d.Doc.Text())
	switch {
	case len(words) == 0:
		return ""
	case len(words) > 2 && words[1] == "returns" && words[2] == "whether":
		return "a noun"
	case len(words) > 1 && words[0] == d.Name.Name && thirdPerson.MatchString(words[1]) &&
		!slices.Contains(notWhatItDoes, strings.TrimRight(words[1], ",:")):
		return "a verb"
	}
	return "a noun"
}

var thirdPerson = regexp.MustCompile(`^[a-z]+s[,:]?$`)

// notWhatItDoes lists words that end like a verb in the third person, and verbs that say what a function is.
var notWhatItDoes = []string{"is", "has", "was", "says", "tells", "as", "this", "its", "always", "sometimes", "thus"}

func TestReceiversAreNamed(t *testing.T) {
	const source = "package p\nfunc (a A) f() {}\nfunc (*A) f() {}\nfunc (a (*A)) f() {}\n" +
		"func (a *A[K]) f() {}\nfunc (a A[K, V]) f() {}"
	parsed, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	require.NoError(t, err)
	require.Len(t, parsed.Decls, 5)
	for _, d := range parsed.Decls {
		require.Equal(t, "A", receiver(d.(*ast.FuncDecl)))
	}
}

func TestCommentsThatBeginWithAVerb(t *testing.T) {
	for comment, want := range map[string]string{
		"F returns the sum.": "a verb", "F reports whether it is so.": "a verb", "F parses, and counts.": "a verb",
		"F is the sum.": "a noun", "F the sum.": "a noun", "F return the sum.": "a noun", "F always fails.": "a noun",
		"Returns the sum.": "a noun", "The sum.": "a noun", "F": "a noun", "F has it.": "a noun",
		"F returns whether it is so.": "a noun",
	} {
		source := "package p\n\n// " + comment + "\nfunc F() {}"
		parsed, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ParseComments)
		require.NoError(t, err)
		require.Equal(t, want, described(parsed.Decls[0].(*ast.FuncDecl)), comment)
	}
}
