package projection

import (
	"sync"

	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/requirements/qualify"
)

// names are made of the requirements when they are first asked for.
type names struct {
	once sync.Once
	all  qualify.Names
}

func (s *Snapshot) named() qualify.Names {
	s.names.once.Do(func() {
		ones := make([]qualify.One, 0, len(s.Project.IDs))
		for e := range s.All() {
			one := qualify.One{ID: e.Summary.ID, Path: e.Summary.Path, Retired: e.Summary.Retired}
			for _, had := range e.Former {
				if _, was := s.RenamedTo(had.ID); was {
					one.Former = append(one.Former, had.ID)
				}
			}
			ones = append(ones, one)
		}
		s.names.all = qualify.NamesOf(ones)
	})
	return s.names.all
}

// Meant returns the ids that a name stands for, sorted: the name itself if it is an id, else those whose short form it
// is, or those that had it as their id.
func (s *Snapshot) Meant(name string) []string { return s.named().Meant(name) }

// Shorts returns the short forms of ids, and ids that requirements had, each with the ids that are meant, sorted.
// Nothing of it may be changed.
func (s *Snapshot) Shorts() map[string][]string { return s.named().Shorts() }

// Finder returns what finds the requirements in names of tests.
func (s *Snapshot) Finder(cache *idmatch.Cache) *idmatch.IDs {
	return cache.Of(s.Project.IDs, s.Shorts())
}
