package shell

import "strings"

// sed looks at options and program: a program of sed can write files and run commands.
func sed(c *call) {
	p := c.parse("n e:% f:! i=* I=* E r s u z l: --expression:% --file:! --in-place=* --line-length: --quiet " +
		"--silent --null-data --separate --posix --debug --sandbox --regexp-extended --unbuffered " +
		"--follow-symlinks --version. --help.")
	files := p.operands
	if p.inPlace && len(files) > 0 && files[0].known && files[0].text == "" {
		files = files[1:] // BSD's -i has its suffix as the next word
	}
	if len(p.programs) == 0 && p.runs == "" && len(files) > 0 {
		p.programs, files = files[:1], files[1:]
	}
	if p.inPlace {
		c.writes(p.why, c.targets(files)...)
		return
	}
	for _, program := range p.programs {
		if !program.known || !harmlessSed(program.text) {
			c.ambiguous("what the program of sed does cannot be told")
			return
		}
	}
	switch {
	case p.runs != "":
		c.ambiguous("a file with a program of sed may write files")
	case p.loose:
		c.ambiguous("a word that cannot be told may be an option of sed that writes")
	default:
		c.reads()
	}
}

const labelBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// harmlessSed reports whether a program of sed is surely one that neither writes files nor runs commands.
func harmlessSed(program string) bool {
	s := program
	for {
		s = strings.TrimLeft(s, " \t\n;{}")
		if s == "" {
			return true
		}
		var ok bool
		if s, ok = sedAddress(s); !ok || s == "" {
			return false
		}
		command := s[0]
		s = s[1:]
		switch {
		case command == '#':
			_, s, _ = strings.Cut(s, "\n")
		case strings.IndexByte(":btT", command) >= 0: // a label ends here, or at the end of the line
			s = strings.TrimLeft(s, " \t")
			s = strings.TrimLeft(s, labelBytes)
		case strings.IndexByte("aic", command) >= 0: // text, to the end of the line
			if strings.Contains(s, `\\`) {
				return false
			}
			_, s, _ = strings.Cut(strings.ReplaceAll(s, "\\\n", ""), "\n")
		case command == 's' || command == 'y':
			if s, ok = sedSubstitute(s); !ok {
				return false
			}
		case command == '{' || command == '}':
		case strings.IndexByte("pPdDqQ=nNgGhHxlzF", command) >= 0:
			s = strings.TrimLeft(s, "0123456789")
			if s != "" && strings.IndexByte(" \t\n;{}", s[0]) < 0 {
				return false
			}
		default: // w, W and e write and run; the rest is no command that is known
			return false
		}
	}
}

// sedAddress skips the addresses before a command.
func sedAddress(s string) (string, bool) {
	for s != "" {
		switch {
		case strings.IndexByte("0123456789$,!~+ \t", s[0]) >= 0:
			s = s[1:]
		case s[0] == '/' || s[0] == '\\' && len(s) > 1:
			if s[0] == '\\' {
				s = s[1:]
			}
			rest, ok := sedPattern(s[1:], s[0])
			if !ok {
				return "", false
			}
			s = strings.TrimLeft(rest, "IM")
		default:
			return s, true
		}
	}
	return "", true
}

// sedPattern skips to behind the next delimiter that is not escaped. A bracket expression may hold one; since versions
// of sed differ on that, such a pattern is not told.
func sedPattern(s string, delimiter byte) (string, bool) {
	bracket := false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case delimiter:
			return s[i+1:], !bracket
		case '[':
			bracket = true
		case ']':
			bracket = false
		}
	}
	return "", false
}

func sedSubstitute(s string) (string, bool) {
	if s == "" || s[0] == '\n' || s[0] == '\\' {
		return "", false
	}
	rest, ok := sedPattern(s[1:], s[0])
	if !ok {
		return "", false
	}
	if rest, ok = sedReplacement(rest, s[0]); !ok {
		return "", false
	}
	rest = strings.TrimLeft(rest, "gpiIM0123456789 \t")
	return rest, rest == "" || strings.IndexByte("\n;}#", rest[0]) >= 0
}

// sedReplacement skips the replacement, in which brackets mean nothing.
func sedReplacement(s string, delimiter byte) (string, bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case delimiter:
			return s[i+1:], true
		}
	}
	return "", false
}

const awkOptions = "F: v: f:! i:! l:! e:% E:! o=@ d=@ p=@ D=! --assign: --field-separator: --file:! --exec:! " +
	"--include:! --load:! --source:% " +
	"--dump-variables=@ --profile=@ --pretty-print=@ --debug=! --version. --help."

// awk looks at options and program: a program of awk can write files and run commands.
func awk(c *call) {
	p := c.parse(awkOptions)
	files := p.operands
	if len(p.programs) == 0 && len(files) > 0 {
		p.programs, files = files[:1], files[1:]
	}
	if c.includes("inplace") {
		c.writes("awk -i inplace edits its files", c.targets(files)...)
		return
	}
	if p.elsewise {
		c.writes(p.why, Target{})
		return
	}
	var targets []Target
	doubt := p.runs != "" || p.loose
	for _, program := range p.programs {
		if path, ok := awkPrints(program.text); ok {
			targets = append(targets, c.w.scope.target(literal(path)))
		}
		text := strings.NewReplacer("||", "", ">=", "").Replace(program.text)
		prints := strings.Contains(text, "print") // without it > only compares
		doubt = doubt || !program.known || strings.ContainsAny(text, "|@") || strings.Contains(text, "system") ||
			prints && strings.Contains(text, ">")
	}
	switch {
	case len(harm(targets)) > 0:
		c.writes("the program of awk prints to a file", targets...)
	case doubt:
		c.ambiguous("what the program of awk does cannot be told")
	default:
		c.reads()
	}
}

func (c *call) includes(library string) bool {
	for i, a := range c.args {
		next := ""
		if i+1 < len(c.args) {
			next = c.args[i+1].text
		}
		switch {
		case (a.text == "-i" || a.text == "--include") &&
			next == library, a.text == "-i"+library, a.text == "--include="+library:
			return true
		}
	}
	return false
}

// awkPrints finds print … > "file" in a program of awk.
func awkPrints(program string) (path string, ok bool) {
	for statement := range strings.FieldsFuncSeq(program,
		func(r rune) bool { return strings.ContainsRune(";\n}", r) }) {
		_, printed, _ := strings.Cut(statement, "print")
		_, to, _ := strings.Cut(printed, ">")
		if name, quoted := strings.CutPrefix(strings.TrimLeft(to, "> \t"), `"`); quoted {
			name, _, closed := strings.Cut(name, `"`)
			return name, closed
		}
	}
	return "", false
}

// perl edits its files with -i, and else runs code. So does ruby.
func perl(c *call) {
	opts := "i=* e:! E:! n p l= 0= F: I: M=! m=! x= C= r:! c v. --version. --help."
	p := c.parse(opts)
	if p.inPlace {
		files := p.operands
		if p.runs == "" && len(files) > 0 {
			files = files[1:]
		}
		c.writes(p.why, append(c.targets(files), p.unnamedWhere(len(files) == 0)...)...)
		return
	}
	c.interpret(opts)
}

// unnamedWhere returns a file of which nothing is known, on a condition.
func (p parsed) unnamedWhere(condition bool) []Target {
	if condition {
		return []Target{{}}
	}
	return nil
}
