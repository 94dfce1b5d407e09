package layout_test

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// TestFigures prints the figures that the limits are about: go test -count=1 -v -run Figures ./internal
func TestFigures(t *testing.T) {
	var sum figures
	for _, p := range parseAll(t) {
		sum.add(p)
	}
	t.Log("\n" + sum.String())
}

// figures adds up what is to be known of the code.
type figures struct {
	packages                                    int
	folders, children, arrows                   set
	lines, nodes, over120, over160, nouns, said int
	files, functions                            []int // lines of each
	largest, exported, methods, knots           ranking
}

type set map[string]bool

func (s *set) add(name string) {
	if *s == nil {
		*s = set{}
	}
	(*s)[name] = true
}

func (f *figures) add(p parsed) {
	f.packages++
	f.addImports(p)
	f.largest.add(p.lines(), p.ImportPath)
	f.exported.add(p.exported(), p.ImportPath)
	f.knots.add(len(p.knot()), p.ImportPath)
	for name, n := range p.methods() {
		f.methods.add(n, p.ImportPath+"."+name)
	}
	f.lines += p.lines()
	for _, one := range p.files {
		f.files = append(f.files, strings.Count(one.source, "\n"))
		f.addWidths(one)
		f.addSyntax(p, one)
	}
}

func (f *figures) addImports(p parsed) {
	folder := folderOf(p.ImportPath)
	f.folders.add(folder)
	if name, is := strings.CutPrefix(folder, "internal/"); is {
		f.children.add(name)
	}
	for _, path := range p.Imports {
		if ours, is := strings.CutPrefix(path, module+"/"); is && folderOf(ours) != folder {
			f.arrows.add(folder + " " + folderOf(ours))
		}
	}
}

func (f *figures) addWidths(one file) {
	for line := range strings.Lines(one.source) {
		w := width(strings.TrimSuffix(line, "\n"))
		if w > wantedWidth {
			f.over120++
		}
		if w > maxWidth {
			f.over160++
		}
	}
}

func (f *figures) addSyntax(p parsed, one file) {
	ast.Inspect(one.ast, func(n ast.Node) bool {
		if n != nil {
			f.nodes++
		}
		d, ok := n.(*ast.FuncDecl)
		if !ok || d.Body == nil {
			return true
		}
		f.functions = append(f.functions, p.fset.Position(d.End()).Line-p.fset.Position(d.Pos()).Line+1)
		if described(d) == "a noun" {
			f.nouns++
			if d.Name.IsExported() {
				f.said++
			}
		}
		return true
	})
}

func (f *figures) String() string {
	slices.Sort(f.files)
	slices.Sort(f.functions)
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	for _, row := range []struct {
		what   string
		figure any
	}{
		{"packages", f.packages},
		{"top folders (of cmd and internal, api, schemas)", len(f.folders)},
		{"children of internal/", len(f.children)},
		{"arrows between folders", len(f.arrows)},
		{"production lines", f.lines},
		{"nodes of the syntax", f.nodes},
		{"files: median, p90, longest", []int{share(f.files, 50), share(f.files, 90), share(f.files, 100)}},
		{"functions: number, median, p90, p99, longest", []int{len(f.functions), share(f.functions, 50),
			share(f.functions, 90), share(f.functions, 99), share(f.functions, 100)}},
		{"lines over 120 and 160 columns", []int{f.over120, f.over160}},
		{"function comments that begin with a noun, of these exported", []int{f.nouns, f.said}},
	} {
		fmt.Fprintf(w, "%s\t%v\n", row.what, row.figure)
	}
	w.Flush()
	f.largest.write(&b, "largest packages")
	f.exported.write(&b, "most exported functions and types with methods")
	f.methods.write(&b, "types with most methods")
	f.knots.write(&b, "largest knots of files")
	return b.String()
}

// share returns the smallest figure that so many in a hundred do not exceed.
func share(sorted []int, hundredths int) int {
	return sorted[min(len(sorted)-1, len(sorted)*hundredths/100)]
}

// ranking lists names by a figure.
type ranking []string

func (r *ranking) add(n int, name string) { *r = append(*r, fmt.Sprintf("%6d %s", n, name)) }

// write writes the first twelve.
func (r ranking) write(b *strings.Builder, what string) {
	slices.Sort(r)
	slices.Reverse(r)
	fmt.Fprintf(b, "%s:\n%s\n", what, strings.Join(r[:min(12, len(r))], "\n"))
}
