// Package glob matches paths with patterns in which * and ? stand for anything in one element, and ** for any number of
// elements.
package glob

import (
	"path"
	"strings"
)

// Text matches a text without a slash.
func Text(pattern, text string) bool {
	if Literal(pattern) == pattern {
		return pattern == text // as most are
	}
	ok, _ := path.Match(pattern, text) // false for what is no pattern
	return ok
}

// Path matches a path, element by element; ** stands for any number of them.
func Path(pattern, name string) bool {
	if strings.HasPrefix(pattern, "/") != strings.HasPrefix(name, "/") ||
		!strings.HasPrefix(name, strings.TrimSuffix(Literal(pattern), "/")) {
		return false
	}
	return matchElements(elementsOf(pattern), elementsOf(name))
}

// Literal returns what a pattern begins with before anything may stand.
func Literal(pattern string) string {
	for i := range len(pattern) {
		switch pattern[i] {
		case '*', '?', '[', '\\':
			return pattern[:i]
		}
	}
	return pattern
}

// elements are the elements of a path that are left to look at.
type elements struct {
	rest string
	some bool // there is one at least; it may be empty
}

func elementsOf(name string) elements { return elements{strings.Trim(name, "/"), true} }

// next returns the first element, and those after it.
func (e elements) next() (first string, after elements) {
	first, rest, more := strings.Cut(e.rest, "/")
	return first, elements{rest, more}
}

func matchElements(pattern, name elements) bool {
	for pattern.some {
		wanted, after := pattern.next()
		if wanted == "**" {
			return matchBelow(after, name)
		}
		element, rest := name.next()
		if !name.some || !Text(wanted, element) {
			return false
		}
		pattern, name = after, rest
	}
	return !name.some
}

// matchBelow matches what comes after ** with what is left of a name, or less.
func matchBelow(pattern, name elements) bool {
	for pattern.some { // two are as one, and cost no more
		next, after := pattern.next()
		if next != "**" {
			break
		}
		pattern = after
	}
	if !strings.Contains(name.rest, strings.TrimSuffix(Literal(pattern.rest), "/")) {
		return false // what the pattern goes on with is nowhere in the name
	}
	for !matchElements(pattern, name) {
		if !name.some {
			return false
		}
		_, name = name.next()
	}
	return true
}
