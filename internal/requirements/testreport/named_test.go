package testreport

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-329
func TestANameStandsForCasesAndTheirSubtests(t *testing.T) {
	cases := []Case{{"a", "TestX", Fail}, {"a", "TestX/one", Pass}, {"a", "TestX/two", Fail}, {"a", "TestXY", Pass}, {"b", "TestY", Pass},
		{"c", "TestY", Pass}, {"b", "TestY/one", Skip}, {"c", "TestZ", Pass}, {"d", "TestZ", Fail}}
	report := Report{Format: Go, Cases: cases}
	for name, want := range map[string][]Case{
		"TestX":     {{"", "a.TestX", Fail}, {"", "a.TestX/one", Pass}, {"", "a.TestX/two", Fail}},
		"a.TestX":   {{"", "a.TestX", Fail}, {"", "a.TestX/one", Pass}, {"", "a.TestX/two", Fail}},
		"TestX/one": {{"", "a.TestX/one", Pass}},
		"TestY":     {{"", "b.TestY", Pass}, {"", "c.TestY", Pass}, {"", "b.TestY/one", Skip}},
		"c.TestY":   {{"", "c.TestY", Pass}},
		"TestZ":     nil, // it passed and failed
		"TestOther": nil,
	} {
		require.Equal(t, want, report.Named(name), name)
	}
	report.Format = JUnit
	require.Equal(t, []Case{{"", "a.TestX", Fail}}, report.Named("TestX"), "only go test has subtests")
}
