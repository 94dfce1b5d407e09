package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"orchestrator/internal/boundary/shell/escapes"
	"orchestrator/internal/boundary/shell/lists"
	"orchestrator/internal/boundary/shell/toolchain"
)

// arg is one word of a command after quotes and escapes.
type arg struct {
	text  string // what is known of its beginning
	known bool   // text is all of it
	loose bool   // it may be an option, or several words, or none
	split bool   // it may be several words, or none

	pattern string // where it is not known: all that it may be, see wildcards
}

func literal(s string) arg { return arg{text: s, known: true} }

// builder puts a word together from its parts.
type builder struct {
	w       *walker
	text    []byte // what is known of the beginning
	all     []byte // all literal text
	pattern []byte // see wildcards
	arg
}

// words evaluates the words of a command; braces make several of one.
func (w *walker) words(list []*syntax.Word) []arg {
	args := lists.Carve(&w.args, len(list)+1)
	for _, word := range list {
		braces := 0
		if w.braces {
			braces = countBraces(word)
		}
		if braces > maxBraces {
			w.word(word)
			args = append(args, arg{loose: true})
			continue
		}
		if braces > 0 {
			split := *word // the tree stays as it was parsed, for whoever walks it again
			if syntax.SplitBraces(&split) {
				w.inner(word) // the commands in it once, however many words it becomes
				args = w.braced(args, &split)
				continue
			}
		}
		args = append(args, w.word(word))
	}
	return args
}

// word evaluates one word without braces, notes its text, and looks into the commands within it.
func (w *walker) word(word *syntax.Word) arg { return w.assemble(word.Parts) }

func (w *walker) assemble(parts []syntax.WordPart) arg {
	if len(parts) == 1 {
		if lit, ok := parts[0].(*syntax.Lit); ok && escapes.IsPlain(lit.Value) {
			w.note(lit.Value)
			return literal(lit.Value)
		}
		if single, ok := parts[0].(*syntax.SglQuoted); ok && !single.Dollar && !strings.HasPrefix(single.Value, "~") {
			w.subscript(single.Value)
			w.note(single.Value)
			return literal(single.Value)
		}
	}
	b := builder{w: w, arg: arg{known: true}}
	outer := !w.within // a word within has no room of its own
	if w.within = true; outer {
		b.text, b.all, b.pattern = w.room[0][:0], w.room[1][:0], w.room[2][:0]
	}
	for _, part := range parts {
		b.part(part, false)
	}
	w.within = !outer
	return b.evaluated()
}

func (w *walker) note(word string) {
	if word != "" {
		w.text.WriteString(word)
		w.text.WriteByte('\n')
	}
}

func countBraces(word *syntax.Word) (n int) {
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			n += strings.Count(lit.Value, "{")
		}
	}
	return n
}

func (w *walker) braced(args []arg, word *syntax.Word) []arg {
	all, ok := spread(word.Parts)
	if !ok || w.budget <= 0 {
		return append(args, arg{loose: true})
	}
	quiet := w.quiet
	w.quiet = true
	for _, parts := range all {
		a := w.assemble(parts)
		w.budget -= len(a.text)
		args = append(args, a)
	}
	w.quiet = quiet
	return args
}

// spread lists the words that a word with braces becomes; false when they are too many.
func spread(parts []syntax.WordPart) ([][]syntax.WordPart, bool) {
	all := [][]syntax.WordPart{nil}
	for _, part := range parts {
		brace, ok := part.(*syntax.BraceExp)
		if !ok || brace.Sequence {
			for i := range all {
				all[i] = append(all[i], part)
			}
			continue
		}
		var next [][]syntax.WordPart
		for _, elem := range brace.Elems {
			inner, ok := spread(elem.Parts)
			if !ok || len(next)+len(all)*len(inner) > maxBraces {
				return nil, false
			}
			for _, before := range all {
				for _, after := range inner {
					next = append(next, append(before[:len(before):len(before)], after...))
				}
			}
		}
		all = next
	}
	return all, true
}

// subscript doubts a quoted a[$(…)]: where it is taken for the name of a variable, bash runs what is in it.
func (w *walker) subscript(text string) {
	if at := strings.IndexByte(text, '['); at > 0 && !w.quiet {
		if code := strings.IndexAny(text[at:], "$`"); code > 0 && strings.ContainsAny(text[at+code:], "(`") &&
			strings.Contains(text[at+code:], "]") &&
			(text[at+code] == '`' || strings.HasPrefix(text[at+code:], "$(")) {
			w.doubt("a subscript may run code")
		}
	}
}

func (b *builder) part(part syntax.WordPart, quoted bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		if quoted {
			b.add(escapes.Unescape(part.Value, "\\$`\"\n"), true)
		} else {
			b.bare(part.Value)
		}
	case *syntax.SglQuoted:
		text := part.Value
		if part.Dollar {
			text = escapes.ANSI(text)
		}
		b.w.subscript(text)
		b.add(text, true)
	case *syntax.DblQuoted:
		for _, p := range part.Parts {
			b.part(p, true)
		}
	case *syntax.ParamExp:
		b.param(part, quoted)
	case *syntax.ProcSubst:
		b.w.inner(part)
		b.add("/dev/fd/63", true)
	case *syntax.CmdSubst:
		b.w.inner(part)
		b.expand(unknownText)
		b.split = b.split || !quoted && !b.w.counts(part)
		b.stop((!quoted || len(b.text) == 0) && !b.w.counts(part))
	default: // arithmetic, extended globs, sequences in braces: one word, and no option
		b.w.inner(part)
		b.expand(unknownText)
		b.stop(false)
	}
}

// counts reports whether a substitution gives a number: $(nproc), as in make -j$(nproc).
func (w *walker) counts(s *syntax.CmdSubst) bool {
	if len(s.Stmts) != 1 {
		return false
	}
	call, ok := s.Stmts[0].Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) == 1 && len(call.Assigns) == 0 && call.Args[0].Lit() == "nproc" &&
		!w.scope.function("nproc")
}

// add appends literal text. A quoted ~ at the beginning is a name, not the home folder.
func (b *builder) add(s string, quoted bool) {
	if quoted && len(b.all) == 0 && b.known && strings.HasPrefix(s, "~") {
		s = "./" + s
	}
	b.all = append(b.all, s...)
	b.expand(s)
	if b.known {
		b.text = append(b.text, s...)
	}
}

// stop notes that from here the word cannot be told.
func (b *builder) stop(loose bool) {
	b.known = false
	b.loose = b.loose || loose
}

// bare appends unquoted text: escapes go, and a glob ends what is known.
func (b *builder) bare(s string) {
	if strings.HasPrefix(s, `\~`) && len(b.all) == 0 {
		b.add("~", true)
		s = s[2:]
	}
	if len(b.all) == 0 && strings.HasPrefix(s, "~+") {
		s = "." + s[2:] // the current folder
	} else if len(b.all) == 0 && strings.HasPrefix(s, "~-") {
		b.expand(unknownText) // the one before
		b.stop(false)
		s = s[2:]
	}
	glob := len(s)
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == '*' || s[i] == '?' || s[i] == '[' && strings.Contains(s[i:], "]") {
			glob = i
			break
		}
	}
	b.add(escapes.Unescape(s[:glob], ""), false)
	if glob < len(s) {
		b.stop(false)
		b.all = append(b.all, escapes.Unescape(s[glob:], "")...)
		b.expanded(widen(b.pattern, s[glob:]))
	}
}

// param appends a variable where its value is sure.
func (b *builder) param(p *syntax.ParamExp, quoted bool) {
	if p.Param != nil {
		showVariables(b.w, toolchain.Expanded(p.Param.Value, p.Excl && p.Index == nil && p.Names == 0, p.Length))
	}
	if p.Param == nil || p.Excl || p.Length || p.Names != 0 || p.Exp != nil || p.Repl != nil || p.Slice != nil ||
		p.Index != nil {
		b.w.inner(p)
		b.expand(b.value(p))
		b.split = b.split || !p.Length
		b.stop(!p.Length && (!quoted || len(b.text) == 0))
		return
	}
	name := p.Param.Value
	value, bound := b.w.scope.lookup(name)
	switch {
	case !bound && len(b.all) == 0 && b.known && name == "HOME":
		b.add("~", false)
	case !bound && len(b.all) == 0 && b.known && name == "PWD":
		b.add(".", false)
	case strings.Contains("?#$!", name): // a number
		b.expand(unknownText)
		b.stop(false)
	case bound && value.known && !b.w.blind && b.w.budget > 0 &&
		(quoted || !strings.ContainsAny(value.text, " \t\n*?[\\") && value.text != ""):
		b.w.budget -= len(value.text)
		b.add(value.text, false)
	case bound && !value.loose && !b.w.blind && !value.known: // one word, and no option
		b.expand(b.value(p))
		b.stop(false)
	default:
		b.expand(b.value(p))
		b.split = b.split || !quoted || name == "@"
		b.stop(!quoted || len(b.text) == 0)
	}
}
