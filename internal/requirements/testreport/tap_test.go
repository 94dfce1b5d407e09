package testreport

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTAP(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"plan first":        {"1..2\nok 1 - a\nnot ok 2 - b", []string{"pass a", "fail b"}},
		"plan last":         {"ok 1 - a\nnot ok 2 - b\n1..2", []string{"pass a", "fail b"}},
		"no numbers":        {"1..3\nok a\nok - b\nok", []string{"pass a", "pass b", "pass test 3"}},
		"no tests":          {"1..0 # SKIP no browser", []string{}},
		"noise":             {"# hi\n\n1..1\nstarting up\nok 1 - a\n  ok 9 - printed\n\tok 8\nokay\nnot okay", []string{"pass a"}},
		"a plan like noise": {"1..1\nok 1 - a\n1..x\n1..-1\n1..+1\n1..\n1...2", []string{"pass a"}},

		// Directives.
		"skip":                  {"1..4\nok 1 - a # SKIP\nok 2 - b # skip: why\nok 3 # Skipped\nok 4 - d # SKIPPER", []string{"skip a", "skip b", "skip test 3", "pass d # SKIPPER"}},
		"a failure that skips":  {"1..1\nnot ok 1 - a # SKIP", []string{"fail a"}},
		"todo":                  {"1..3\nnot ok 1 - a # TODO why\nok 2 - b # todo\nnot ok 3 - c # TODOS", []string{"skip a", "skip b", "fail c # TODOS"}},
		"escaped":               {`1..2` + "\n" + `not ok 1 - a \# TODO b` + "\n" + `not ok 2 - a \\# TODO`, []string{`fail a # TODO b`, `fail a \# TODO`}},
		"escaped twice":         {`1..1` + "\n" + `not ok 1 - a \\ # TODO`, []string{`skip a \`}},
		"inside a word":         {"1..1\nnot ok 1 - a#TODO b", []string{"fail a#TODO b"}},
		"behind another number": {"1..1\nnot ok 1 - issue #7 # TODO", []string{"skip issue #7"}},

		// What is wrong with the whole.
		"no plan":         {"ok 1 - a", []string{"pass a", "fail there is no plan, so tests may be missing"}},
		"too few":         {"1..3\nok 1 - a\nok 2 - b", []string{"pass a", "pass b", "fail 3 tests are planned, and 2 are there"}},
		"too many":        {"ok 1 - a\n1..1\nok 2 - b", []string{"pass a", "pass b", "fail 1 tests are planned, and 2 are there"}},
		"no test at all":  {"1..3", []string{"fail 3 tests are planned, and 0 are there"}},
		"twice":           {"1..2\nok 1 - a\nok 1 - b", []string{"pass a", "pass b", "fail line 3 is test 1, and comes as test 2"}},
		"out of order":    {"1..2\nok 2 - a\nok 1 - b", []string{"pass a", "pass b", "fail line 2 is test 2, and comes as test 1"}},
		"a version alone": {"TAP version 14", []string{"fail there is no plan, so tests may be missing"}},
		"bail out":        {"1..3\nok 1 - a\nBail out! no disk\nok 2 - b", []string{"pass a", "fail Bail out! no disk"}},
		"bail out, deep":  {"1..1\n    ok 1 - a\n    Bail out!", []string{"pass a", "fail Bail out!"}},

		// Subtests.
		"subtests": {"1..1\n    1..2\n    ok 1 - a\n    ok 2 - b\nok 1 - x", []string{"pass x > a", "pass x > b", "pass x"}},
		"two levels": {
			"1..2\n        ok - a\n        1..1\n    ok - y\n    1..1\nok - x\nok - z", []string{"pass x > y > a", "pass x > y", "pass x", "pass z"},
		},
		"a parent that lies":  {"1..1\n    1..1\n    not ok 1 - a\nok 1 - x", []string{"fail x > a", "fail x"}},
		"all are skipped":     {"1..1\n    1..1\n    ok 1 - a # SKIP\nok 1 - x", []string{"skip x > a", "skip x"}},
		"none is there":       {"1..1\n    1..0\nok 1 - x", []string{"skip x"}},
		"no plan of subtests": {"1..1\n    ok 1 - a\nok 1 - x", []string{"pass x > a", "fail x > there is no plan, so tests may be missing", "pass x"}},
		"subtests without a test": {
			"1..1\nok 1 - a\n    ok 1 - b\n", []string{"pass a", "pass b", "fail its subtests end before line 4 without the line of the test itself"},
		},
		"subtests before the plan": {
			"ok 1 - a\n    ok 1 - b\n1..1\n", []string{"pass a", "pass b", "fail its subtests end before line 4 without the line of the test itself"},
		},

		// Diagnostics.
		"yaml":           {"1..2\nnot ok 1 - a\n  ---\n  got: |\n    ok 2 - b\n\n    1..7\n   ...\n  ...\nok 2 - c", []string{"fail a", "pass c"}},
		"yaml, indented": {"1..1\n    ok 1 - a\n      ---\n      x: 1\n      ...\n    1..1\nok 1 - x", []string{"pass x > a", "pass x"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, lines(parsed(t, TAP, c.text))) })
	}
}

func TestTAPThatCannotBeRead(t *testing.T) {
	refused(t, "TAP version 12\n1..1\nok 1", "report_unreadable", `line 1: this is TAP version "12"`)
	refused(t, "1..1\nok 1\nTAP version 14\n1..1\nok 1", "report_unreadable", "line 3: a second stream")
	refused(t, "1..1\nok 1\n1..2", "report_unreadable", "line 3: this is a second plan")
	refused(t, "1..2\nok 1\n  ---\n  x: 1\nnot ok 2\n", "report_unreadable", "line 3: diagnostics begin here, and do not end before line 5")
	refused(t, "1..1\nok 1\n  ---\n    not ok 1\n", "report_unreadable", "line 3: diagnostics begin here, and do not end")
	refused(t, "1..1\n"+strings.Repeat("    ", maxSubtests+1)+"ok", "report_unreadable", "levels")

	// Long names around many tests would take far more room than the report.
	long := "1..1\n" + strings.Repeat("        ok\n        1..1\n    ok - "+strings.Repeat("x", 40)+"\n", 3)
	long += strings.Repeat("        ok\n    ok\n", 20_000) + "ok - " + strings.Repeat("y", 20_000)
	refused(t, long, "report_too_large", "names of the suites")
}
