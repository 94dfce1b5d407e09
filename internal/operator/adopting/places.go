package adopting

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

	"orchestrator/internal/requirements/adoption"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/trace"
	"orchestrator/internal/system/tree"
)

// maxFiles is how many files a plan cites of one requirement; a mark in every file would say nothing.
const maxFiles = 100

// materialOf sorts the places that name a requirement.
func (l *look) materialOf(t trace.Traced, designs []string) (m adoption.Material) {
	for _, d := range designs {
		m.Designs = append(m.Designs, guidance.File{Path: cited(l.git, d)})
	}
	for _, p := range t.Places {
		switch {
		case p.Kind == trace.KindTest:
			m.Tests = append(m.Tests, fmt.Sprintf("%s:%d", p.Path, p.Line))
		case p.Verifies() || l.tests[p.Path] || adoption.IsTest(p.Path):
			m.Tests = append(m.Tests, fmt.Sprintf("%s:%d", p.Path, p.Line))
			m.Verified = append(m.Verified, l.text(p))
		case adoption.IsText(p.Path):
			m.Designs = add(m.Designs, guidance.File{Path: cited(l.git, p.Path)})
		default:
			m.Files = add(m.Files, l.file(p))
			if f := cited(l.git, p.Path); adoption.Bare(l.content(p.Path)) && !slices.Contains(m.Bare, f) {
				m.Bare = append(m.Bare, f)
			}
		}
	}
	return m
}

// add adds a file, unless it is there, with all of its lines or with the same.
func add(files []guidance.File, one guidance.File) []guidance.File {
	same := func(f guidance.File) bool { return f.Path == one.Path && (f.Lines == "" || f.Lines == one.Lines) }
	if len(files) == maxFiles || slices.ContainsFunc(files, same) {
		return files
	}
	if one.Lines == "" {
		files = slices.DeleteFunc(files, func(f guidance.File) bool { return f.Path == one.Path })
	}
	return append(files, one)
}

// file returns the file of a mark with the lines that it is about.
func (l *look) file(p trace.Place) guidance.File {
	f := guidance.File{Path: cited(l.git, p.Path)}
	if first, last := adoption.Block(l.content(p.Path), p.Line); first > 0 {
		f.Lines = fmt.Sprintf("%d-%d", first, last)
	}
	return f
}

// text returns the lines that a mark is about.
func (l *look) text(p trace.Place) string {
	content := l.content(p.Path)
	first, last := adoption.Block(content, p.Line)
	if first == 0 {
		return string(content)
	}
	lines := bytes.SplitAfter(content, []byte("\n"))
	return string(bytes.Join(lines[first-1:last], nil))
}

func (l *look) content(name string) []byte {
	content, read := l.contents[name]
	if !read {
		content, _ = tree.ReadFile(l.ctx, filepath.FromSlash(name), maxSource) // one that cannot be read is cited whole
		l.contents[name] = content
	}
	return content
}
