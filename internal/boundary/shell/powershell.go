package shell

import "strings"

// PowerShell reads a command as PowerShell would, with less understanding than Bash: script blocks and methods are
// ambiguous, and variables are not followed.
func PowerShell(command string) Reading {
	w := walker{budget: maxExpanded}
	if len(command) > maxCommand {
		w.note(command)
		w.doubt("a command of more than 64 KiB is not read")
	} else {
		w.power(command)
	}
	w.showRest()
	return Reading{Parts: w.parts, Text: string(w.text), Shown: w.shown}
}

// scanner goes through a text of PowerShell.
type scanner struct {
	w     *walker
	src   string
	words []arg  // of the command so far
	first string // all literal text of the first one
	text  []byte // of the word so far
	end   int    // how much of it is known
	arg
	within bool   // a word has begun
	called bool   // & came: the first word is a program, even in quotes
	value  bool   // the first word is in quotes, and so is a value
	to     string // the redirection whose file is the next word
	wrong  bool   // it cannot be parsed
}

func (w *walker) power(src string) {
	if w.depth >= maxDepth {
		w.doubt("commands within commands are not read that deep")
		return
	}
	w.depth++
	s := scanner{w: w, src: src, arg: arg{known: true}}
	for s.src != "" && !s.wrong {
		s.step()
	}
	s.endCommand()
	if s.wrong {
		w.note(s.src)
		w.doubt("the command cannot be parsed")
	}
	w.depth--
}

// step takes one character, or what it begins.
func (s *scanner) step() {
	c := s.src[0]
	switch {
	case strings.HasPrefix(s.src, "@'\n"), strings.HasPrefix(s.src, "@\"\n"):
		s.hereString(s.src[1])
	case c == '\'':
		s.quote()
		s.single()
	case c == '"':
		s.quote()
		s.double()
	case c == '`':
		s.src = s.src[1:]
		if s.src != "" {
			s.literal(1)
		}
	case c == '#' && !s.within:
		_, s.src, _ = strings.Cut(s.src, "\n")
		s.endCommand()
	case c == ' ' || c == '\t' || c == '\r' || c == ',':
		s.endWord()
		s.src = s.src[1:]
	case c == '\n' || c == ';' || c == '|':
		s.endCommand()
		s.src = s.src[1:]
	case c == '&':
		s.ampersand()
	case c == '>':
		s.redirect()
	case c == '(' || c == '{':
		s.nested(c)
	case c == ')' || c == '}':
		s.wrong = true
	case s.to != "" && !s.within && len(s.src) >= 5 && strings.EqualFold(s.src[:5], "$null"):
		s.append("/dev/null")
		s.src = s.src[5:]
	case c == '$' || c == '@' && !s.within:
		s.src = s.src[1:]
		s.unknown(true)
	case c == '*' || c == '?' && (s.within || len(s.words) > 0):
		s.src = s.src[1:]
		s.unknown(false)
	default:
		s.literal(1)
	}
}

func (s *scanner) literal(n int) {
	s.append(s.src[:n])
	s.src = s.src[n:]
}

func (s *scanner) append(text string) {
	s.within = true
	s.text = append(s.text, text...)
	if s.known {
		s.end = len(s.text)
	}
}

func (s *scanner) unknown(loose bool) {
	s.within, s.known = true, false
	s.loose = s.loose || loose && s.end == 0
}

// quote notes a command that begins with a text.
func (s *scanner) quote() {
	s.value = s.value || !s.within && len(s.words) == 0 && s.to == ""
}

func (s *scanner) single() {
	for {
		text, rest, ok := strings.Cut(s.src[1:], "'")
		s.append(text)
		if s.src = rest; !ok {
			s.wrong = true
			return
		}
		if !strings.HasPrefix(rest, "'") {
			return
		}
		s.append("'")
	}
}

func (s *scanner) double() {
	for s.src = s.src[1:]; s.src != ""; {
		switch c := s.src[0]; {
		case c == '"' && strings.HasPrefix(s.src, `""`):
			s.append(`"`)
			s.src = s.src[2:]
		case c == '"':
			s.src, s.within = s.src[1:], true
			return
		case c == '`' && len(s.src) > 1:
			s.src = s.src[1:]
			s.literal(1)
		case strings.HasPrefix(s.src, "$("):
			s.src = s.src[1:]
			s.nested('(')
		case c == '$':
			s.src = s.src[1:]
			s.unknown(true)
		default:
			s.literal(1)
		}
	}
	s.wrong = true
}

// hereString takes a text between @" and "@, each at the end of a line and the beginning of one.
func (s *scanner) hereString(quote byte) {
	s.quote()
	text, rest, ok := strings.Cut(s.src[3:], "\n"+string(quote)+"@")
	s.append(text)
	if quote == '"' && strings.Contains(text, "$") {
		s.unknown(true)
		if strings.Contains(text, "$(") {
			s.w.doubt("code within a text is not read")
		}
	}
	s.src, s.wrong = rest, !ok
}

// ampersand is && between commands, or a call of what the next word names.
func (s *scanner) ampersand() {
	if strings.HasPrefix(s.src, "&&") {
		s.src = s.src[1:]
	}
	if s.src = s.src[1:]; s.within || len(s.words) > 0 {
		s.endCommand()
		return
	}
	s.called = true
}

// redirect is >, >>, 2>, *> or 2>&1; the file is the next word.
func (s *scanner) redirect() {
	if before := string(s.text); s.within &&
		(before == "*" || len(before) == 1 && before[0] >= '1' && before[0] <= '6') {
		s.reset()
	}
	s.endWord()
	op := ">"
	if strings.HasPrefix(s.src, ">>") {
		op = ">>"
	}
	s.src = s.src[len(op):]
	if strings.HasPrefix(s.src, "&") {
		s.src = strings.TrimLeft(s.src[1:], "123456")
		return
	}
	s.to = op
}

// nested looks into (…), $(…) and {…}. A block that only compares properties does nothing else.
func (s *scanner) nested(open byte) {
	end := matching(s.src)
	if end < 0 {
		s.wrong = true
		return
	}
	inside := s.src[1:end]
	s.src = s.src[end+1:]
	method := open == '(' && s.within && len(s.text) > 0
	harmless := open == '{' && strings.HasPrefix(strings.TrimSpace(inside), "$_") &&
		!strings.ContainsAny(inside, "()=&|;>{`[\n")
	if open == '{' && !harmless {
		s.w.doubt("what a script block does cannot be told")
	}
	if method && !strings.Contains(string(s.text), "::") {
		s.w.doubt("what a method does cannot be told")
	}
	s.unknown(true)
	s.block = open == '{'
	if !harmless {
		s.w.power(inside)
	}
}

// matching finds the bracket that closes the first one, quotes left out; -1 where none does.
func matching(src string) int {
	depth := 0
	var quote byte
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case c == '`' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func (s *scanner) reset() {
	s.text, s.end, s.within, s.arg = nil, 0, false, arg{known: true}
}

func (s *scanner) endWord() {
	if !s.within {
		return
	}
	a := s.arg
	a.text = string(s.text[:s.end])
	text := string(s.text)
	s.w.note(text)
	s.reset()
	if s.to == "" {
		s.word(a, text)
		return
	}
	if targets := harm([]Target{s.w.scope.target(a)}); targets != nil {
		s.w.add(Part{Class: Writes, Targets: targets, Why: s.to + " writes a file"})
	}
	s.to = ""
}

// word adds a word to the command. Behind $x = a command begins anew.
func (s *scanner) word(a arg, text string) {
	if len(s.words) == 1 && !s.words[0].known && (text == "=" || text == "+=") {
		if name := s.first; len(name) > 4 && strings.EqualFold(name[:4], "env:") {
			s.w.environment(strings.ToUpper(name[4:]), arg{})
			s.w.alter(strings.ToUpper(name[4:]), arg{})
		}
		s.words = nil
		return
	}
	if len(s.words) == 0 {
		s.first = text
	}
	s.words = append(s.words, a)
}

func (s *scanner) endCommand() {
	s.endWord()
	words, value, called := s.words, s.value && !s.called, s.called
	s.words, s.value, s.called = nil, false, false
	switch {
	case called && len(words) > 0 && !words[0].known:
		s.w.doubt("which program runs cannot be told")
	case value:
		s.w.add(Part{Class: Reads})
	case len(words) > 0:
		s.w.cmdlet(words)
	}
}
