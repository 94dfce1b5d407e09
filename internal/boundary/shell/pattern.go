package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"orchestrator/internal/boundary/shell/lists"
)

// unknownText stands in the pattern of a word for text that cannot be told, slashes included.
const unknownText = "**"

// wildcards gives the pattern of a word: all of its text, with * and ? where the shell expands them, and ** for what
// cannot be told.
func (a arg) wildcards() string {
	switch {
	case a.known && strings.IndexByte(a.text, '*') < 0:
		return a.text
	case a.known: // wildcards that were quoted may still be the program's own
		return strings.ReplaceAll(a.text, "*", unknownText)
	case a.pattern == "":
		return a.text + unknownText
	}
	return a.pattern
}

// expand appends to the pattern of a word. A very long one is forgotten.
func (b *builder) expand(pattern string) { b.expanded(append(b.pattern, pattern...)) }

func (b *builder) expanded(pattern []byte) {
	if b.pattern = pattern; len(pattern) > maxValue {
		b.pattern = []byte(unknownText)
	}
}

// widen appends a pattern with every bracket expression a ?, and without backslashes.
func widen(out []byte, glob string) []byte {
	for i := 0; i < len(glob); i++ {
		end := strings.IndexByte(glob[i:], ']')
		switch {
		case glob[i] == '\\' && i+1 < len(glob):
			i++
			out = append(out, glob[i])
		case glob[i] == '[' && end > 0:
			out = append(out, '?')
			i += end
		default:
			out = append(out, glob[i])
		}
	}
	return out
}

// evaluated notes the word as it was put together, and returns it.
func (b *builder) evaluated() arg {
	if b.arg.text = lists.Keep(&b.w.paths, b.text); b.known {
		b.w.note(b.arg.text)
		return b.arg
	}
	b.w.note(string(b.all))
	b.arg.pattern = lists.Keep(&b.w.paths, b.pattern)
	return b.arg
}

// value gives the pattern of a variable: what it was bound to, or the word that stands in its place where it is unset.
func (b *builder) value(p *syntax.ParamExp) string {
	if p.Param == nil || p.Excl || p.Length || p.Names != 0 || p.Repl != nil || p.Slice != nil || p.Index != nil ||
		b.w.blind || b.w.budget <= 0 {
		return unknownText
	}
	bound, ok := b.w.scope.lookup(p.Param.Value)
	switch {
	case ok && bound.known && bound.text != "":
		b.w.budget -= len(bound.text)
		return bound.text
	case ok && bound.pattern != "":
		b.w.budget -= len(bound.pattern)
		return bound.pattern
	case p.Exp == nil || p.Exp.Word == nil || !substitutes(p.Exp.Op):
		return unknownText
	}
	quiet := b.w.quiet
	b.w.quiet = true // what runs within has been looked at
	word := b.w.word(p.Exp.Word)
	b.w.quiet = quiet
	return word.wildcards()
}

// substitutes reports whether an expansion may put its word in the place of the variable.
func substitutes(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
		syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return true
	}
	return false
}

// where returns the pattern of the folder of the scope.
func (s *scope) where() string {
	switch {
	case !s.lost:
		return s.dir
	case s.near == "":
		return unknownText
	}
	return s.near
}

// mayName adds the file that a pattern names, seen from the folder of the scope; none where nothing of it is known.
func mayName(w *walker, files []Target, pattern string) []Target {
	if dir := w.scope.where(); dir != "" && !rooted(pattern) {
		start := w.paths.Len()
		w.paths.WriteString(dir)
		if dir[len(dir)-1] != '/' {
			w.paths.WriteByte('/')
		}
		w.paths.WriteString(pattern)
		pattern = w.paths.String()[start:]
	}
	if lists.Only(pattern, "*/") {
		return files
	}
	return append(files, Target{Path: pattern, Known: true})
}

// mayShow adds the files that a pattern may name. With dotglob a wildcard at the beginning of a name stands for a
// dot as well.
func (w *walker) mayShow(files []Target, pattern string) []Target {
	files = mayName(w, files, pattern)
	if !w.dotglob {
		return files
	}
	elements := strings.Split(pattern, "/")
	for i, e := range elements {
		switch {
		case strings.HasPrefix(e, unknownText):
		case strings.HasPrefix(e, "*"):
			elements[i] = "." + e
		case strings.HasPrefix(e, "?"):
			elements[i] = "." + e[1:]
		}
	}
	return mayName(w, files, strings.Join(elements, "/"))
}
