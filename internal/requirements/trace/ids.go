package trace

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/reqid"
)

// book is what is known of the ids of the requirements, made for finding them at the start of a text.
type book struct {
	known  map[string]bool
	short  map[string][]string // ids by their short form
	former map[string]bool     // ids that requirements had
	spaced map[string][]string // ids that hold delimiters, by their start up to the first, longest first
	alike  map[string][]string // ids by their fold
	stems  map[string]bool     // how ids begin: letters, and the joiner if one follows
}

func newBook(ids []string, short map[string][]string) *book {
	b := &book{map[string]bool{}, short, map[string]bool{}, map[string][]string{}, map[string][]string{},
		map[string]bool{}}
	whole := map[string]bool{} // ids that have a short form
	for _, form := range slices.Sorted(maps.Keys(short)) {
		b.add(form, short[form], true)
		for _, id := range short[form] {
			whole[id] = true
		}
	}
	for _, id := range ids {
		b.add(id, []string{id}, !whole[id])
		if len(short[id]) > 1 {
			b.known[qualify.OneFolder+id] = true
		}
	}
	for _, list := range b.spaced {
		slices.SortFunc(list, func(x, y string) int { return len(y) - len(x) })
	}
	return b
}

// remember takes note of the ids that requirements had.
func (b *book) remember(all []Requirement) *book {
	for _, r := range all {
		for _, id := range r.Former {
			b.former[id] = qualify.Short(r.ID, r.Path) != id
		}
	}
	return b
}

// add takes a way to write ids. Its first letters tell ids from prose, unless they are those of a folder.
func (b *book) add(text string, ids []string, tells bool) {
	b.known[text] = true
	key := fold(text)
	b.alike[key] = append(b.alike[key], ids...)
	if first, more := cutWord(text); more != "" {
		b.spaced[first] = append(b.spaced[first], text)
		return
	}
	if letters, joiner, rest := stem(text); tells && letters != "" && rest != "" {
		b.stems[letters+joiner] = true
	}
}

// whole returns the id that a known text stands for; the text itself if it could be several.
func (b *book) whole(text string) string {
	if ids := b.short[text]; len(ids) == 1 {
		return ids[0]
	}
	return text
}

const (
	// between may stand between the ids of a list, and round them.
	between = " \t,;`\"'()[]{}<>|&+*_/"
	// delimiters end a word; joiners such as '*' and '_' may be part of an id.
	delimiters = " \t,;`\"'()[]{}<>|&"
	// afterID is what may follow an id without being part of it.
	afterID = ".:!?*_/-~#%\\"
)

// named is one id in a mark.
type named struct {
	id     string
	known  bool
	exact  bool   // not by its short form
	former string // as the text has it, where the requirement has another id now
}

// list reads the ids at the start of s, up to the first word that is none, and says whether a comma ends them.
func (b *book) list(s string) (ids []named, comma bool) {
	for {
		gap := len(s) - len(strings.TrimLeft(s, between))
		comma = len(ids) > 0 && strings.Contains(s[:gap], ",")
		if s = s[gap:]; s == "" {
			return ids, comma
		}
		if word, rest := cutWord(s); strings.EqualFold(word, "and") && len(ids) > 0 {
			s = rest
			continue
		}
		id, rest, found := b.first(s)
		if !found {
			return ids, false
		}
		one := named{id: b.whole(id), known: b.known[id]}
		if exact, is := strings.CutPrefix(id, qualify.OneFolder); is && one.known && len(b.short[exact]) > 1 {
			one.id, one.exact = exact, true
		}
		if one.id != id && b.former[id] {
			one.former = id
		}
		ids = append(ids, one)
		if s = rest; s != "" && strings.ContainsAny(s[:1], ".:") {
			return ids, false // the sentence, or the list, ends here
		}
	}
}

// first returns the id at the start of s, known or not, and what follows it.
func (b *book) first(s string) (id, rest string, found bool) {
	word, _ := cutWord(s)
	for _, id := range b.spaced[word] {
		if strings.HasPrefix(s, id) && ends(s[len(id):]) {
			return id, s[len(id):], true
		}
	}
	if trimmed := b.trim(word); b.known[trimmed] {
		return trimmed, s[len(trimmed):], true
	}
	if b.inFolder(word) {
		word = strings.TrimRight(word, afterID)
		return word, s[len(word):], true
	}
	if cut := strings.IndexAny(word, ":/"); cut > 0 {
		word = word[:cut]
	}
	word = b.trim(word)
	return word, s[len(word):], b.known[word] || b.looksLikeID(word)
}

// trim takes from the end of a word what may follow an id, until it is one or nothing is left to take.
func (b *book) trim(word string) string {
	for !b.known[word] {
		shorter := strings.TrimRight(word, afterID)
		if shorter == word || shorter == "" {
			break
		}
		word = word[:len(word)-1]
	}
	return word
}

// inFolder reports a word that is a folder and what a document there would call a requirement, though none does: an id
// of another folder, or of one that has another name now.
func (b *book) inFolder(word string) bool {
	at := strings.LastIndexByte(strings.TrimRight(word, afterID), '/')
	if at < 1 || len(b.short) == 0 {
		return false
	}
	first, _, _ := strings.Cut(word, "/")
	last := strings.TrimRight(word[at+1:], afterID)
	return !b.known[first] && (b.known[last] || b.looksLikeID(last))
}

// ends reports whether an id may end before s.
func ends(s string) bool {
	return s == "" || strings.ContainsAny(s[:1], delimiters+afterID)
}

// looksLikeID keeps prose from being taken for ids: a word counts when it differs from an id as people err, begins as
// the ids of this project do, or has the shape of an id that nobody takes for anything else.
func (b *book) looksLikeID(word string) bool {
	letters, joiner, rest := stem(word)
	digit := strings.ContainsFunc(rest, unicode.IsDigit)
	switch {
	case letters == "" || rest == "":
		return false
	case b.stems[letters+joiner] && (digit || joiner != ""):
		return true
	case digit && joiner != "" && b.stems[strings.ToUpper(letters)+joiner]:
		return true
	case digit && len(b.alike[fold(word)]) > 0:
		return true
	}
	return reqid.LooksLike(word)
}

// similar returns the ids that differ from this one in case, in leading zeros or in what joins its parts alone.
func (b *book) similar(id string) []string { return b.alike[fold(id)] }

// cutWord returns s up to its first delimiter, and from there on.
func cutWord(s string) (word, rest string) {
	if end := strings.IndexAny(s, delimiters); end >= 0 {
		return s[:end], s[end:]
	}
	return s, ""
}

// stem takes apart letters at the start, the joiner that follows them, if any, and the rest.
func stem(word string) (letters, joiner, rest string) {
	end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		return word, "", ""
	}
	letters, rest = word[:end], word[end:]
	if strings.ContainsAny(rest[:1], "-_.~") {
		return letters, rest[:1], rest[1:]
	}
	return letters, "", rest
}

// fold returns a key that is equal for ids that differ in case, in leading zeros or in what joins their parts alone:
// REQ-007 and req7. Two numbers stay apart: 1-1 is not 11.
func fold(id string) string {
	var b strings.Builder
	inNumber := false
	for i, r := range id {
		switch {
		case unicode.IsLetter(r):
			b.WriteRune(unicode.ToLower(r))
		case unicode.IsDigit(r) && !inNumber:
			b.WriteString("#" + strings.TrimLeft(digits(id[i:]), "0"))
		}
		inNumber = unicode.IsDigit(r)
	}
	return b.String()
}

// digits returns the number at the start of s.
func digits(s string) string {
	if end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsDigit(r) }); end >= 0 {
		return s[:end]
	}
	return s
}
