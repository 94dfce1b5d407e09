// Package idmatch finds the ids of requirements in names of tests and other short texts.
//
// What names REQ-7:
//
//   - the id itself, between characters that are neither letters nor digits: "[REQ-7]", "logs in (REQ-7)";
//   - the same letters and numbers in an identifier, where the case may differ and each separator may be missing or be
//     another one of "-_./ ": TestLogin_REQ7, test_req_7_login, TestREQ7Login.
//
// What does not: letters that begin or end inside a word (FREQ7), a number that is not the whole number (REQ70, REQ07,
// REQ-7.1), a number with its own letter (REQ7a), numbers that are split in another way (FR11 for FR-1.1), and what
// could name another id: where REQ-7 and REQ7 are both known, or REQ-7 and REQ-7.1, only the id itself tells REQ7 and
// REQ_7_2 apart.
//
// An id of words without a number ("Log in") is found as it is written only. A number without letters ("3") and a
// single word ("login") are too common for that: they count only as "[3]" or "@3", and not right behind a letter or
// digit, where they are an index. The longest id wins over those inside it. An id with a folder in front is named by
// its short form, too, where that is of no other. The package does no I/O.
package idmatch

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/requirements/reqid"
)

// IDs knows all ids to look for. It never changes, so goroutines may share one.
type IDs struct {
	keys    []string          // of all ids that are found as words, sorted, each once
	loose   []string          // for each key: the one id that any way of writing it names, or ""
	starts  [256]span         // the keys by their first byte
	exact   map[string]string // ids by how they are written
	marked  map[string]string // those of them that count only behind "@" or in brackets
	longest int               // bytes of the longest marked id
}

// span is a range of keys, from <= i < to.
type span struct{ from, to int }

// New prepares to look for ids. It takes 100,000 of them in well under a second.
func New(ids []string) *IDs { return Named(ids, nil) }

// Named prepares to look for ids, and for their short forms, each with the ids that have it: "FR-1" for a/FR-1. A short
// form of one id stands for that id. One of several, if nobody takes it for anything else, is found as it is.
func Named(ids []string, short map[string][]string) *IDs {
	x := &IDs{exact: map[string]string{}, marked: map[string]string{}}
	byKey := map[string]string{}
	numbered := map[string]bool{} // ids whose number alone tells them apart: login/1 is not Login1
	for _, form := range slices.Sorted(maps.Keys(short)) {
		if letters, _ := count(split(form)); letters == 0 {
			for _, id := range short[form] {
				numbered[id] = true
			}
		}
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		x.add(byKey, id, id, !numbered[id])
	}
	for _, form := range slices.Sorted(maps.Keys(short)) {
		if of := short[form]; slices.Contains(of, form) {
			continue // it is an id as well, and found as it is
		} else if len(of) == 1 {
			x.add(byKey, form, of[0], true)
		} else if reqid.LooksLike(form) {
			x.add(byKey, form, form, true)
		}
	}
	x.sort(byKey)
	return x
}

// add takes a way to write an id; loosely also in other ways with the same letters and numbers, if these name no other.
func (x *IDs) add(byKey map[string]string, text, id string, loosely bool) {
	words := split(text)
	switch letters, digits := count(words); {
	case text == "":
	case letters == 0 || letters == 1 && digits == 0:
		x.marked[text] = id
		x.longest = max(x.longest, len(text))
	default:
		x.exact[text] = id
		key := string(key(words))
		if _, taken := byKey[key]; taken || digits == 0 || !loosely {
			id = ""
		}
		byKey[key] = id
	}
}

// sort makes the keys fit to be looked for.
func (x *IDs) sort(byKey map[string]string) {
	x.keys = slices.Sorted(maps.Keys(byKey))
	for i, key := range x.keys {
		x.loose = append(x.loose, byKey[key])
		if first := &x.starts[key[0]]; first.to == 0 {
			*first = span{i, i + 1}
		} else {
			first.to = i + 1
		}
	}
}

func count(words []word) (letters, digits int) {
	for _, w := range words {
		if w.digits {
			digits++
		} else {
			letters++
		}
	}
	return letters, digits
}

// In returns the ids that a name mentions, in the order of their first mention, each once; nil when it mentions none.
// It takes time in proportion to the length of the name.
func (x *IDs) In(name string) []string {
	var found []string
	var seen map[string]bool
	add := func(id string) {
		if id == "" || seen[id] {
			return
		}
		if seen == nil {
			seen = map[string]bool{}
		}
		seen[id] = true
		found = append(found, id)
	}
	words := split(name)
	for at := 0; at < len(words); {
		add(x.mark(name, words[at].from-len(words[at].before), words[at].from))
		id, used := x.longestAt(name, words, at)
		add(id)
		at += max(used, 1)
	}
	return found
}

// longestAt returns the longest id that begins with the word at, and of how many words it is; "" when there is none.
func (x *IDs) longestAt(name string, words []word, at int) (id string, used int) {
	if !words[at].mayBegin(words[:at]) {
		return "", 0
	}
	var buffer [64]byte
	text, in, plain := buffer[:0], span{}, true
	for end := at; end < len(words); end++ {
		w := words[end]
		text = w.appendTo(text, words[at:end])
		if end == at {
			in = x.starts[text[0]]
		} else {
			plain = plain && w.joined()
		}
		if in = x.narrow(in, text); in.from == in.to {
			break
		}
		if x.keys[in.from] != string(text) || !w.mayEnd(words[end+1:]) {
			continue
		}
		if one := x.loose[in.from]; one != "" && plain && !x.goesOn(in, text, words[end:]) {
			id, used = one, end-at+1
		} else if one := x.written(name, words[at:], end-at); one != "" {
			id, used = one, end-at+1
		}
	}
	return id, used
}

// narrow keeps the keys that begin with text.
func (x *IDs) narrow(in span, text []byte) span {
	keys := x.keys[in.from:in.to]
	from := sort.Search(len(keys), func(i int) bool { return keys[i] >= string(text) })
	keys = keys[from:]
	many := sort.Search(len(keys), func(i int) bool { return keys[i][:min(len(keys[i]), len(text))] > string(text) })
	return span{in.from + from, in.from + from + many}
}

// goesOn reports that another number follows, as in the ids of the span that are longer than text: where FR-1 and
// FR-1.1 are known, FR_1_2 is not FR-1.
func (x *IDs) goesOn(in span, text []byte, words []word) bool {
	if len(words) < 2 || !words[0].digits || !words[1].digits {
		return false
	}
	longer := x.narrow(in, append(text, '-'))
	return longer.from < longer.to
}

// written returns the id that stands, letter for letter, from the first word to the word last, or "". An id may have
// up to two bytes of symbols at its ends, which belong to no word.
func (x *IDs) written(name string, words []word, last int) string {
	from, to := words[0].from, words[last].to
	if words[0].glued || last+1 < len(words) && words[last+1].glued {
		return ""
	}
	for size := 4; size >= 0; size-- {
		for before := min(2, size); before >= max(0, size-2); before-- {
			if from-before < 0 || to+size-before > len(name) {
				continue
			}
			if id := x.exact[name[from-before:to+size-before]]; id != "" {
				return id
			}
		}
	}
	return ""
}

// mark returns the marked id whose first word begins at begin, or ""; after is where the word before ended.
func (x *IDs) mark(name string, after, begin int) string {
	window := max(after, begin-x.longest-1)
	sign := window + strings.LastIndexAny(name[window:begin], "[@")
	if x.longest == 0 || sign < window || sign == after && after > 0 {
		return ""
	}
	rest := name[sign+1 : min(len(name), sign+x.longest+4)]
	closing := "]"
	if name[sign] == '@' {
		closing = " \t\r\n,;:!?()[]{}<>\"'`"
	}
	end := strings.IndexAny(rest, closing)
	if end < 0 && (name[sign] == '[' || sign+1+len(rest) < len(name)) {
		return ""
	}
	if end >= 0 {
		rest = rest[:end]
	}
	if name[sign] == '@' {
		rest = strings.TrimSuffix(rest, ".")
	}
	return x.marked[rest]
}

// key returns what all ways of writing an id have in common: its letters, in small, and its numbers, with "-" between
// two numbers.
func key(words []word) []byte {
	var text []byte
	for i, w := range words {
		text = w.appendTo(text, words[:i])
	}
	return text
}

// appendTo adds a word to a key of the words before it.
func (w word) appendTo(text []byte, before []word) []byte {
	if w.digits && len(before) > 0 && before[len(before)-1].digits {
		text = append(text, '-')
	}
	for _, r := range w.text {
		text = utf8.AppendRune(text, unicode.ToLower(r))
	}
	return text
}

// Cache keeps what finds the ids that were asked for last: to make it takes longer than to use it. The zero value is
// empty. It is safe for concurrent use.
type Cache struct{ last atomic.Pointer[cached] }

type cached struct {
	ids   []string
	short map[string][]string
	finds *IDs
}

// Of returns what Named returns. Neither may change afterwards.
func (c *Cache) Of(ids []string, short map[string][]string) *IDs {
	if last := c.last.Load(); last != nil && slices.Equal(last.ids, ids) && maps.EqualFunc(last.short, short, slices.Equal) {
		return last.finds
	}
	now := &cached{ids, short, Named(ids, short)}
	c.last.Store(now)
	return now.finds
}
