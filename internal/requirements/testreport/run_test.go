package testreport

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func document(t require.TestingT, file string) string {
	b, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	return string(b)
}

func runOf(t require.TestingT, text string) string {
	r, err := Parse([]byte(text))
	require.NoError(t, err, "%.2000s", text)
	require.Regexp(t, "^[0-9a-f]{64}$", r.Run)
	return r.Run
}

// Runs are kept in logs, so that they stay what they are.
func TestRunsStay(t *testing.T) {
	for file, want := range map[string]string{
		"surefire.xml":     "30dcc3dd3add04df460b0572a3397c8a66609fba9eea85030d83406092460b86",
		"merged.xml":       "da9c34bc16282baeaab60a19fe77bd8f270a425c0dbda94e0069f9b5d733c0bc",
		"shop.go.json":     "e10e95fdcb4e8b55b45cc8c9110b9c3e5e3f9e5a2b11a993dde945207791bcf2",
		"node.tap":         "d5e692240543091b103ed90934bd4c93032b2d365765a00f4ef9074dd31b4ad5",
		"sample.ctrf.json": "45e05ccb88dade05fc47b42280304f476f65fce57e542f17b62ee7b846620334",
		"jest.xml":         "2295fb59f9a01aa530bb1b84d6782e8507f018f99ebc762586333ad08dc659a8",
	} {
		require.Equal(t, want, runOf(t, document(t, file)), file)
	}
}

// Edits of a document that change nothing of what it says happened.
func TestEditsThatMakeNoOtherRun(t *testing.T) {
	for file, edits := range map[string][]string{ // old, new; "" is the end
		"surefire.xml": {
			"", "\n", "", " \t\r\n", "", "<!-- again -->", "><", ">\n\t<", ` tests="6"`, "", "slow", "slower", `version="3.0.2"`, `version="9"`,
			`time="0.021"`, `time="0.0210"`, `time="0.021"`, `time="2.1e-2"`, `time="0.0"`, "", `<?xml version="1.0" encoding="UTF-8"?>`, "",
			"<properties>", "<properties><property name='run' value='2'/>", "expected: &lt;0&gt;", "something else",
			`name="printed"`, `name="printed again"`, `name="addsAnItem_REQ7" classname="shop.CartTest"`, `classname='shop.CartTest' name='addsAnItem&#95;REQ7'`,
			"</testsuite>", "<testsuite name='empty' timestamp='2026-03-02T10:11:12Z' time='5'/></testsuite>",
		},
		"pytest.xml": {
			"2026-03-02T10:11:12.000000+00:00", "2026-03-02T10:11:12Z", "2026-03-02T10:11:12.000000+00:00", "2026-03-02 11:11:12+0100",
			`hostname="ci"`, `hostname="cj"`, "assert 1 == 2", "assert 2 == 1", `errors="1" failures="1" skipped="2"`, "",
		},
		"shop.go.json": {
			"", "\n", "\n", "\r\n", "\n", "\n\n", `:`, ` : `, `,"Test"`, "\t, \"Test\"", "=== RUN", "=== WALK", `"Elapsed":0.1}`, `"Elapsed":0.10}`,
			"2026-03-02T12:11:14.5+02:00", "2026-03-02T10:11:14.500Z", `"Package":"shop/cart","Test":"TestRemove"`, `"Test":"TestRemove","Package":"shop/cart"`,
			"", `{"Action":"output","Package":"shop/cart","Test":"TestRemove","Output":"x","Time":"2027-01-01T00:00:00Z"}`,
			"", `{"Action":"attr","Package":"shop/cart","Test":"TestRemove","Key":"run","Value":"2"}`,
			"", `{"Action":"start","Package":"shop/empty"}` + "\n" + `{"Action":"skip","Package":"shop/empty","Time":"2027-01-01T00:00:00Z"}`,
			`"shop/broken","Action":"build-fail"`, `"shop/broken","Action":"build-fail","FailedBuild":"x"`,
		},
		"node.tap": {
			"", "\n", "", "# again\n", "\n", "\r\n", "ok 1 - adds", "ok 1   -   adds", "ok 1 - adds", "ok adds", "# SKIP why", "# skip because", "# TODO soon", "# TODO",
			"TAP version 13\n", "TAP version 14\n", "# Subtest: fails\n", "", "duration_ms: 0.97", "duration_ms: 0.9700", "location:", "place:",
			"# tests 8", "# tests 9", "# Subtest: fails\n", "printed by a test\n",
		},
		"prove.tap": {"    #   at t/cart.t line 9.", "    #   at t/cart.t line 10.", "1..4\nok 1", "\n\n1..4\n\nok 1"},
		"sample.ctrf.json": {
			"", "\n", "\n", "", "\n", "\n\n ", `: `, `:`, `"duration": 120`, `"duration": 1.20e2`, `"start": 1772446272000, "stop": 1772446273500`, `"stop": "2026-03-02T10:11:13.5Z", "start": 1772446272`,
			`"specVersion": "0.0.0"`, `"specVersion": "1.0.0"`, `"version": "1.50.0"`, `"version": "1.51.0"`, "expected 0", "expected 1",
			`"branchName": "main"`, `"branchName": "other"`, `"flaky": true, `, "", `"suite": ["cart.spec.ts", "cart"]`, `"suite": "cart.spec.ts > cart"`, `, "suite": null`, "",
		},
	} {
		text := document(t, file)
		want := runOf(t, text)
		for i := 0; i < len(edits); i += 2 {
			require.Equal(t, want, runOf(t, edited(t, text, edits[i], edits[i+1])), "%s: %q -> %q", file, edits[i], edits[i+1])
		}
	}
}

// Edits that change what it says happened.
func TestEditsThatMakeAnotherRun(t *testing.T) {
	for file, edits := range map[string][]string{
		"surefire.xml": {
			`time="0.021"`, `time="0.022"`, `time="0.318"`, `time="0.319"`, "addsAnItem", "addsItems", `<skipped message="slow"/>`, "",
			"</testsuite>", `<testcase name="another"/></testsuite>`, `classname="shop.CartTest" time="0.021"/>`, `classname="shop.CartTest" time="0.021"><failure/></testcase>`,
			`version="3.0.2"`, `timestamp="2026-03-02T10:11:12Z"`, "</testsuite>", `<testcase name="addsAnItem_REQ7" classname="shop.CartTest" time="0.021"/></testsuite>`,
		},
		"pytest.xml": {"10:11:12.000000", "10:11:12.000001", "+00:00", "+01:00", "+00:00", ""},
		"merged.xml": {"2020-05-06", "2026-05-06", `time="2.5"`, `time="2.6"`, `name="rounds" classname="shop.Totals"`, `name="rounds" classname="shop.New"`},
		"shop.go.json": {
			"10:11:12.2Z", "10:11:12.21Z", `"Elapsed":0.1}`, `"Elapsed":0.2}`, "10:11:14.6Z", "10:11:14.7Z", `"pass","Package":"shop/once","Test":"TestOnce"`, `"skip","Package":"shop/once","Test":"TestOnce"`,
			"build-fail", "build-output", "TestOnce", "TestTwice", "", `{"Action":"pass","Package":"shop/once","Test":"TestTwice"}`,
		},
		"node.tap": {
			"ok 1 - adds", "not ok 1 - adds", "ok 1 - adds", "ok 1 - subtracts", "duration_ms: 0.97", "duration_ms: 0.98", "# SKIP why", "", "", "# duration_ms 61.5\n",
			"1..6", "ok 7 - another\n1..7", "1..6", "1..7",
		},
		"sample.ctrf.json": {
			`"duration": 120`, `"duration": 121`, "1772446273500", "1772446273501", "1772446272000", "1772446272001", `"suite": ["cart.spec.ts", "cart"]`, `"suite": ["cart.spec.ts"]`,
			`"duration": 9`, `"duration": 9, "start": 1772446272`,
		},
	} {
		text := document(t, file)
		before := runOf(t, text)
		for i := 0; i < len(edits); i += 2 {
			require.NotEqual(t, before, runOf(t, edited(t, text, edits[i], edits[i+1])), "%s: %q -> %q", file, edits[i], edits[i+1])
		}
	}
}

// edited replaces what an edit is about: line ends and colons everywhere, all else in its first place.
func edited(t *testing.T, text, from, to string) string {
	switch from {
	case "":
		return text + to
	case "\n", "><":
		return strings.ReplaceAll(text, from, to)
	}
	require.Contains(t, text, from)
	return strings.Replace(text, from, to, 1)
}

// Where the lines of a report fall changes the words for what is wrong with it, and not its run.
func TestDefectsMakeTheSameRunOnAnyLine(t *testing.T) {
	for _, text := range []string{"1..2\nok 1 - a\nok 1 - b\n", "1..1\nok 1 - a\n    ok 1 - b\n"} {
		moved := "# a comment\n\n" + text
		require.NotEqual(t, lines(parsed(t, TAP, text)), lines(parsed(t, TAP, moved)))
		require.Equal(t, runOf(t, text), runOf(t, moved))
	}
}

// The order in which a report lists the suites, tests and packages of one run does not matter.
func TestTheOrderMakesNoOtherRun(t *testing.T) {
	one := "<testsuite name='s' time='1'><testcase name='a'/><testcase name='b'><failure/></testcase></testsuite>"
	other := "<testsuite name='t' time='2'><testcase name='a'/></testsuite>"
	turned := "<testsuite name='s' time='1'><testcase name='b'><failure/></testcase><testcase name='a'/></testsuite>"
	require.Equal(t, runOf(t, "<testsuites>"+one+other+"</testsuites>"), runOf(t, "<testsuites>"+other+turned+"</testsuites>"))
	a, b := events("start p", "run p T", "pass p T", "pass p"), events("start q", "run q T", "fail q T", "fail q")
	require.Equal(t, runOf(t, a+b), runOf(t, b+a))
}

// modelRun is a run as any format can say it.
type modelRun struct {
	End   time.Time
	Tests []modelTest
}

type modelTest struct {
	Suite, Name, Result string
	Took                int // milliseconds
}

func drawRun(t *rapid.T) modelRun {
	word := rapid.StringMatching(`[a-zA-Z][a-z_\[\]<&é"]{0,6}[a-z]`)
	tests := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) modelTest {
		return modelTest{
			Suite: word.Draw(t, "suite"), Name: word.Draw(t, "name"), Result: rapid.SampledFrom([]string{Pass, Fail, Skip}).Draw(t, "result"),
			Took: rapid.IntRange(0, 2000).Draw(t, "took"),
		}
	}), 1, 6, func(test modelTest) string { return test.Suite + "." + test.Name }).Draw(t, "tests")
	return modelRun{time.UnixMilli(rapid.Int64Range(1_500_000_000_000, 1_900_000_000_000).Draw(t, "end")).UTC(), tests}
}

// writers write a run in each format.
var writers = map[string]func(modelRun) string{JUnit: asJUnit, Go: asGo, TAP: asTAP, CTRF: asCTRF}

func asJUnit(run modelRun) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<testsuites><testsuite name='all' timestamp='%s'>", run.End.Format(time.RFC3339Nano))
	quoted := func(s string) string {
		var q strings.Builder
		_ = xml.EscapeText(&q, []byte(s))
		return q.String()
	}
	for _, test := range run.Tests {
		inside := map[string]string{Pass: "", Fail: "<failure>x</failure>", Skip: "<skipped/>"}[test.Result]
		fmt.Fprintf(&b, `<testcase classname="%s" name="%s" time="%g">%s</testcase>`, quoted(test.Suite), quoted(test.Name), float64(test.Took)/1000, inside)
	}
	return b.String() + "</testsuite></testsuites>"
}

func asGo(run modelRun) string {
	var b strings.Builder
	for _, test := range run.Tests {
		line, _ := json.Marshal(map[string]any{"Time": run.End, "Action": test.Result, "Package": test.Suite, "Test": test.Name,
			"Elapsed": float64(test.Took) / 1000})
		fmt.Fprintf(&b, "%s\n", line)
		line, _ = json.Marshal(map[string]any{"Time": run.End, "Action": Pass, "Package": test.Suite})
		fmt.Fprintf(&b, "%s\n", line)
	}
	return b.String()
}

func asTAP(run modelRun) string {
	var b strings.Builder
	fmt.Fprintf(&b, "1..%d\n", len(run.Tests))
	for _, test := range run.Tests {
		point := map[string]string{Pass: "ok", Fail: "not ok", Skip: "ok"}[test.Result]
		skip := map[string]string{Skip: " # SKIP"}[test.Result]
		fmt.Fprintf(&b, "%s - %s %s%s\n  ---\n  duration_ms: %d\n  ...\n", point, test.Suite, test.Name, skip, test.Took)
	}
	return b.String() + fmt.Sprintf("# duration_ms %d.5\n", run.End.UnixMilli()%1_000_000)
}

func asCTRF(run modelRun) string {
	counts := map[string]int{"tests": len(run.Tests)}
	var tests []any
	for _, test := range run.Tests {
		status := map[string]string{Pass: "passed", Fail: "failed", Skip: "skipped"}[test.Result]
		counts[status]++
		tests = append(tests, map[string]any{"name": test.Name, "suite": test.Suite, "status": status, "duration": test.Took})
	}
	summary := map[string]any{"stop": run.End.UnixMilli()}
	for name, n := range counts {
		summary[name] = n
	}
	b, _ := json.Marshal(map[string]any{"results": map[string]any{"tool": map[string]string{"name": "x"}, "summary": summary, "tests": tests}})
	return string(b)
}

// Two reports are of the same run if and only if the same happened at the same time, in every format.
func TestARunIsWhatHappened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		other := modelRun{run.End, slices.Clone(run.Tests)}
		at := rapid.IntRange(0, len(run.Tests)-1).Draw(t, "changed")
		switch rapid.IntRange(0, 4).Draw(t, "change") {
		case 0:
			other.Tests[at].Result = map[string]string{Pass: Fail, Fail: Skip, Skip: Pass}[other.Tests[at].Result]
		case 1:
			other.Tests[at].Took++
		case 2:
			other.Tests[at].Name += "x"
		case 3:
			other.Tests = append(other.Tests, modelTest{"new", "new", Pass, 1})
		case 4:
			other.End = other.End.Add(time.Millisecond)
		}
		for _, format := range slices.Sorted(maps.Keys(writers)) {
			write := writers[format]
			text := write(run)
			want := runOf(t, text)
			require.NotEqual(t, want, runOf(t, write(other)), format)
			shuffled := modelRun{run.End, rapid.Permutation(run.Tests).Draw(t, "order")}
			require.Equal(t, want, runOf(t, write(shuffled)), format)
			require.Equal(t, want, runOf(t, relaid(t, format, text)), "%s\n%s", text, format)
		}
	})
}

// relaid lays a report out in another way.
func relaid(t *rapid.T, format, text string) string {
	switch format {
	case JUnit:
		return relaidXML(t, text)
	case TAP:
		return relaidTAP(t, text)
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		relaidJSON(t, &b, jsontext.Value(strings.TrimSpace(line)), format == CTRF)
		b.WriteString(space(t, "\n") + "\n")
	}
	return rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark") + space(t, " \n") + b.String()
}

// space draws white space of these characters.
func space(t *rapid.T, of string) string {
	return strings.Repeat(of, rapid.IntRange(0, 2).Draw(t, "space"))
}

func relaidJSON(t *rapid.T, b *strings.Builder, v jsontext.Value, lines bool) {
	gap := func() string {
		if lines {
			return space(t, "\r\n\t")
		}
		return space(t, " ")
	}
	b.WriteString(gap())
	switch v.Kind() {
	case '{':
		var members map[string]jsontext.Value
		require.NoError(t, json.Unmarshal(v, &members))
		b.WriteString("{")
		for i, name := range rapid.Permutation(slices.Sorted(maps.Keys(members))).Draw(t, "members") {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(b, "%s%q%s:", gap(), name, gap())
			relaidJSON(t, b, members[name], lines)
		}
		b.WriteString("}")
	case '[':
		var items []jsontext.Value
		require.NoError(t, json.Unmarshal(v, &items))
		b.WriteString("[")
		for i, item := range items {
			if i > 0 {
				b.WriteString(",")
			}
			relaidJSON(t, b, item, lines)
		}
		b.WriteString("]")
	default:
		b.Write(v)
	}
	b.WriteString(gap())
}

func relaidXML(t *rapid.T, text string) string {
	between := func() string {
		return space(t, "\n\t") + rapid.SampledFrom([]string{"", "<!-- <testcase name='no'/> -->", "<?x y?>"}).Draw(t, "between")
	}
	var b strings.Builder
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.RawToken()
		if err == io.EOF {
			return b.String() + between()
		}
		require.NoError(t, err)
		b.WriteString(between())
		switch token := token.(type) {
		case xml.StartElement:
			b.WriteString("<" + token.Name.Local)
			for _, a := range rapid.Permutation(token.Attr).Draw(t, "attributes") {
				b.WriteString(" " + space(t, "\n") + a.Name.Local + space(t, " ") + "='")
				_ = xml.EscapeText(&b, []byte(a.Value))
				b.WriteString("'")
			}
			b.WriteString(space(t, "\n") + ">")
		case xml.EndElement:
			b.WriteString("</" + token.Name.Local + space(t, " ") + ">")
		case xml.CharData:
			_ = xml.EscapeText(&b, token)
		}
	}
}

func relaidTAP(t *rapid.T, text string) string {
	var b strings.Builder
	end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, " ") {
			b.WriteString(rapid.SampledFrom([]string{"", end, "# a comment" + end, "printed" + end}).Draw(t, "before"))
		}
		b.WriteString(line + space(t, " ") + end)
	}
	return "# first" + end + "TAP version 14" + end + b.String()
}

// TestARunWithoutATimeIsOneForEachCommit: nobody can tell it from the run before.
func TestARunWithoutATimeIsOneForEachCommit(t *testing.T) {
	plain, err := Parse([]byte("TAP version 13\n1..1\nok 1 - pays\n"))
	require.NoError(t, err)
	require.Equal(t, plain.Run, plain.RunOn(""))
	require.NotEqual(t, plain.Run, plain.RunOn("a"))
	require.NotEqual(t, plain.RunOn("b"), plain.RunOn("a"))
	require.Len(t, plain.RunOn("a"), 64)
	dated, err := Parse([]byte(`<testsuite timestamp="2026-01-01T00:00:00Z"><testcase name="pays"/></testsuite>`))
	require.NoError(t, err)
	require.Equal(t, dated.Run, dated.RunOn("a"))
}
