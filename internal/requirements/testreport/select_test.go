package testreport

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-119
func TestSelect(t *testing.T) {
	r := Report{Format: Go, Cases: []Case{
		{"shop/cart", "TestAdd", Pass}, {"shop/cart", "TestAdd/two_items", Pass}, {"shop/total", "TestAdd", Fail}, {"", "shop/broken", Fail},
		{"shop/total", "TestRundet_REQ7", Skip},
	}}
	for pattern, want := range map[string][]string{
		"TestAdd":              {"pass shop/cart.TestAdd", "pass shop/cart.TestAdd/two_items", "fail shop/total.TestAdd"},
		"^TestAdd$":            {"pass shop/cart.TestAdd", "fail shop/total.TestAdd"},
		"TestAdd/two":          {"pass shop/cart.TestAdd/two_items"},
		"^shop/cart.":          {"pass shop/cart.TestAdd", "pass shop/cart.TestAdd/two_items"},
		`^shop/total\.TestAdd`: {"fail shop/total.TestAdd"},
		"REQ7|broken":          {"fail shop/broken", "skip shop/total.TestRundet_REQ7"},
		"(?i)testadd$":         {"pass shop/cart.TestAdd", "fail shop/total.TestAdd"},
		".":                    lines(r),
	} {
		cases, err := r.Select(pattern)
		require.NoError(t, err, pattern)
		require.Equal(t, want, lines(Report{Format: Go, Cases: cases}), pattern)
	}
	for _, format := range []string{JUnit, TAP, CTRF} {
		r := Report{Format: format, Cases: []Case{{"outer", "inner", Pass}}}
		cases, err := r.Select("^" + r.FullName(r.Cases[0]) + "$")
		require.NoError(t, err)
		require.Equal(t, r.Cases, cases)
	}
}

func TestPatternsThatSelectNothing(t *testing.T) {
	r := Report{Format: Go, Cases: []Case{{"shop/cart", "TestAdd", Pass}}}
	for pattern, reason := range map[string]string{
		"":                         "the pattern has 0 bytes",
		strings.Repeat("a", 1001):  "the pattern has 1001 bytes",
		"(":                        "missing closing )",
		"*":                        "missing argument",
		"(?<=a)b":                  "is no regular expression",
		`(a)\1`:                    "is no regular expression",
		"\xff":                     "invalid UTF-8",
		"a{1001}":                  "is no regular expression",
		"((a{100}){100}){100}":     "is no regular expression",
		strings.Repeat("(", 1_000): "is no regular expression",
	} {
		_, err := r.Select(pattern)
		requireFault(t, err, "tests_pattern_invalid", reason)
	}
	_, err := r.Select("^testadd$")
	requireFault(t, err, "tests_pattern_matches_nothing", `no name of the 1 tests of the report matches "^testadd$"`)
	require.Contains(t, err.Error(), `"shop/cart.TestAdd"`)
	_, err = Report{Format: Go}.Select("a")
	requireFault(t, err, "tests_pattern_matches_nothing", "no name of the 0 tests")
}

// What a pattern costs is known before it is run.
func TestPatternsThatCostTooMuch(t *testing.T) {
	r := Report{Format: Go, Cases: make([]Case, 10_000)}
	for i := range r.Cases {
		r.Cases[i] = Case{"shop/cart", "Test" + strings.Repeat("a", 200), Pass}
	}
	cases, err := r.Select("^shop/cart.Test[A-Za]+$")
	require.NoError(t, err)
	require.Equal(t, len(r.Cases), len(cases))
	_, err = r.Select("(a?){500}b")
	requireFault(t, err, "tests_pattern_invalid", "too large for the 10000 tests")
}

func FuzzSelect(f *testing.F) {
	f.Add("TestAdd", "shop/cart", "TestAdd")
	f.Add(`(?i)^a{2,3}\.b$`, "aa", "b")
	f.Fuzz(func(t *testing.T, pattern, suite, name string) {
		r := Report{Format: Go, Cases: []Case{{suite, name, Pass}, {"", "b", Fail}}}
		cases, err := r.Select(pattern)
		if err != nil {
			require.Contains(t, []string{"tests_pattern_invalid", "tests_pattern_matches_nothing"}, codeOf(err))
			requireFault(t, err, codeOf(err), "")
			return
		}
		require.Subset(t, r.Cases, cases)
		require.NotEmpty(t, cases)
	})
}
