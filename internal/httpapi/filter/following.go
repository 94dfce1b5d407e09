package filter

import (
	"net/url"
	"slices"
	"strings"

	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
)

// Followed says which records are followed: of any of the kinds, by any of the roles, about any of the requirements.
// None of one sort is all of it.
type Followed struct{ Kinds, Roles, Requirements []string }

// Follow reads which records are followed, of the kinds that there are: kind, role and requirement, each of which may
// be given several times. Whether there are the requirements is not known here.
func Follow(v url.Values, kinds []string) (f Followed, err error) {
	var roles []string
	for _, role := range lifecycle.Roles() {
		roles = append(roles, string(role))
	}
	if f.Kinds, err = several(v, "kind", "a kind of record", kinds); err != nil {
		return f, err
	}
	if f.Roles, err = several(v, "role", "a role", append(roles, ledger.System().Role)); err != nil {
		return f, err
	}
	f.Requirements = v["requirement"]
	if slices.Contains(f.Requirements, "") {
		return f, wire.Parameter("requirement", "it is empty").WithFix("leave it out, or give it a value")
	}
	return f, nil
}

// several reads a parameter that takes some values alone, each time one or several with commas between them.
func several(v url.Values, name, what string, known []string) (all []string, err error) {
	for _, given := range v[name] {
		for value := range strings.SplitSeq(given, ",") {
			if !slices.Contains(known, value) {
				return nil, notOne(name, value, what, known, ", or several with commas between them")
			}
			all = append(all, value)
		}
	}
	return all, nil
}
