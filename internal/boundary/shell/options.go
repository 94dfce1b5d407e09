package shell

import (
	"strings"

	"orchestrator/internal/boundary/shell/lists"
)

// The options of a program stand in one string, separated by spaces. What a word of it means:
//
//	o      the short option -o       --output   the long one       -out   a long one with one dash
//	o:     it takes a value          o=         it may have one attached, never as the next word
//
// and behind it, what it does:
//
//	>   its value is a file that is written       /   its value is the folder that is written to
//	*   it writes the files that are named        @   it writes, and the file is not named
//	!   it may run anything                       .   with it, nothing is written
//	%   its value is the program text, which is then no operand
//	<   its value is a file that is read
//	^   it sends something                        ~   its value is a method, which sends unless it is GET or HEAD
//	&   it makes links, to what its value names   $   the links that it makes are to files seen from here
const optionMarks = "><*@!./%^~&$"

// parsed is what the options of a call say.
type parsed struct {
	operands []arg
	named    []Target // files that options name
	into     *arg     // the folder that an option names
	inPlace  bool
	elsewise bool // it writes files that are not named
	runs     string
	sends    bool // something goes to another machine
	dry      bool
	programs []arg // the program texts that came as options
	stdout   bool  // - was named where a file may be
	loose    bool  // words that may be any option
	why      string
	links    bool
	linked   []arg // the folders to whose files it makes links
	fromHere bool  // what links lead to is named as seen from here, not from the folder of the link
	strange  bool  // an option was given that the table has not, or one whose value may be several words
}

// option finds an option: its name as it stands in the table without dashes, its mark, and whether it takes a value.
type option struct {
	takes byte // ':' or '=' or 0
	mark  byte
	found bool
}

// isDry reports whether nothing is written. An option that the table has not may take back what another one says, as
// --no-dry-run does, and --dry-run=false.
func (p parsed) isDry() bool { return p.dry && !p.strange }

// find looks a name up, as spelled with its dashes; a long one also by its beginning, as programs do.
func find(table, name string) option {
	var close option
	for entry, at := "", lists.Begins(table, name); at >= 0; at = lists.Begins(table, name) {
		entry, table, _ = strings.Cut(table[at:], " ")
		if !strings.HasPrefix(entry, name) {
			continue // there is a space in the name
		}
		spelled := strings.TrimRight(entry, optionMarks+":=")
		if spelled == name || strings.HasPrefix(name, "--") && len(name) > 2 && strings.HasPrefix(spelled, name) {
			o := option{found: true}
			for _, c := range []byte(entry[len(spelled):]) {
				if c == ':' || c == '=' {
					o.takes = c
				} else {
					o.mark = c
				}
			}
			if spelled == name {
				return o
			}
			if !close.found || o.mark != 0 {
				close = o
			}
		}
	}
	return close
}

// isOption reports whether a word is an option, not an operand; a lone dash is a name for standard input, unless
// something follows it.
func isOption(a arg) bool {
	return a.text != "" && a.text[0] == '-' && (len(a.text) > 1 || !a.known)
}

// lead reads the options before the first operand, and returns what comes from there.
func (c *call) lead(table string) (p parsed, rest []arg) {
	args := c.args[c.sub:]
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.loose:
			p.loose = true
			return p, args[i:]
		case a.known && a.text == "--":
			return p, args[i+1:]
		case !isOption(a):
			return p, args[i:]
		}
		i += p.option(c, table, a, args[i+1:])
	}
	return p, nil
}

// parse reads the words after a program by the table of its options.
func (c *call) parse(table string) parsed {
	var p parsed
	args := c.args[c.sub:]
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.loose:
			p.loose = true
			p.operands = lists.Extend(p.operands, args, i)
		case a.known && a.text == "--":
			p.operands = append(p.operands, args[i+1:]...)
			return p
		case !isOption(a):
			p.operands = lists.Extend(p.operands, args, i)
			if table == lessOptions && strings.HasPrefix(a.text, "+") {
				p.runs = c.name + " + may run anything"
			}
		default:
			i += p.option(c, table, a, args[i+1:])
		}
	}
	return p
}

// option reads one word that is an option, and tells how many of the next words are its value.
func (p *parsed) option(c *call, table string, a arg, rest []arg) int {
	name, value, attached := strings.Cut(a.text, "=")
	o := find(table, name)
	if strings.HasPrefix(name, "--") || o.found {
		p.strange = p.strange || !o.found
		if attached {
			p.strange = p.strange || o.takes == 0
			p.apply(c, o, name, arg{text: value, known: a.known})
			return 0
		}
		p.loose = p.loose || !a.known
		return p.next(c, o, name, rest)
	}
	for i := 1; i < len(a.text); i++ {
		name, after := a.text[i:i+1], a.text[i+1:]
		switch o := find(table, name); {
		case o.takes == '=' || o.takes == ':' && (after != "" || !a.known):
			p.apply(c, o, name, arg{text: strings.TrimPrefix(after, "="), known: a.known})
			return 0
		case o.takes == ':':
			return p.next(c, o, name, rest)
		case o.found:
			p.apply(c, o, name, arg{})
		default:
			p.strange = true
		}
	}
	p.loose = p.loose || !a.known
	return 0
}

// next gives an option its value, which is the next word where it takes one.
func (p *parsed) next(c *call, o option, name string, rest []arg) int {
	if o.takes != ':' {
		p.apply(c, o, name, arg{})
		return 0
	}
	if len(rest) == 0 {
		return 0
	}
	p.strange = p.strange || rest[0].split
	p.apply(c, o, name, rest[0])
	return 1
}

// apply notes what an option does; a short one has its name without the dash.
func (p *parsed) apply(c *call, o option, name string, value arg) {
	why := ""
	switch {
	case strings.IndexByte(">*@!", o.mark) < 0:
	case name[0] == '-':
		why = c.name + " " + name
	default:
		why = c.name + " -" + name
	}
	switch o.mark {
	case '>':
		if value.known && value.text == "-" {
			p.stdout = true
			return
		}
		p.named, p.why = append(p.named, c.w.scope.target(value)), why+" writes a file"
	case '<':
		c.w.shown = c.w.mayShow(c.w.shown, value.wildcards())
	case '/':
		p.into = new(value)
	case '*':
		p.inPlace, p.why = true, why+" edits its files"
	case '@':
		p.elsewise, p.why = true, why+" writes files"
	case '!':
		p.runs = why + " may run anything"
	case '.':
		p.dry = true
	case '^':
		p.sends = true
	case '~':
		p.sends = p.sends || !fetches(value)
	case '&':
		p.links = true
		if o.takes != 0 {
			p.linked = append(p.linked, value)
		}
	case '$':
		p.fromHere = true
	case '%':
		p.programs = append(p.programs, value)
	}
}

// fetches reports whether a method of HTTP only asks for something.
func fetches(method arg) bool {
	return method.known && (strings.EqualFold(method.text, "GET") || strings.EqualFold(method.text, "HEAD"))
}
