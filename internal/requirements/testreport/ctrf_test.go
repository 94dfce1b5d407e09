package testreport

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCTRFWithEndlessSuites(t *testing.T) {
	many := strings.Repeat(`"",`, maxSuite)
	refused(t, ctrf("", `{"name":"a","status":"passed","suite":[`+many+`""]}`), "report_too_large", "suite")
}

// ctrf writes a report with a summary and tests.
func ctrf(summary, tests string) string {
	return fmt.Sprintf(`{"results":{"tool":{"name":"x"},"summary":{%s},"tests":[%s]}}`, summary, tests)
}

func TestCTRF(t *testing.T) {
	require.Empty(t, parsed(t, CTRF, ctrf(`"tests":0`, "")).Cases)
	r := parsed(t, CTRF, "\n"+ctrf(`"tests":1,"passed":1,"future":[{}]`, `{"status":"passed","name":"a\nb","suite":[],"extra":{"status":"failed"}}`)+"\n")
	require.Equal(t, []Case{{Name: "a\nb", Result: Pass}}, r.Cases)
}

func TestCTRFThatCannotBeRead(t *testing.T) {
	one := `{"name":"a","status":"passed"}`
	for text, reason := range map[string]string{
		ctrf(`"tests":1,"passed":0,"failed":1`, one):                                     "contradicts itself",
		ctrf(`"tests":2,"passed":1`, one):                                                "contradicts itself",
		ctrf(`"passed":1`, one):                                                          "contradicts itself",
		ctrf(`"tests":0`, one):                                                           "contradicts itself",
		ctrf(`"tests":1,"skipped":1`, `{"name":"a","status":"pending"}`):                 "contradicts itself",
		ctrf(`"tests":1,"passed":1`, `{"name":"a","status":"Passed"}`):                   `results.tests[0] has the status "Passed"`,
		ctrf(`"tests":2,"passed":2`, one+`,{"name":"b"}`):                                `results.tests[1] has the status ""`,
		ctrf(`"tests":1,"passed":1`, `{"status":"passed"}`):                              "results.tests[0] has no name",
		ctrf(`"tests":1,"passed":1`, "null"):                                             "results.tests[0] has the status",
		ctrf(`"tests":1,"passed":1`, `{"name":5,"status":"passed"}`):                     "does not have the type",
		ctrf(`"tests":1,"passed":1`, `{"name":"a","status":"passed","suite":5}`):         "does not have the type",
		ctrf(`"tests":1.5,"passed":1`, one):                                              "does not have the type",
		ctrf(`"tests":1,"passed":1`, `{"name":"a","status":"failed","status":"passed"}`): "same name twice",
		ctrf(`"tests":1,"passed":1,"tests":1`, one):                                      "same name twice",
		`{"results":{},"results":{}}`:                                                    "same name twice",
		`{"results":{"tool":{"name":"x"},"summary":{},"tests":{}}}`:                      "does not have the type",
		`{"results":{"tool":{"name":"x"},"summary":{},"tests":null}}`:                    "results.tests is missing",
		`{"results":{"tool":{"name":"x"},"tests":[]}}`:                                   "results.summary is missing",
		`{"results":{"summary":{},"tests":[]}}`:                                          "results.tool.name is missing",
		`{"results":null}`:                                                               "results.tool.name is missing",
		`{"results":[]}`:                                                                 "does not have the type",
		ctrf(`"tests":1,"passed":1`, one)[:60]:                                           "not all of it is there",
		ctrf(`"tests":1,"passed":1`, one) + "{}":                                         "not valid JSON",
		ctrf(`"tests":1,"passed":1`, `{"name":"\ud800","status":"passed"}`):              "not valid JSON",
		ctrf(`"tests":1`, strings.Repeat("[", 20_000)):                                   "cannot be read",
	} {
		t.Run(text[:min(len(text), 120)], func(t *testing.T) { refused(t, text, "report_unreadable", reason) })
	}
}
