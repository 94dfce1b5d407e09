package filter

import (
	"net/url"
	"slices"
	"strings"

	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/feed"
	"orchestrator/internal/ledger/thread"
	"orchestrator/internal/rules/lifecycle"
)

// Follow reads which records are followed, of the kinds that there are: kind, role and requirement, each of which may
// be given several times. threads returns where the records about a requirement are.
func Follow(v url.Values, kinds []string, threads func(id string) ([]thread.Thread, error)) (f feed.Filter, err error) {
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
	for _, id := range v["requirement"] {
		if id == "" {
			return f, wire.Parameter("requirement", "it is empty").WithFix("leave it out, or give it a value")
		}
		of, err := threads(id)
		if err != nil {
			return f, err
		}
		f.Threads = append(f.Threads, of...)
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
