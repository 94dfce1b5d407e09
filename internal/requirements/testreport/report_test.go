package testreport

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// lines writes the cases of a report one a line: "pass  name in full".
func lines(r Report) []string {
	out := []string{}
	for _, c := range r.Cases {
		out = append(out, c.Result+" "+r.FullName(c))
	}
	return out
}

func parsed(t *testing.T, format, text string) Report {
	t.Helper()
	r, err := Parse([]byte(text))
	require.NoError(t, err)
	require.Equal(t, format, r.Format)
	return r
}

// refused requires that a report is refused with a code, for a reason, and with a way out.
func refused(t *testing.T, text, code, reason string) {
	t.Helper()
	r, err := Parse([]byte(text))
	require.Empty(t, r)
	requireFault(t, err, code, reason)
}

func requireFault(t *testing.T, err error, code, reason string) {
	t.Helper()
	var f *fault.Error
	require.True(t, errors.As(err, &f), "%v", err)
	require.ErrorIs(t, err, fault.Invalid)
	require.Equal(t, code, string(f.Code))
	require.Contains(t, f.Detail, reason)
	require.NotEmpty(t, f.Fix)
	require.Less(t, len(f.Detail)+len(f.Fix), 4000)
}

// What the tools of several languages write.
//
// Verifies: ORC-092
func TestDocuments(t *testing.T) {
	for file, want := range map[string][]string{
		"surefire.xml": {
			JUnit,
			"pass shop.CartTest.addsAnItem_REQ7", "fail shop.CartTest.removesAnItem", "pass shop.CartTest.rounds(double)[2]",
			"skip shop.CartTest.holdsAMillion", "fail shop.CartTest.opensTheStore", "fail shop.SetupTest",
		},
		"pytest.xml": {
			JUnit,
			"pass tests.test_cart.test_add_req_7", `pass tests.test_cart.test_add[3-<b>"x"]`,
			"fail tests.test_cart.TestTotal.test_rounds", "skip tests.test_cart.test_windows", "skip tests.test_cart.test_known_bug",
			"fail pytest.tests.test_broken",
		},
		"jest.xml": {
			JUnit,
			"pass cart adds [REQ-7].cart adds [REQ-7]", "fail cart removes.cart removes", "skip cart later.cart later",
			"fail Test suite failed to run.src/broken.test.js",
		},
		"gotestsum.xml": {
			JUnit,
			"pass example.org/shop/cart.TestAdd_REQ7", "pass example.org/shop/cart.TestAdd_REQ7/two_items",
			"fail example.org/shop/cart.TestRemove", "fail example.org/shop/broken.TestMain",
		},
		"gtest.xml": {JUnit, "pass Cart.Adds", "skip Cart.DISABLED_Never", "skip Cart.Elsewhere", "fail Cart.Removes"},
		"node.tap": {
			TAP,
			`pass adds # 1 \ x (REQ-7)`, "fail fails", "skip later", "skip skipped", "pass group > one", "skip group > two",
			"pass group > inner > deep", "pass group > inner", "pass group", "skip all skipped > one", "skip all skipped",
		},
		"prove.tap": {
			TAP,
			"pass adds an item", "pass test 2", "pass totals > rounds", "fail totals > sums", "fail totals", "skip test 4",
		},
		"tap14.tap": {TAP, "pass store > opens", "pass store > closes", "pass store", `skip reads # and \`, "skip nothing"},
		"sample.ctrf.json": {
			CTRF,
			"pass cart.spec.ts > cart > adds an item [REQ-7]", "fail cart.spec.ts > cart > removes an item", "skip later",
			"skip elsewhere", "fail interrupted", "pass retried",
		},
	} {
		t.Run(file, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join("testdata", file))
			require.NoError(t, err)
			r, err := Parse(b)
			require.NoError(t, err)
			require.Equal(t, want, append([]string{r.Format}, lines(r)...))
			crlf := strings.ReplaceAll("\ufeff \n\n"+string(b), "\n", "\r\n")
			if strings.HasPrefix(string(b), "<?xml") {
				crlf = strings.ReplaceAll("\ufeff"+string(b), "\n", "\r\n") // a declaration comes first
			}
			again, err := Parse([]byte(crlf))
			require.NoError(t, err)
			require.Equal(t, r, again, "a byte order mark and other line ends make no difference")
		})
	}
}

func TestCounts(t *testing.T) {
	b, err := os.ReadFile("testdata/surefire.xml")
	require.NoError(t, err)
	require.Equal(t, Counts{Run: 5, Passed: 2, Failed: 3, Skipped: 1}, parsed(t, JUnit, string(b)).Counts())
	require.Equal(t, Counts{}, Report{}.Counts())
	require.Equal(t, Counts{Run: 1, Failed: 1}, Report{Cases: []Case{{Name: "a", Result: "?"}}}.Counts(), "what is unknown has failed")
}

func TestWhatIsNoReport(t *testing.T) {
	for _, text := range []string{"", "\ufeff", " \n\t\r\n"} {
		refused(t, text, "report_empty", "empty")
	}
	for _, text := range []string{
		"ok  \tcart\t0.1s\n", "PASS\nok  \tcart\t0.1s\n", "{}", `{"a":1}`, `{"action":"pass"}`, `{"results`, `{`, `[{"Action":"pass"}]`, "null", "# a comment",
		"\x00", "okay", "okay 1\n1..1", "go: downloading x\n" + `{"Action":"pass"}`,
	} {
		refused(t, text, "report_unknown", "neither")
	}
	refused(t, "1..1\nok 1\n\xff\n", "report_unreadable", "not UTF-8 on line 3")
	refused(t, "\xff\xfe<\x00", "report_unreadable", "not UTF-8 on line 1")
	refused(t, "1..1\nok 1"+strings.Repeat(" ", MaxBytes), "report_too_large", "bytes")
}

func TestTooManyTests(t *testing.T) {
	event := func(s string) string { return `{"Action":"pass","Package":"p","Test":"T` + s + `"}` + "\n" }
	var xml, gotest, ctrf strings.Builder
	for i := range MaxCases + 1 {
		n := strconv.Itoa(i)
		xml.WriteString("<testcase name='" + n + "'/>")
		gotest.WriteString(event(n))
		ctrf.WriteString(`,{"name":"` + n + `","status":"passed"}`)
	}
	refused(t, "<testsuite>"+xml.String()+"</testsuite>", "report_too_large", "200000 tests")
	refused(t, gotest.String(), "report_too_large", "200000 tests")
	refused(t, "ok\n"+strings.Repeat("ok\n", MaxCases), "report_too_large", "200000 tests")
	refused(t, `{"results":{"tool":{"name":"x"},"tests":[`+ctrf.String()[1:]+`]}}`, "report_too_large", "200000 tests")
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add([]byte(`{"Action":"run","Package":"p","Test":"T"}` + "\n" + `{"Action":"build-fail","ImportPath":"p [p.test]"}`))
	f.Add([]byte("1..2\n    ok\n        not ok - x # TODO\nok\nBail out! x"))
	f.Add([]byte("<testsuite failures='1'><error/><testcase status='notrun'/></testsuite>"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Parse(b)
		if err != nil {
			requireFault(t, err, codeOf(err), "")
			return
		}
		again, err := Parse(b)
		require.NoError(t, err)
		require.Equal(t, r, again, "equal bytes, equal report")
		n := r.Counts()
		require.Equal(t, len(r.Cases), n.Run+n.Skipped)
		for _, c := range r.Cases {
			require.Contains(t, []string{Pass, Fail, Skip}, c.Result)
			require.NotEmpty(t, c.Name)
			if result, err := r.Find(r.FullName(c)); err == nil {
				require.Equal(t, c.Result, result)
			} else {
				require.Equal(t, "test_ambiguous", codeOf(err))
			}
		}
		requireSameRun(t, r, append(slices.Clone(b), '\n'))
		reached := 0
		for _, span := range r.Spans {
			reached += span.Cases
			require.False(t, span.Ran.Latest.After(r.Ran.Latest))
			require.False(t, span.Ran.Latest.Before(span.Ran.Earliest))
		}
		require.True(t, r.Spans == nil || reached == len(r.Cases))
		_, err = r.Find(string(b))
		require.True(t, err == nil || codeOf(err) != "")
	})
}

// requireSameRun requires that a document with other white space is of the same run.
func requireSameRun(t *testing.T, r Report, b []byte) {
	t.Helper()
	if len(b) > MaxBytes {
		return
	}
	again, err := Parse(b)
	require.NoError(t, err)
	require.Equal(t, r.Run, again.Run)
	require.Equal(t, r.Ran, again.Ran)
	require.Equal(t, r.Counts(), again.Counts())
}

func codeOf(err error) string {
	var f *fault.Error
	if errors.As(err, &f) {
		return string(f.Code)
	}
	return ""
}
