package testreport

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// times writes when the cases of a report ran, one a line: "name: time".
func times(r Report) []string {
	out := []string{}
	for c, ran := range r.All() {
		text, _ := ran.MarshalText()
		out = append(out, c.Name+": "+string(text))
	}
	return out
}

func textOf(t *testing.T, r Ran) string {
	t.Helper()
	text, err := r.MarshalText()
	require.NoError(t, err)
	return string(text)
}

// at makes a Ran of its text.
func at(t *testing.T, text string) Ran {
	t.Helper()
	var r Ran
	require.NoError(t, r.UnmarshalText([]byte(text)))
	return r
}

func TestWhenAReportRan(t *testing.T) {
	const anywhere = "2026-03-01T20:11:12Z/2026-03-02T22:11:12Z"
	for file, want := range map[string]string{
		"pytest.xml":    "2026-03-02T10:11:12Z",
		"gotestsum.xml": "2026-03-02T10:11:12Z",
		"jest.xml":      anywhere,
		"gtest.xml":     anywhere, // the suite has none, and the suites around it have
		"surefire.xml":  "", "node.tap": "", "prove.tap": "", "tap14.tap": "",
		"sample.ctrf.json": "2026-03-02T10:11:13Z",
		"merged.xml":       "2026-03-02T10:11:12Z/2026-03-02T10:11:20Z",
		"shop.go.json":     "2026-03-02T10:11:14Z",
	} {
		b, err := os.ReadFile(filepath.Join("testdata", file))
		require.NoError(t, err)
		r, err := Parse(b)
		require.NoError(t, err)
		require.Equal(t, want, textOf(t, r.Ran), file)
	}
}

// In a merged report each test has the time of its own suite.
func TestWhenEachTestRan(t *testing.T) {
	b, err := os.ReadFile("testdata/merged.xml")
	require.NoError(t, err)
	r := parsed(t, JUnit, string(b))
	require.Equal(t, []string{
		"adds_REQ7: 2020-05-06T07:08:09Z/2020-05-06T07:08:11Z", "removes: 2020-05-06T07:08:09Z/2020-05-06T07:08:11Z",
		"rounds: 2026-03-02T10:11:12Z/2026-03-02T10:11:13Z", "sums: 2026-03-02T10:11:12Z/2026-03-02T10:11:20Z",
		"never timed: ", "adds_REQ7: 2026-03-02T10:11:12Z",
	}, times(r))
	for name, want := range map[string]string{
		"shop.Cart.adds_REQ7": "2020-05-06T07:08:09Z/2020-05-06T07:08:11Z",
		"shop.New.adds_REQ7":  "2026-03-02T10:11:12Z",
		"adds_REQ7":           "2020-05-06T07:08:09Z/2020-05-06T07:08:11Z", // both are meant: the older counts
		"never timed":         "",
		"missing":             "",
	} {
		require.Equal(t, want, textOf(t, r.RanOf(name)), name)
	}
}

// The oldest of the tests of a name counts, wherever it stands; and what fails outside its tests has the time of the suite.
func TestWhichTimeOfANameCounts(t *testing.T) {
	young := "<testsuite name='y' timestamp='2026-03-02T10:11:12Z' time='5'><testcase name='a'/></testsuite>"
	old := "<testsuite name='o' timestamp='2020-05-06T07:08:09Z' time='3'><testcase name='a'/><error/></testsuite>"
	untimed := "<testsuite name='u'><testcase name='a'/></testsuite>"
	for _, order := range []string{young + old, old + young, untimed + old + young, young + untimed + old, old + young + untimed} {
		r := parsed(t, JUnit, "<testsuites>"+order+"</testsuites>")
		require.Equal(t, at(t, "2020-05-06T07:08:09Z/2020-05-06T07:08:12Z"), r.RanOf("a"))
		require.Equal(t, at(t, "2026-03-02T10:11:12Z/2026-03-02T10:11:17Z"), r.Ran)
		require.Equal(t, at(t, "2020-05-06T07:08:09Z/2020-05-06T07:08:12Z"), r.RanOf("failed outside its test cases"))
	}
	r := parsed(t, JUnit, "<testsuites>"+untimed+young+"</testsuites>")
	require.Equal(t, at(t, "2026-03-02T10:11:12Z/2026-03-02T10:11:17Z"), r.RanOf("a"), "what has no time ran when the report came, at the latest")
}

func TestTheTimesOfGo(t *testing.T) {
	b, err := os.ReadFile("testdata/shop.go.json")
	require.NoError(t, err)
	r := parsed(t, Go, string(b))
	require.Equal(t, []string{
		"TestAdd_REQ7: 2026-03-02T10:11:12Z", "TestAdd_REQ7/two_items: 2026-03-02T10:11:12Z", "TestRemove: 2026-03-02T10:11:14Z",
		"TestOnce: ", "shop/broken: ",
	}, times(r))
	require.Equal(t, []Span{
		{2, at(t, "2026-03-02T10:11:12Z")}, {1, at(t, "2026-03-02T10:11:14Z")}, {2, Ran{}},
	}, r.Spans)
}

func TestTheTimesOfCTRF(t *testing.T) {
	one := `"name":"a","status":"passed"`
	for summary, want := range map[string]string{
		`"start":1772446272000,"stop":1772446273500`: "2026-03-02T10:11:13Z",
		`"start":1772446272,"stop":1772446273`:       "2026-03-02T10:11:13Z",
		`"start":1772446272000`:                      "2026-03-02T10:11:12Z",
		`"start":0,"stop":0`:                         "",
		`"start":null,"stop":null`:                   "",
		`"stop":"2026-03-02T11:11:13+01:00"`:         "2026-03-02T10:11:13Z",
	} {
		r := parsed(t, CTRF, ctrf(`"tests":1,"passed":1,`+summary, "{"+one+"}"))
		require.Equal(t, want, textOf(t, r.Ran), summary)
		require.Equal(t, r.Ran, r.RanOf("a"))
		require.Nil(t, r.Spans)
	}
	for test, want := range map[string]string{
		`"stop":1772446272`:                         "2026-03-02T10:11:12Z",
		`"start":1772446272000,"duration":1500`:     "2026-03-02T10:11:12Z/2026-03-02T10:11:13Z",
		`"start":1772446272000,"duration":"longer"`: "2026-03-02T10:11:12Z",
		`"duration":1500`:                           "2020-09-13T12:26:40Z",
	} {
		r := parsed(t, CTRF, ctrf(`"tests":1,"passed":1,"stop":1600000000000`, "{"+one+","+test+"}"))
		require.Equal(t, want, textOf(t, r.RanOf("a")), test)
	}
}

// A time that cannot be read could hide how old a report is.
func TestTimesThatCannotBeRead(t *testing.T) {
	for text, reason := range map[string]string{
		"<testsuite>\n<testcase name='a' timestamp='soon'/></testsuite>":                      `line 2: the timestamp "soon" is not a time`,
		"<testsuite timestamp='2020'/>":                                                       `line 1: the timestamp "2020" is not a time`,
		"<testsuites timestamp='1970-01-01T00:00:00Z'/>":                                      "the timestamp",
		"<testsuite timestamp='2026-03-02T10:11:12Z' timestamp='2020-03-02T10:11:12Z'/>":      "the attribute timestamp twice",
		"<testsuite time='1' time='2'/>":                                                      "the attribute time twice",
		`{"Action":"start","Package":"p"}` + "\n" + `{"Time":"x","Action":"pass"}`:            `line 2: its Time "x" is not a time`,
		`{"Action":"start","Package":"p","Time":{}}`:                                          "its Time is no time",
		`{"Action":"start","Package":"p","Time":true}`:                                        "its Time is no time",
		ctrf(`"tests":1,"passed":1,"stop":-5`, `{"name":"a","status":"passed"}`):              `in results.summary the stop "-5" is not a time`,
		ctrf(`"tests":1,"passed":1,"start":"x"`, `{"name":"a","status":"passed"}`):            `in results.summary the start "x" is not a time`,
		ctrf(`"tests":1,"passed":1`, `{"name":"a","status":"passed","start":[1772446272]}`):   "in results.tests[0] the start is no time",
		ctrf(`"tests":1,"passed":1`, `{"name":"a","status":"passed","stop":"10 o'clock"}`):    `in results.tests[0] the stop "10 o'clock" is not a time`,
		"<testsuite timestamp='" + strings.Repeat("9", 5000) + "'/>":                          "the timestamp",
		"<testsuite><testcase name='a' timestamp='2026-03-02T10:11:12+24:00'/></testsuite>":   "the timestamp",
		"<testsuite><testsuite timestamp='2026-03-02T10:11:12Z x'/><testcase/></testsuite>\n": "the timestamp",
	} {
		refused(t, text, "report_unreadable", reason)
	}
}

// What makes a report younger only if a test ran then.
func TestWhatMakesNoReportYounger(t *testing.T) {
	old := `<testsuite name="s" timestamp="2020-05-06T07:08:09Z"%s><testcase name="a"/></testsuite>`
	for name, text := range map[string]string{
		"nothing":                  fmt.Sprintf(old, ""),
		"a suite without tests":    "<testsuites>" + fmt.Sprintf(old, "") + `<testsuite timestamp="2026-03-02T10:11:12Z" time="3"/></testsuites>`,
		"a young suite around it":  `<testsuites timestamp="2026-03-02T10:11:12Z">` + fmt.Sprintf(old, "") + "</testsuites>",
		"a run of sixteen years":   fmt.Sprintf(old, ` time="500000000"`),
		"a run of endless seconds": fmt.Sprintf(old, ` time="1e400"`),
		"a run into the past":      fmt.Sprintf(old, ` time="-60"`),
	} {
		r := parsed(t, JUnit, text)
		require.Equal(t, "2020-05-06T07:08:09Z", textOf(t, r.Ran), name)
		require.Equal(t, r.Ran, r.RanOf("a"), name)
	}
	event := func(time, pkg string) string {
		return fmt.Sprintf(`{"Time":"%s","Action":"pass","Package":"%s"}`+"\n", time, pkg)
	}
	test := `{"Time":"2020-05-06T07:08:09Z","Action":"pass","Package":"p","Test":"T"}` + "\n"
	r := parsed(t, Go, test+event("2026-03-02T10:11:12Z", "p")+event("2026-03-02T10:11:12Z", "q"))
	require.Equal(t, "2020-05-06T07:08:09Z", textOf(t, r.Ran))
}

func TestBeforeAndAfter(t *testing.T) {
	second := time.Date(2026, 3, 2, 10, 11, 12, 0, time.UTC)
	instant := Ran{second, second}
	interval := Ran{second.Add(-time.Hour), second}
	for _, ran := range []Ran{instant, interval} {
		require.True(t, ran.Before(second.Add(time.Second)))
		require.False(t, ran.Before(second.Add(999*time.Millisecond)), "what tools write has no fractions")
		require.False(t, ran.Before(second))
		require.False(t, ran.After(second))
		require.True(t, ran.After(ran.Earliest.Add(-1)))
	}
	require.False(t, interval.After(second.Add(-1)), "it may have ended an hour earlier")
	require.False(t, Ran{}.Before(second))
	require.False(t, Ran{}.After(time.Time{}.Add(-1)))
}

func TestRanInJSON(t *testing.T) {
	for _, text := range []string{"", "2026-03-02T10:11:12Z", "2026-03-01T20:11:12Z/2026-03-02T22:11:12Z"} {
		b, err := json.Marshal(Span{3, at(t, text)})
		require.NoError(t, err)
		want := `{"cases":3,"ran":"` + text + `"}`
		if text == "" {
			want = `{"cases":3}`
		}
		require.Equal(t, want, string(b))
		var again Span
		require.NoError(t, json.Unmarshal(b, &again))
		require.Equal(t, Span{3, at(t, text)}, again)
	}
	var r Ran
	for _, text := range []string{"x", "2026-03-02", "/", "2026-03-02T10:11:12Z/", "2026-03-02T10:11:12Z/2026-03-01T10:11:12Z"} {
		require.Error(t, r.UnmarshalText([]byte(text)), text)
	}
}

// Records keep cases as they always have, and the times beside them.
func TestRecordsOfCases(t *testing.T) {
	b, err := json.Marshal(Case{"s", "n", Pass})
	require.NoError(t, err)
	require.Equal(t, `{"suite":"s","name":"n","result":"pass"}`, string(b))

	before := Report{Format: Go, Cases: []Case{{"s", "n", Pass}}}
	require.True(t, before.RanOf("n").IsZero(), "a report that was kept without times")
	short := Report{Format: Go, Cases: []Case{{"s", "n", Pass}, {"s", "m", Pass}}, Spans: []Span{{1, at(t, "2026-03-02T10:11:12Z")}},
		Ran: at(t, "2026-03-02T10:11:12Z")}
	require.False(t, short.RanOf("n").IsZero())
	require.True(t, short.RanOf("m").IsZero(), "what no span reaches has no time")
}

// The times of ten thousand tests take little room, in one suite, in many, and in packages one after the other.
func TestTimesTakeLittleRoom(t *testing.T) {
	var suite, suites, gotest strings.Builder
	begin := time.Date(2026, 3, 2, 10, 11, 12, 0, time.UTC)
	for i := range 10_000 {
		when := begin.Add(time.Duration(i) * 5 * time.Millisecond).Format(time.RFC3339Nano)
		fmt.Fprintf(&suite, "<testcase name='%d' time='0.005'/>", i)
		if i%20 == 0 {
			fmt.Fprintf(&suites, "</testsuite><testsuite timestamp='%s' time='0.1'>", when)
		}
		fmt.Fprintf(&suites, "<testcase name='%d' time='0.005'/>", i)
		fmt.Fprintf(&gotest, `{"Time":"%s","Action":"pass","Package":"p","Test":"T%d","Elapsed":0.005}`+"\n", when, i)
	}
	size := func(format, text string) int {
		r := parsed(t, format, text)
		require.GreaterOrEqual(t, len(r.Cases), 10_000)
		b, err := json.Marshal(r.Spans)
		require.NoError(t, err)
		return len(b)
	}
	require.Equal(t, len("null"), size(JUnit, "<testsuite timestamp='2026-03-02T10:11:12Z' time='50'>"+suite.String()+"</testsuite>"))
	require.Less(t, size(JUnit, "<testsuites><testsuite>"+suites.String()+"</testsuite></testsuites>"), 2*10_000)
	require.Less(t, size(Go, gotest.String()), 10_000)
}
