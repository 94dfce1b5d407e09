package layout_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
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
		case *ast.IndexExpr:
			t = of.X
		case *ast.Ident:
			return of.Name
		default:
			return "?"
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

// described returns how the comment of a function begins: "a verb" or "a noun", or "" where there is no comment.
func described(d *ast.FuncDecl) string {
	words := strings.Fields(d.Doc.Text())
	if len(words) < 2 || words[0] != d.Name.Name {
		return ""
	}
	switch words[1] {
	case "is", "are", "has", "have", "was", "were", "says", "tells":
		return "a noun"
	}
	return "a verb"
}
