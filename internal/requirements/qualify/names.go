package qualify

import (
	"slices"
	"strings"
)

// One is a requirement by its id and the document that defines it.
type One struct {
	ID      string
	Path    string
	Retired bool
	Former  []string // ids that it had
}

// Names finds requirements by the short forms of their ids.
type Names struct {
	whole map[string]bool
	short map[string][]string
}

// OneFolder stands in front of an id without a folder, in marks and commands, where that is the short form of others,
// too: ./FR-1 is FR-1, and not a/FR-1.
const OneFolder = "./"

// NamesOf returns the names of requirements. A retired requirement keeps its short form only as long as no other one
// has it. The short form of a requirement in use that is the id of another one stands for both. An id that a
// requirement had names it, as long as it is neither an id nor a short form; one that several had stands for all of
// them.
func NamesOf(all []One) Names {
	n := Names{whole: make(map[string]bool, len(all)), short: map[string][]string{}}
	by := map[string][]One{}
	for _, one := range all {
		n.whole[one.ID] = true
		if short := Short(one.ID, one.Path); short != one.ID {
			by[short] = append(by[short], one)
		}
	}
	for short, ones := range by {
		if !n.whole[short] {
			n.short[short] = inUse(ones)
		} else if slices.ContainsFunc(ones, func(one One) bool { return !one.Retired }) {
			n.short[short] = slices.Sorted(slices.Values(append(inUse(ones), short)))
		}
	}
	for id, ids := range formerly(all) {
		if !n.whole[id] && n.short[id] == nil {
			n.short[id] = ids
		}
	}
	return n
}

// formerly returns the ids that requirements had, each with the present ids of those that had it, sorted.
func formerly(all []One) map[string][]string {
	had := map[string][]string{}
	for _, one := range all {
		for _, id := range one.Former {
			if !slices.Contains(had[id], one.ID) {
				had[id] = append(had[id], one.ID)
			}
		}
	}
	for _, ids := range had {
		slices.Sort(ids)
	}
	return had
}

// Meant returns the ids that a name stands for, sorted: those whose short form it is, and the name itself if it is one.
// It is ambiguous if there are several, and unknown if there is none.
func (n Names) Meant(name string) []string {
	if of := n.short[name]; of != nil {
		return of
	}
	if n.whole[name] {
		return []string{name}
	}
	if id, is := strings.CutPrefix(name, OneFolder); is && n.Shared(id) {
		return []string{id}
	}
	return nil
}

// Is reports whether a name is an id as it stands.
func (n Names) Is(name string) bool { return n.whole[name] }

// Shared reports whether an id is the short form of others, too.
func (n Names) Shared(id string) bool { return n.whole[id] && len(n.short[id]) > 1 }

// Shorts returns the short forms, and former ids, each with the ids that are meant, sorted. It must not be changed.
func (n Names) Shorts() map[string][]string { return n.short }

// inUse returns the ids of those that are not retired, or of all if all are.
func inUse(ones []One) []string {
	var ids, retired []string
	for _, one := range ones {
		if one.Retired {
			retired = append(retired, one.ID)
		} else {
			ids = append(ids, one.ID)
		}
	}
	if len(ids) == 0 {
		ids = retired
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
