package boundary

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

const dataFolder = ".orchestrator"

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// badPattern reports whether a pattern has what path.Match takes for more than * and ?: a folder may be named [id].
func badPattern(pattern string) bool { return strings.ContainsAny(pattern, `[]\`) }

// matchName matches the name of a tool or of an agent.
func matchName(pattern, name string) bool {
	return matchText(pattern, strings.ReplaceAll(name, "/", "_"))
}

// matchText matches a text without a slash.
func matchText(pattern, text string) bool {
	if literalOf(pattern) == pattern {
		return pattern == text // as most are
	}
	ok, _ := path.Match(pattern, text) // false for what is no pattern
	return ok
}

func matchAnyName(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matchName(p, name) })
}

// matchPath matches a path, element by element; ** stands for any number of them.
func matchPath(pattern, name string) bool {
	if strings.HasPrefix(pattern, "/") != strings.HasPrefix(name, "/") ||
		!strings.HasPrefix(name, strings.TrimSuffix(literalOf(pattern), "/")) {
		return false
	}
	return matchElements(elementsOf(pattern), elementsOf(name))
}

// literalOf returns what a pattern begins with before anything may stand.
func literalOf(pattern string) string {
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
		if !name.some || !matchText(wanted, element) {
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
	if !strings.Contains(name.rest, strings.TrimSuffix(literalOf(pattern.rest), "/")) {
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

// Within reports whether a file, by its name and by where its links lead, is among some paths. One that cannot be told
// is only within everything.
func (t Target) Within(patterns []string) bool {
	if t.Unknown {
		return slices.Contains(patterns, "**")
	}
	return matchAnyPath(patterns, t.Path) && (t.Real == "" || t.Real == t.Path || matchAnyPath(patterns, t.Real))
}

func matchAnyPath(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return p == "**" || matchPath(p, name) })
}

// atHome returns patterns with the user's folder in the place of ~, by each of its names.
func atHome(patterns, homes []string) []string {
	if !slices.ContainsFunc(patterns, func(p string) bool { return strings.HasPrefix(p, "~/") }) {
		return patterns
	}
	var all []string
	for _, p := range patterns {
		rest, below := strings.CutPrefix(p, "~/")
		if !below {
			all = append(all, p)
			continue
		}
		for _, home := range homes {
			all = append(all, Literal(home)+"/"+rest)
		}
	}
	return all
}

// Literal returns a pattern that matches one path.
func Literal(p string) string {
	p = path.Clean(p)
	if !strings.ContainsAny(p, `\*?[`) {
		return p
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(p)
}

// plantsRepository reports whether a file makes a folder one of git's: its settings name programs, which git runs when
// it reads.
func (t Target) plantsRepository() bool {
	return slices.ContainsFunc([]string{t.Path, t.Real}, func(name string) bool {
		elements := strings.Split(strings.ToLower(name), "/")
		last := elements[len(elements)-1]
		return last == "head" || last == "config" || slices.Contains(elements, ".git")
	})
}

// touches reports whether a file, by its name or by where its links lead, may be among some paths: itself, or below
// one. Letters are compared without case: there are file systems that do.
func (t Target) touches(lists ...[]string) bool {
	names := [...]string{strings.ToLower(t.Path), strings.ToLower(t.Real)}
	return slices.ContainsFunc(lists, func(patterns []string) bool { return touchesAny(names[:], patterns, t.Unknown) })
}

func touchesAny(names, patterns []string, unfinished bool) bool {
	for _, p := range patterns {
		p = strings.ToLower(p)
		literal := strings.TrimSuffix(literalOf(p), "/")
		for _, name := range names {
			alike := strings.HasPrefix(name, literal) || strings.HasPrefix(literal, name) // most are not
			if name != "" && alike && (matchPath(p, name) || leadsTo(name, p, unfinished)) {
				return true
			}
		}
	}
	return false
}

// leadsTo reports whether name is a folder above the pattern's files, so that what is done to it is done to them, or an
// unfinished path that may become one of them. The root of the project is no such folder: formatters and git are given
// it all the time.
func leadsTo(name, pattern string, unfinished bool) bool {
	literal := literalOf(pattern)
	if literal == "" || strings.HasPrefix(pattern, "/") != strings.HasPrefix(name, "/") {
		return false
	}
	if unfinished {
		return strings.HasPrefix(literal, name) || strings.HasPrefix(name, literal)
	}
	return strings.HasPrefix(strings.TrimSuffix(literal, "/")+"/", name+"/")
}

func beginsWith(words, beginning []string) bool {
	return len(words) >= len(beginning) && slices.Equal(words[:len(beginning)], beginning)
}
