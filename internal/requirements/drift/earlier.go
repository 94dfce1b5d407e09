package drift

import (
	"slices"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
)

// keepFingerprints returns the requirements with the fingerprint under which the state has the same text, where that is
// one of an earlier release. What was approved and tested on that text stays approved and tested.
func keepFingerprints(from store.Getter, all []reqdoc.Requirement) ([]reqdoc.Requirement, error) {
	own := false
	for i := range all {
		r := &all[i]
		if r.Earlier == "" {
			continue
		}
		current, found, err := projection.TableRequirements.Get(from, r.ID)
		if err != nil {
			return nil, err
		}
		if found && current.Fingerprint == r.Earlier {
			if !own {
				all, own = slices.Clone(all), true
			}
			all[i].Fingerprint = r.Earlier
		}
	}
	return all, nil
}
