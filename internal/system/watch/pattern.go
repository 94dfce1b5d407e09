package watch

import (
	"context"
	"path/filepath"
)

const separator = string(filepath.Separator)

// place is where new files can match a pattern: those in a folder whose names match.
type place struct{ folder, names string }

func (p place) holds(name string) bool {
	ok, _ := filepath.Match(p.names, filepath.Base(name))
	return ok && filepath.Dir(name) == p.folder
}

// locatePattern returns where a pattern looks, and what decides where that is. A wildcard in a folder's name is
// a place too: there a new folder can match.
func (f *file) locatePattern(ctx context.Context) (all []place, deciding []string) {
	levels, _ := f.in.Levels(ctx) // read reports what is wrong with it
	for _, l := range levels {
		absolute, err := filepath.Abs(l.Folder)
		if err != nil {
			continue
		}
		on := entries(absolute)
		all = append(all, place{on[len(on)-1], l.Names})
		deciding = append(deciding, on...)
	}
	return all, deciding
}
