package renaming

import (
	"slices"
	"strings"

	"orchestrator/internal/rules/lifecycle"
)

// Why a pair is proposed.
const (
	SameText  = "text"  // the texts are the same
	SameTitle = "title" // the titles are the same, and the texts are not
)

// Place is where a document has a requirement, or had one that is retired.
type Place struct {
	Path    string   `json:"path"`
	Line    int      `json:"line"`
	Section []string `json:"section"`
}

// Proposal is a pair that looks as if a requirement got another id.
type Proposal struct {
	Pair

	Title string           `json:"title"` // of the new one
	Held  lifecycle.Status `json:"status"`
	Same  string           `json:"same"` // SameText or SameTitle
	Was   Place            `json:"from_place"`
	Is    Place            `json:"to_place"`
}

// Candidate is one of several requirements that look alike.
type Candidate struct {
	ID   string           `json:"id"`
	Held lifecycle.Status `json:"status"`
	Place
}

// Ambiguity are requirements that look alike, so that only a person can say which got which id.
type Ambiguity struct {
	Title string      `json:"title"`
	Same  string      `json:"same"`
	From  []Candidate `json:"from"` // that the documents no longer have
	To    []Candidate `json:"to"`
}

// Proposals are the pairs that look like renamed requirements, and those that cannot be paired.
type Proposals struct {
	Proposed  []Proposal  `json:"proposed"`
	Ambiguous []Ambiguity `json:"ambiguous"`
}

// Propose pairs each retired requirement to which anything has happened, unless it is deferred, with the one that has
// the same text, or else the same title, and no life of its own. It proposes a pair only if no other requirement could
// be either end, by the section and then by the file if several have the same text. The others are ambiguous: one of
// them may have lived, and a life in the wrong place says done of what nobody has built.
//
// All requirements with the text or title of a retired one have to be among those given.
func Propose(all []lifecycle.Requirement) Proposals {
	f := finder{found: Proposals{[]Proposal{}, []Ambiguity{}}, settled: map[string]bool{}}
	f.pair(all, SameText, func(r lifecycle.Requirement) string { return r.Fingerprint })
	f.pair(all, SameTitle, func(r lifecycle.Requirement) string { return strings.ToLower(strings.TrimSpace(r.Title)) })
	return f.found
}

// finder finds pairs. Settled are the requirements of which it has said something.
type finder struct {
	found   Proposals
	settled map[string]bool
}

type keyOf func(lifecycle.Requirement) string

// group are requirements with one key: retired ones, and those that could be them now.
type group struct{ old, now []lifecycle.Requirement }

// pair pairs requirements with the same key, if they have any.
func (f *finder) pair(all []lifecycle.Requirement, same string, key keyOf) {
	all = slices.DeleteFunc(slices.Clone(all), func(r lifecycle.Requirement) bool { return key(r) == "" })
	section := func(r lifecycle.Requirement) string {
		return key(r) + "\x00" + strings.Join(r.Source.Section, "\x00")
	}
	file := func(r lifecycle.Requirement) string { return section(r) + "\x00\x00" + r.Source.Path }
	paired := map[string]bool{}
	for id := range f.settled {
		paired[id] = true
	}
	for _, key := range []keyOf{key, section, file} {
		groups, _ := grouped(all, key)
		for _, old := range all {
			g := groups[key(old)]
			if !old.Retired || !gives(old) || paired[old.ID] || len(g.old) != 1 || len(g.now) != 1 {
				continue
			}
			if now := g.now[0]; !lives(now) && !paired[now.ID] {
				paired[old.ID], paired[now.ID] = true, true
				f.settled[old.ID], f.settled[now.ID] = true, true
				f.found.Proposed = append(f.found.Proposed, Proposal{Pair{old.ID, now.ID}, now.Title, old.Status, same,
					placeOf(old), placeOf(now)})
			}
		}
	}
	f.leave(all, same, key)
}

// leave lists what has the same key as something else, and is in no pair.
func (f *finder) leave(all []lifecycle.Requirement, same string, key keyOf) {
	groups, keys := grouped(all, key)
	for _, k := range keys {
		one := Ambiguity{Same: same}
		given, taken := false, false
		for _, r := range groups[k].old {
			if !f.settled[r.ID] {
				one.From, given = append(one.From, candidate(r)), given || gives(r)
			}
		}
		for _, r := range groups[k].now {
			if !f.settled[r.ID] {
				one.Title, one.To, taken = r.Title, append(one.To, candidate(r)), taken || !lives(r)
			}
		}
		if !given || !taken {
			continue
		}
		for _, c := range slices.Concat(one.From, one.To) {
			f.settled[c.ID] = true
		}
		f.found.Ambiguous = append(f.found.Ambiguous, one)
	}
}

// grouped returns requirements by a key, and the keys in their order. A requirement that was renamed before is none
// that another one could be now, as is known of it.
func grouped(all []lifecycle.Requirement, key keyOf) (map[string]group, []string) {
	groups, keys := map[string]group{}, []string{}
	for _, r := range all {
		k := key(r)
		g, known := groups[k]
		if !known {
			keys = append(keys, k)
		}
		switch {
		case r.Retired:
			g.old = append(g.old, r)
		case len(r.FormerIDs) == 0:
			g.now = append(g.now, r)
		}
		groups[k] = g
	}
	return groups, keys
}

// gives reports whether a retired requirement has a life that another one could take over.
func gives(r lifecycle.Requirement) bool { return lives(r) && r.Status != lifecycle.Deferred }

func placeOf(r lifecycle.Requirement) Place {
	return Place{r.Source.Path, r.Source.Line, append([]string{}, r.Source.Section...)}
}

func candidate(r lifecycle.Requirement) Candidate { return Candidate{r.ID, r.Status, placeOf(r)} }
