package boundary

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"orchestrator/internal/rules/boundary/glob"
)

const dataFolder = ".orchestrator"

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// badPattern reports whether a pattern has what path.Match takes for more than * and ?: a folder may be named [id].
func badPattern(pattern string) bool { return strings.ContainsAny(pattern, `[]\`) }

// matchName matches the name of a tool or of an agent.
func matchName(pattern, name string) bool {
	return glob.Text(pattern, strings.ReplaceAll(name, "/", "_"))
}

func matchAnyName(patterns []string, name string) bool {
	name = strings.ReplaceAll(name, "/", "_")
	return slices.ContainsFunc(patterns, func(p string) bool { return glob.Text(p, name) })
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
	return slices.ContainsFunc(patterns, func(p string) bool { return p == "**" || glob.Path(p, name) })
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
		for rest, more := name, true; more; {
			var element string
			element, rest, more = strings.Cut(rest, "/")
			if strings.EqualFold(element, ".git") ||
				!more && (strings.EqualFold(element, "head") || strings.EqualFold(element, "config")) {
				return true
			}
		}
		return false
	})
}

// touches reports whether a file, by its name or by where its links lead, may be among some paths in small letters:
// itself, or below one. Letters are compared without case: there are file systems that do.
func (t Target) touches(lists ...[]string) bool {
	for _, name := range [...]string{strings.ToLower(t.Path), strings.ToLower(t.Real)} {
		for _, patterns := range lists {
			for _, p := range patterns {
				if mayTouch(name, p) && (glob.Path(p, name) || leadsTo(name, p, t.Unknown)) {
					return true
				}
			}
		}
	}
	return false
}

// mayTouch tells most names at once from those that a pattern matches, or that lead to its files.
func mayTouch(name, pattern string) bool {
	switch below, anywhere := strings.CutPrefix(pattern, "**/"); {
	case name == "", pattern == "":
		return false
	case anywhere: // what matches has what comes next
		return strings.Contains(name, strings.Trim(glob.Literal(below), "/"))
	case pattern[0] != name[0] && strings.IndexByte(`*?[\`, pattern[0]) < 0:
		return false
	}
	literal := strings.TrimSuffix(glob.Literal(pattern), "/")
	return strings.HasPrefix(name, literal) || strings.HasPrefix(literal, name)
}

// leadsTo reports whether name is a folder above the pattern's files, so that what is done to it is done to them, or an
// unfinished path that may become one of them. The root of the project is no such folder: formatters and git are given
// it all the time.
func leadsTo(name, pattern string, unfinished bool) bool {
	literal := glob.Literal(pattern)
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
