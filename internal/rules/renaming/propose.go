package renaming

import (
	"strings"

	"orchestrator/internal/rules/lifecycle"
)

// Why a pair is proposed.
const (
	SameText  = "text"  // the texts are the same
	SameTitle = "title" // the titles are the same, and the texts are not
)

// Proposal is a pair that looks as if a requirement got another id.
type Proposal struct {
	Pair

	Title string           `json:"title"` // of the new one
	Held  lifecycle.Status `json:"status"`
	Same  string           `json:"same"` // SameText or SameTitle
}

// Propose pairs each retired requirement to which anything has happened, unless it is deferred, with one that has the
// same text, or else the same title, and no life of its own. Each is proposed once, in the order given.
func Propose(all []lifecycle.Requirement) []Proposal {
	proposals, paired := []Proposal{}, map[string]bool{}
	for _, same := range []struct {
		what string
		key  func(lifecycle.Requirement) string
	}{
		{SameText, func(r lifecycle.Requirement) string { return r.Fingerprint }},
		{SameTitle, func(r lifecycle.Requirement) string { return strings.ToLower(strings.TrimSpace(r.Title)) }},
	} {
		fresh := map[string][]lifecycle.Requirement{}
		for _, r := range all {
			if key := same.key(r); key != "" && !r.Retired && !lives(r) && !paired[r.ID] {
				fresh[key] = append(fresh[key], r)
			}
		}
		for _, old := range all {
			key := same.key(old)
			if !old.Retired || old.Status == lifecycle.Deferred || !lives(old) || paired[old.ID] || len(fresh[key]) == 0 {
				continue
			}
			next := fresh[key][0]
			fresh[key] = fresh[key][1:]
			paired[old.ID], paired[next.ID] = true, true
			proposals = append(proposals, Proposal{Pair{old.ID, next.ID}, next.Title, old.Status, same.what})
		}
	}
	return proposals
}
