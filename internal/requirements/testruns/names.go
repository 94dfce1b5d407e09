package testruns

import (
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/requirements/testreport"
)

// maxMeant is how many requirements an error lists.
const maxMeant = 10

// CheckNames refuses tests whose names have the short form of a requirement that is the short form of others, too.
// short has the ids of each short form.
func CheckNames(cases []testreport.Case, id string, ids *idmatch.IDs, short map[string][]string) error {
	for _, c := range cases {
		for _, name := range ids.In(c.Name) {
			of := short[name]
			if len(of) < 2 || !slices.Contains(of, id) {
				continue
			}
			listed := strings.Join(of[:min(len(of), maxMeant)], ", ")
			if len(of) > maxMeant {
				listed += ", …"
			}
			return fault.New(fault.Invalid, "test_name_ambiguous",
				"the test %q names %s, which is the short form of %d requirements: %s", fault.Clip(c.Name, LongestName), name,
				len(of), listed).
				WithFix("put the whole id into the name of the test, or choose its tests with ?tests=")
		}
	}
	return nil
}
