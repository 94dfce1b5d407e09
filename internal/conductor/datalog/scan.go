package datalog

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/lazyregexp"
)

// scanner reads one text of a program.
type scanner struct {
	list  string // facts, rules or query
	index int    // in the list; -1 for the query
	text  string
	at    int // in bytes
	fresh int // variables made of _
}

func newScanner(list string, index int, text string) *scanner {
	return &scanner{list: list, index: index, text: text}
}

// place names the text as people count, and as a pointer into the input.
func (s *scanner) place() (name, pointer string) {
	if s.index < 0 {
		return s.list, "/" + s.list
	}
	n := strconv.Itoa(s.index)
	return s.list + "[" + n + "]", "/" + s.list + "/" + n
}

func (s *scanner) fault(code fault.Code, format string, args ...any) *fault.Error {
	name, pointer := s.place()
	f := fault.New(fault.Invalid, code, name+": "+format, args...)
	return f.WithFields(fault.Field{Pointer: pointer, Code: code, Detail: f.Detail})
}

func (s *scanner) syntax(expected string) error {
	found := "the end"
	if s.at < len(s.text) {
		r, _ := utf8.DecodeRuneInString(s.text[s.at:])
		found = strconv.Quote(string(r))
	}
	return s.fault("datalog_syntax", "column %d: expected %s, found %s", utf8.RuneCountInString(s.text[:s.at])+1,
		expected, found).
		WithFix("%s", `write facts as parent(ann, "Bob"), rules as grandparent(X, Z) :- parent(X, Y), parent(Y, Z).`)
}

// whole reads an atom that is all of a text, with or without a full stop.
func (s *scanner) whole() (Atom, error) {
	atom, err := s.atom()
	if err != nil {
		return atom, err
	}
	return atom, s.end()
}

func (s *scanner) fact() (Atom, error) {
	atom, err := s.whole()
	if err != nil {
		return atom, err
	}
	for _, t := range atom.Terms {
		if t.Var {
			return atom, s.fault("fact_variable", "a fact has no variables, and %s is one", shownVar(t)).
				WithFix("begin constants with a small letter, or put them in quotes")
		}
	}
	return atom, nil
}

// shownVar returns a variable as it was written; scanner.term gives those of _ names that no text can have.
func shownVar(t Term) string {
	if strings.HasPrefix(t.Text, "_#") {
		return "_"
	}
	return t.Text
}

// rule = atom ":-" atom {"," atom} ["."]; each variable of its head stands in its body.
func (s *scanner) rule() (Rule, error) {
	var r Rule
	var err error
	if r.Head, err = s.atom(); err != nil {
		return r, err
	}
	if !s.take(":-") {
		return r, s.syntax(":- and what the rule follows from")
	}
	for more := true; more; more = s.take(",") {
		atom, err := s.atom()
		if err != nil {
			return r, err
		}
		if r.Body = append(r.Body, atom); len(r.Body) > maxBody {
			return r, s.fault("rule_too_long", "the body has more than %d atoms", maxBody).
				WithFix("make two rules of it")
		}
	}
	if err := s.end(); err != nil {
		return r, err
	}
	for _, t := range r.Head.Terms {
		if t.Var && !r.binds(t.Text) {
			return r, s.fault("rule_unbound", "%s stands in the head and nowhere in the body", shownVar(t)).
				WithFix("use each variable of the head in the body too")
		}
	}
	return r, nil
}

func (r Rule) binds(variable string) bool {
	for _, a := range r.Body {
		if a.has(variable) {
			return true
		}
	}
	return false
}

// atom = relation ["(" [term {"," term}] ")"]
func (s *scanner) atom() (Atom, error) {
	var a Atom
	if s.at == 0 && (len(s.text) > maxText || !utf8.ValidString(s.text)) {
		return a, s.fault("datalog_text", "it has more than %d bytes, or is not valid UTF-8", maxText).
			WithFix("send shorter text in UTF-8")
	}
	s.space()
	start := s.at
	a.Relation = s.name()
	if a.Relation == "" || variable(a.Relation) {
		s.at = start
		return a, s.syntax("the name of a relation, which begins with a small letter")
	}
	if len(a.Relation) > maxName {
		return a, s.tooLong()
	}
	if !s.take("(") || s.take(")") {
		return a, nil
	}
	for {
		t, err := s.term()
		if err != nil {
			return a, err
		}
		if a.Terms = append(a.Terms, t); len(a.Terms) > MaxTerms {
			return a, s.fault("relation_terms", "an atom has more than %d terms", MaxTerms).
				WithFix("make several relations of it")
		}
		if s.take(")") {
			return a, nil
		}
		if !s.take(",") {
			return a, s.syntax(", or )")
		}
	}
}

func (s *scanner) tooLong() error {
	return s.fault("datalog_text", "a name or text has more than %d bytes", maxName).WithFix("use a shorter one")
}

var number = lazyregexp.New(`^-?[0-9]+(?:\.[0-9]+)?`)

func (s *scanner) term() (Term, error) {
	s.space()
	rest := s.text[s.at:]
	var t Term
	if strings.HasPrefix(rest, `"`) {
		text, err := s.quoted()
		if err != nil {
			return t, err
		}
		t.Text = text
	} else if t.Text = number().FindString(rest); t.Text != "" {
		s.at += len(t.Text)
	} else {
		t.Text = s.name()
		t.Var = variable(t.Text)
		if t.Text == "" {
			return t, s.syntax("a variable, a name, a number or text in quotes")
		}
	}
	if len(t.Text) > maxName {
		return t, s.tooLong()
	}
	if t.Var && t.Text == "_" {
		s.fresh++
		t.Text = "_#" + strconv.Itoa(s.fresh)
	}
	return t, nil
}

// quoted reads text in quotes; \" and \\ stand for a quote and a backslash.
func (s *scanner) quoted() (string, error) {
	var b strings.Builder
	s.at++
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		s.at += size
		switch {
		case r == '"':
			return b.String(), nil
		case r == '\\':
			if s.at >= len(s.text) || s.text[s.at] != '"' && s.text[s.at] != '\\' {
				return "", s.syntax(`" or \ after a \`)
			}
			b.WriteByte(s.text[s.at])
			s.at++
		case unicode.IsControl(r):
			s.at -= size
			return "", s.syntax("text without control characters")
		default:
			b.WriteRune(r)
		}
	}
	return "", s.syntax("the closing quote")
}

// name reads letters, digits and _ that do not begin with a digit; "" where there are none.
func (s *scanner) name() string {
	start := s.at
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		if r != '_' && !unicode.IsLetter(r) && (s.at == start || !unicode.In(r, unicode.Nd, unicode.M)) {
			break
		}
		s.at += size
	}
	return s.text[start:s.at]
}

func variable(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return r == '_' || unicode.IsUpper(r) || unicode.IsTitle(r)
}

// plain reports whether a constant is read back without quotes.
func plain(text string) bool {
	if n := number().FindString(text); n != "" {
		return n == text
	}
	s := scanner{text: text}
	return text != "" && s.name() == text && !variable(text)
}

func (s *scanner) take(token string) bool {
	s.space()
	if !strings.HasPrefix(s.text[s.at:], token) {
		return false
	}
	s.at += len(token)
	return true
}

func (s *scanner) end() error {
	s.take(".")
	s.space()
	if s.at < len(s.text) {
		return s.syntax("the end")
	}
	return nil
}

func (s *scanner) space() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
}
