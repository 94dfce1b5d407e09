package projection

import (
	"maps"
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/claims"
	"orchestrator/internal/rules/claiming"
)

// WithClaims returns the snapshot with the claims on requirements, by their ids.
func (s *Snapshot) WithClaims(on map[string][]claiming.Claim) *Snapshot {
	next := *s
	next.claims = on
	return &next
}

// ClaimsOn returns the claims on a requirement, those that have expired among them.
func (s *Snapshot) ClaimsOn(id string) []claiming.Claim { return s.claims[id] }

// Claims returns the claims that count at a moment, by the ids of their requirements.
func (s *Snapshot) Claims(at time.Time) map[string][]claiming.Claim {
	live := map[string][]claiming.Claim{}
	for id, all := range s.claims {
		if count := claiming.Live(all, at); len(count) > 0 {
			live[id] = count
		}
	}
	return live
}

// claimed returns the claims after a batch of commits. Without a write of theirs they are shared.
func (s *Snapshot) claimed(batch []ledger.Commit) map[string][]claiming.Claim {
	now, own := s.claims, false
	for _, commit := range batch {
		for _, w := range commit.Writes {
			id, is := claims.RequirementOf(w.Key)
			if w.Table != claims.Table.Name || !is {
				continue
			}
			if !own {
				now, own = maps.Clone(now), true
			}
			if now == nil {
				now = map[string][]claiming.Claim{}
			}
			if on := written(claims.Table, w); on != nil {
				now[id] = *on
			} else {
				delete(now, id)
			}
		}
	}
	return now
}
