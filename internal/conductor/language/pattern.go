package language

import (
	"regexp"
	"strings"
)

// pattern is one way to say something: words in any case, [what may be missing], (one|of|these), and {slots}.
// {status} is a slot of that type and name, {to:status} one of another name.
type pattern struct {
	say   string
	re    *regexp.Regexp
	types map[string]string // of the slots, by name
}

// between separates two words: a comma or colon may stand before the space.
const between = `[,:]? `

// contractions are other ways to write words that stand together in a pattern.
var contractions = strings.NewReplacer(
	between+"what"+between+"is", "(?:"+between+"what"+between+"is|"+between+"what'?s)",
	between+"who"+between+"is", "(?:"+between+"who"+between+"is|"+between+"who'?s)",
	between+"how"+between+"is", "(?:"+between+"how"+between+"is|"+between+"how'?s)",
	between+"where"+between+"is", "(?:"+between+"where"+between+"is|"+between+"where'?s)",
	between+"name"+between+"is", "(?:"+between+"name"+between+"is|"+between+"name'?s)",
)

// compile panics at a pattern that is wrong; a test compiles all.
func compile(say string) *pattern {
	p := &pattern{say: say, types: map[string]string{}}
	var b strings.Builder
	for rest := say; rest != ""; {
		n := 1
		switch rest[0] {
		case ' ':
		case '[', '(':
			b.WriteString("(?:")
		case ']':
			b.WriteString(")?")
		case ')', '|':
			b.WriteByte(rest[0])
		case '{':
			n = strings.IndexByte(rest, '}') + 1
			name, typ, named := strings.Cut(rest[1:n-1], ":")
			if !named {
				typ = name
			}
			p.types[name] = typ
			b.WriteString(between + "(?P<" + name + ">" + slotTypes[typ].match + ")")
		default:
			if n = strings.IndexAny(rest, " []()|{"); n < 0 {
				n = len(rest)
			}
			b.WriteString(between + regexp.QuoteMeta(rest[:n]))
		}
		rest = rest[n:]
	}
	p.re = regexp.MustCompile("(?i)^(?:" + contractions.Replace(b.String()) + ")$")
	return p
}

// read fills the slots from a sentence. When the words fit and a value does not, it says why.
func (p *pattern) read(sentence string) (slots map[string]any, why string, fits bool) {
	found := p.re.FindStringSubmatch(" " + sentence)
	if found == nil {
		return nil, "", false
	}
	slots = map[string]any{}
	for i, name := range p.re.SubexpNames() {
		if name == "" || found[i] == "" {
			continue
		}
		value, why := slotTypes[p.types[name]].read(found[i])
		if why != "" {
			return nil, why, true
		}
		slots[name] = value
	}
	return slots, "", true
}
