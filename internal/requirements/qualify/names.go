package qualify

import "slices"

// One is a requirement by its id and the document that defines it.
type One struct {
	ID      string
	Path    string
	Retired bool
}

// Names finds requirements by the short forms of their ids.
type Names struct {
	whole map[string]bool
	short map[string][]string
}

// NamesOf returns the names of requirements. A retired requirement keeps its short form only as long as no other one
// has it.
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
		}
	}
	return n
}

// Meant returns the ids that a name stands for, sorted: the name itself if it is one, else those whose short form it is.
// It is ambiguous if there are several, and unknown if there is none.
func (n Names) Meant(name string) []string {
	if n.whole[name] {
		return []string{name}
	}
	return n.short[name]
}

// Shorts returns the short forms that are no ids themselves, each with the ids that have it, sorted. It must not be
// changed.
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
