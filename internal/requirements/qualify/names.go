package qualify

import "slices"

// One is a requirement by its id and the document that defines it.
type One struct {
	ID      string
	Path    string
	Retired bool
	Former  []string // ids that it had, and that no other requirement has had since
}

// Names finds requirements by the short forms of their ids.
type Names struct {
	whole map[string]bool
	short map[string][]string
}

// NamesOf returns the names of requirements. A retired requirement keeps its short form only as long as no other one
// has it. An id that a requirement had names it as long as it is neither an id nor a short form.
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
	for _, one := range all {
		for _, id := range one.Former {
			if !n.whole[id] && n.short[id] == nil {
				n.short[id] = []string{one.ID}
			}
		}
	}
	return n
}

// Meant returns the ids that a name stands for, sorted: the name itself if it is one, else those whose short form it
// is. It is ambiguous if there are several, and unknown if there is none.
func (n Names) Meant(name string) []string {
	if n.whole[name] {
		return []string{name}
	}
	return n.short[name]
}

// Shorts returns the short forms that are no ids themselves, and former ids, each with the ids that are meant, sorted.
// It must not be changed.
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
