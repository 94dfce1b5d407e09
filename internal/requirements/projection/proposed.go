package projection

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/renaming"
)

// proposed is what open changes propose, worked out when it is first asked for.
type proposed struct {
	once sync.Once
	open *pending.Open
}

// Pending returns what open changes propose; nil if there are none.
func (s *Snapshot) Pending() *pending.Open {
	s.proposed.once.Do(func() {
		s.proposed.open = pending.Of(s.Project.Pending, s.Project.Form(""), func(id string) (string, bool) {
			e, found := s.Find(id)
			if !found {
				return "", false
			}
			return e.Requirement().Fingerprint, !e.Summary.Retired
		})
	})
	return s.proposed.open
}

// Served returns a requirement as it is served: its encoded bytes, with what open changes propose to it, and the entity
// tag of both.
func (s *Snapshot) Served(id string, raw []byte, etag string) ([]byte, string, error) {
	if len(s.Project.Pending) == 0 {
		return raw, etag, nil
	}
	open := s.Pending().On(id)
	if len(open) == 0 {
		return raw, etag, nil
	}
	encoded, err := ledger.Encode(open)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(encoded)
	served := append(append(append([]byte{}, raw[:len(raw)-1]...), `,"proposed":`...), encoded...)
	return append(served, '}'), strings.TrimSuffix(etag, `"`) + "." + hex.EncodeToString(sum[:4]) + `"`, nil
}

// renames are the pairs that look like renamed requirements, worked out when they are first asked for.
type renames struct {
	once sync.Once
	all  renaming.Proposals
}

// ProposedRenames pairs requirements that the documents no longer have with those that seem to be the same ones under
// other ids. It decodes only requirements that have a title of a retired one.
func (s *Snapshot) ProposedRenames() renaming.Proposals {
	s.renames.once.Do(func() {
		titles := map[string]bool{}
		if s.Counts.Retired > 0 {
			for e := range s.All() {
				if e.Summary.Retired {
					titles[titleKey(e)] = true
				}
			}
		}
		var some []lifecycle.Requirement
		if len(titles) > 0 {
			for e := range s.All() {
				if titles[titleKey(e)] {
					some = append(some, e.Requirement())
				}
			}
		}
		s.renames.all = renaming.Propose(some)
	})
	return s.renames.all
}

// titleKey is the same for requirements of which the titles are, as fingerprints and as people compare them.
func titleKey(e *Entry) string {
	return strings.ToLower(strings.Join(strings.Fields(e.Summary.Title), " "))
}
