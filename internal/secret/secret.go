// Package secret finds in free text what looks like a credential: private keys, the tokens of known services and of
// this one, credentials in headers, URLs and assignments.
//
// It knows secrets by their form alone and asks nobody whether they are real. What has the form of a digest, a commit
// id, a UUID or a path is none, and neither is what visibly stands for one (`ghp_xxxx`, `${TOKEN}`). Nothing that it
// returns holds what was found. A secret without such a form or name is not found, and neither is one that is encoded.
// Time grows with the length of a text, whatever is in it. The package does no I/O.
package secret

import (
	"strings"

	"orchestrator/internal/fault"
)

// Finding is a place in a text that looks like a secret. It never holds the secret.
type Finding struct {
	Rule  fault.Code // what it was known by
	What  string     // the same in words, such as "an AWS access key"
	Start int        // first byte of the secret in the text
	End   int        // the byte after its last
}

// Find lists what looks like a secret in a text, in its order; no two of them overlap.
//
// Implements: ORC-108
func Find(text string) []Finding {
	seen, cuts := visible(text)
	s := scanner{text: seen}
	var found []Finding
	for at := 0; ; {
		f, ok := s.next(at)
		if !ok {
			return found
		}
		found = append(found, placed(f, cuts))
		at = f.End
	}
}

// Mask returns a text in which every secret is replaced by the name of the rule that knew it.
func Mask(text string) string {
	found := Find(text)
	if len(found) == 0 {
		return text
	}
	var masked strings.Builder
	at := 0
	for _, f := range found {
		masked.WriteString(text[at:f.Start])
		masked.WriteString("[masked " + string(f.Rule) + "]")
		at = f.End
	}
	masked.WriteString(text[at:])
	return masked.String()
}

// scanner looks for secrets from left to right. It remembers the runs of characters that it has measured, so that a
// text in which every character could begin a secret is not measured once for each.
type scanner struct {
	text string
	runs [sets]struct{ from, to int }
}

// next returns the first finding that begins at or after a byte.
func (s *scanner) next(at int) (f Finding, found bool) {
	for i := at; i < len(s.text); i++ {
		switch anchors[s.text[i]] {
		case begins:
			if i > 0 && is[alnum][s.text[i-1]] {
				continue // in a word
			}
			f, found = s.prefixed(i)
		case assigns:
			f, found = s.assigned(i)
		case dash:
			f, found = s.privateKey(i)
		default:
			continue
		}
		if found && f.Start >= at {
			return f, true
		}
	}
	return Finding{}, false
}

// run returns where the run of characters of a set ends that the byte at from is in.
func (s *scanner) run(set set, from int) int {
	r := &s.runs[set]
	if from < r.from || from >= r.to {
		for r.from, r.to = from, from; r.to < len(s.text) && is[set][s.text[r.to]]; {
			r.to++
		}
	}
	return r.to
}

// prefixed knows a secret by how it begins.
func (s *scanner) prefixed(at int) (Finding, bool) {
	rest := s.text[at:]
	if len(rest) < 3 || !starts[start(rest)] {
		return Finding{}, false
	}
	for i := range leads[rest[0]] {
		l := &leads[rest[0]][i]
		if !l.leads(rest) {
			continue
		}
		if l.reach != nil {
			if reach := l.reach(rest); reach > 0 {
				return Finding{l.name, l.what, at, at + reach}, true
			}
			continue
		}
		from := at + len(l.prefix)
		for blanks := 0; l.scheme && blanks < 4 && from < len(s.text) && s.text[from] == ' '; blanks++ {
			from++
		}
		end := s.run(l.of, from)
		body := s.text[from:end]
		if len(body) < l.least || len(body) > l.most || end < len(s.text) && is[alnum][s.text[end]] || !l.real(body) {
			continue
		}
		if l.scheme {
			at = from
		}
		return Finding{l.name, l.what, at, end}, true
	}
	return Finding{}, false
}

func (l *lead) leads(text string) bool {
	if len(text) < len(l.prefix) {
		return false
	}
	start := text[:len(l.prefix)]
	return start == l.prefix || l.scheme && strings.EqualFold(start, l.prefix)
}
