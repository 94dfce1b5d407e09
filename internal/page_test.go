package layout_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"mvdan.cc/sh/v3/syntax"
)

// page is a document of this repository: what it links to, the anchors it has, and its code.
type page struct {
	path    string
	size    int
	links   []string
	anchors map[string]bool
	code    []string // spans, and whole blocks
}

// readPages reads the documents at the root and in docs.
func readPages(t *testing.T) map[string]page {
	t.Helper()
	pages := map[string]page{}
	for _, pattern := range []string{"../*.md", "../docs/*.md"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range paths {
			source, err := os.ReadFile(path)
			require.NoError(t, err)
			path = strings.TrimPrefix(path, "../")
			pages[path] = parsePage(t, path, source)
		}
	}
	require.Greater(t, len(pages), 25)
	return pages
}

func parsePage(t *testing.T, path string, source []byte) page {
	t.Helper()
	p := page{path: path, size: len(source), anchors: map[string]bool{}}
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM))
	err := ast.Walk(markdown.Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			p.links = append(p.links, string(n.Destination))
		case *ast.Heading:
			p.anchors[p.anchor(string(n.Text(source)))] = true //nolint:staticcheck // the text of inline nodes cannot be read otherwise
		case *ast.CodeSpan:
			p.code = append(p.code, string(n.Text(source))) //nolint:staticcheck // as above
		case *ast.FencedCodeBlock:
			p.code = append(p.code, string(n.Lines().Value(source)))
		}
		return ast.WalkContinue, nil
	})
	require.NoError(t, err)
	return p
}

// anchor returns what a heading is linked by, as GitHub makes it.
func (p page) anchor(heading string) string {
	anchor := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
	for n, first := 1, anchor; p.anchors[anchor]; n++ {
		anchor = first + "-" + strconv.Itoa(n)
	}
	return anchor
}

// commands returns what the code of a page calls, as words. Words that the shell would expand are empty.
func (p page) commands() (calls [][]string) {
	for _, code := range p.code {
		for _, part := range append([]string{code}, strings.Split(code, "\n")...) {
			file, err := syntax.NewParser().Parse(strings.NewReader(strings.TrimPrefix(part, "$ ")), "")
			if err != nil {
				continue // a block of output: its lines are tried one by one
			}
			syntax.Walk(file, func(n syntax.Node) bool {
				if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 1 {
					calls = append(calls, literals(call.Args))
				}
				return true
			})
		}
	}
	return calls
}

func literals(words []*syntax.Word) (all []string) {
	for _, w := range words {
		literal := w.Lit()
		if len(w.Parts) == 1 {
			if quoted, ok := w.Parts[0].(*syntax.SglQuoted); ok {
				literal = quoted.Value
			}
		}
		all = append(all, literal)
	}
	return all
}
