package shell

import (
	"strings"

	"orchestrator/internal/boundary/shell/sedscript"
)

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
		c.writesOrReads(p.why, c.targets(files)...)
		return
	}
	for _, program := range p.programs {
		if !program.known || !sedscript.Harmless(program.text) {
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
		c.writesOrReads("awk -i inplace edits its files", c.targets(files)...)
		return
	}
	if p.elsewise {
		c.writesOrReads(p.why, Target{})
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
		c.writesOrReads("the program of awk prints to a file", targets...)
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
		c.writesOrReads(p.why, append(c.targets(files), p.unnamedWhere(len(files) == 0)...)...)
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
