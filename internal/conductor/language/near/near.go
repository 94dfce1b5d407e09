// Package near finds what somebody may have meant: the wording of a pattern that is nearest to a sentence.
//
// It is pure. Distances are those of letters within words, and of words within sentences, so that the same sentence has
// the same wording in every run.
package near

import (
	"slices"
	"strings"
)

// MaxWords is the most words of a sentence that is compared.
const MaxWords = 20

// Limit is the greatest distance at which a wording counts as what was meant: some letters, or one word.
const Limit = 4

// What a difference costs.
const (
	never     = 1 << 20
	word      = 3 // a word that is too much or missing, and no shorter
	emptySlot = 4 // a slot without a value
)

// Slot reports whether a text may stand in a slot of a type.
type Slot func(typ, text string) bool

// Wording is a sentence of a pattern.
type Wording struct {
	Text     string
	Distance int // from the sentence that was said
}

// Pattern is a pattern of words, [what may be missing], (one|of|these) and {slots}, as a graph: each edge leads from a
// node to a later one.
type Pattern struct {
	from [][]edge
	act  bool
}

type edge struct {
	to         int
	word, slot string // neither: the edge takes no words
	name       string // of the slot
}

// Compile reads a pattern, whose brackets are known to be closed. That of an act is nearest to fewer sentences, since
// many speak of an act and do not ask for it: who approved it, should I approve it, Bob approves it.
func Compile(say string, act bool) *Pattern {
	p := &Pattern{from: make([][]edge, 1), act: act}
	p.alternatives(say, 0)
	return p
}

func (p *Pattern) node() int {
	p.from = append(p.from, nil)
	return len(p.from) - 1
}

// alternatives reads up to the bracket that closes them, and returns what stands behind it and the node that all lead
// to.
func (p *Pattern) alternatives(say string, from int) (rest string, to int) {
	var ends []int
	for {
		rest, end := p.sequence(say, from)
		ends = append(ends, end)
		if !strings.HasPrefix(rest, "|") {
			say = strings.TrimPrefix(strings.TrimPrefix(rest, "]"), ")")
			break
		}
		say = rest[1:]
	}
	to = p.node()
	for _, end := range ends {
		p.from[end] = append(p.from[end], edge{to: to})
	}
	return say, to
}

// sequence reads up to a bar or a closing bracket.
func (p *Pattern) sequence(say string, from int) (rest string, to int) {
	for say = strings.TrimLeft(say, " "); say != ""; say = strings.TrimLeft(say, " ") {
		var e edge
		switch say[0] {
		case '|', ']', ')':
			return say, from
		case '[', '(':
			optional := say[0] == '['
			inner := from
			say, to = p.alternatives(say[1:], from)
			if optional {
				p.from[inner] = append(p.from[inner], edge{to: to})
			}
			from = to
			continue
		case '{':
			slot, behind, _ := strings.Cut(say[1:], "}")
			name, typ, named := strings.Cut(slot, ":")
			if !named {
				typ = name
			}
			e, say = edge{slot: typ, name: name}, behind
		default:
			n := strings.IndexAny(say, " []()|{")
			if n < 0 {
				n = len(say)
			}
			e, say = edge{word: say[:n]}, say[n:]
		}
		e.to = p.node()
		p.from[from] = append(p.from[from], e)
		from = e.to
	}
	return "", from
}

// step is the cheapest way to a node after some words: what it costs, and what was said last on it.
type step struct {
	cost       int
	node, at   int // where it came from
	said       string
	recognized bool // the way has a word of the pattern that was said
}

// Nearest returns the wording of a pattern that is nearest to the words of a sentence; ok is false where none of its
// words was said.
func (p *Pattern) Nearest(words []string, fits Slot) (w Wording, ok bool) {
	ways := p.ways(words, fits)
	last, at := len(p.from)-1, len(words)
	end := ways[last][at]
	if end.cost >= never {
		return Wording{}, false
	}
	var said []string
	for node := last; node > 0 || at > 0; {
		s := ways[node][at]
		if s.said != "" {
			said = append(said, s.said)
		}
		node, at = s.node, s.at
	}
	slices.Reverse(said)
	return Wording{strings.Join(said, " "), end.cost}, end.recognized
}

// ways finds the cheapest way to each node after each number of words.
func (p *Pattern) ways(words []string, fits Slot) [][]step {
	ways := make([][]step, len(p.from))
	for node := range ways {
		ways[node] = make([]step, len(words)+1)
		for at := range ways[node] {
			ways[node][at].cost = never
		}
	}
	ways[0][0].cost = 0
	for node, edges := range p.from {
		for at := range ways[node] {
			here := ways[node][at]
			if here.cost >= never {
				continue
			}
			if at < len(words) {
				improve(&ways[node][at+1], here, step{cost: p.tooMuch(words[at], at, node), node: node, at: at})
			}
			for _, e := range edges {
				p.follow(e, ways, words, step{cost: here.cost, node: node, at: at, recognized: here.recognized}, fits)
			}
		}
	}
	return ways
}

// improve puts a step behind another one, where that is the cheapest way there.
func improve(there *step, here, by step) {
	by.cost += here.cost
	by.recognized = by.recognized || here.recognized
	if by.cost < there.cost {
		*there = by
	}
}

// follow goes along an edge in every way that the words allow.
func (p *Pattern) follow(e edge, ways [][]step, words []string, here step, fits Slot) {
	to := ways[e.to]
	by := func(cost int, said string, known bool) step {
		return step{cost: cost, node: here.node, at: here.at, said: said, recognized: known}
	}
	switch {
	case e.word != "":
		if d := p.missing(e.word, words[here.at:]); d < never {
			improve(&to[here.at], here, by(d, e.word, false))
		}
		if here.at < len(words) {
			if d := p.between(words[here.at], e.word, words[here.at+1:]); d < never {
				improve(&to[here.at+1], here, by(d, e.word, len(e.word) > 2))
			}
		}
	case e.slot != "":
		improve(&to[here.at], here, by(emptySlot, strings.ToUpper(e.name), false))
		for end := here.at + 1; end <= len(words); end++ {
			if text := strings.Join(words[here.at:end], " "); fits(e.slot, text) {
				improve(&to[end], here, by(0, text, false))
			}
		}
	default:
		improve(&to[here.at], here, by(0, "", false))
	}
}

// tooMuch returns what it costs to leave a word out. What turns the meaning or may be a value is never left out, nor
// what stands before an act, such as who does it; and with a word less that says anything, a sentence is not near, as
// the word may limit it.
func (p *Pattern) tooMuch(said string, at, node int) int {
	lower := bare(said)
	switch {
	case kept(said, at), p.act && node == 0:
		return never
	case !idle[lower] && (p.act || !idleWhenAsked[lower]):
		return Limit + 1
	}
	return min(len(said), word)
}

// missing returns what it costs that a word of the pattern is not said before the rest of a sentence. What turns the
// meaning is never put in, and into an act nothing but what links its words, or because before a reason.
func (p *Pattern) missing(meant string, rest []string) int {
	switch {
	case turning[meant] && meant != "and", p.act && meant == "because" && !reason(rest),
		p.act && meant != "because" && !linking[meant]:
		return never
	}
	return min(len(meant), word)
}

// between returns how many letters a word differs from one of a pattern. It is never where they differ in more letters
// than a slip has, where it is another word, and where a word of an act is only another form of the verb: who approves
// has not approved.
func (p *Pattern) between(said, meant string, rest []string) int {
	said, meant = strings.ToLower(strings.TrimRight(said, ",:")), strings.ToLower(meant)
	if said == meant {
		return 0
	}
	if meant == "because" && forBecause[said] && reason(rest) {
		return 1
	}
	if said == "" || another(said, meant) || p.act && !begins(said, meant) {
		return never
	}
	if stem := strings.TrimSuffix(meant, "e"); p.act && strings.HasPrefix(said, stem) {
		switch said[len(stem):] {
		case "s", "es", "d", "ed", "ing", "er", "al":
			return never
		}
	}
	return Slips(said, meant)
}

// Slips returns how many letters a word differs from another one: added, left out, replaced or swapped. It is a large
// number where they differ in more letters than a slip has.
func Slips(said, meant string) int {
	a, b := []rune(said), []rune(meant)
	most := 0
	switch {
	case len(b) > 8:
		most = 3
	case len(b) > 5:
		most = 2
	case len(b) > 3:
		most = 1
	}
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return never
	}
	if d := Distance(a, b); d <= most {
		return d
	}
	return never
}

// Distance returns the number of single letters to add, leave out, replace or swap with the next.
func Distance(a, b []rune) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		now := make([]int, len(b)+1)
		now[0] = i + 1
		for j := range b {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			now[j+1] = min(replaced, last[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last = last, now
	}
	return last[len(b)]
}
