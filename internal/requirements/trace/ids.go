package trace

import (
	"slices"
	"strings"
	"unicode"

	"orchestrator/internal/requirements/reqid"
)

// book is what is known of the ids of the requirements, made for finding them at the start of a text.
type book struct {
	known  map[string]bool
	spaced map[string][]string // ids that hold delimiters, by their start up to the first, longest first
	alike  map[string][]string // ids by their fold
	stems  map[string]bool     // how ids begin: letters, and the joiner if one follows
}

func newBook(ids []string) *book {
	b := &book{map[string]bool{}, map[string][]string{}, map[string][]string{}, map[string]bool{}}
	for _, id := range ids {
		b.known[id] = true
		key := fold(id)
		b.alike[key] = append(b.alike[key], id)
		if first, more := cutWord(id); more != "" {
			b.spaced[first] = append(b.spaced[first], id)
			continue
		}
		if letters, joiner, rest := stem(id); letters != "" && rest != "" {
			b.stems[letters+joiner] = true
		}
	}
	for _, list := range b.spaced {
		slices.SortFunc(list, func(x, y string) int { return len(y) - len(x) })
	}
	return b
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
	id    string
	known bool
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
		ids = append(ids, named{id, b.known[id]})
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
	if cut := strings.IndexAny(word, ":/"); cut > 0 && !b.known[word] {
		word = word[:cut]
	}
	for !b.known[word] {
		shorter := strings.TrimRight(word, afterID)
		if shorter == word || shorter == "" {
			break
		}
		word = word[:len(word)-1]
	}
	return word, s[len(word):], b.known[word] || b.looksLikeID(word)
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
