package evidence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/rules/lifecycle"
)

const junit = `<testsuite name="s" tests="4">
<testcase classname="c" name="TestGood"/><testcase classname="c" name="TestBad"><failure/></testcase>
<testcase classname="c" name="TestSkipped"><skipped/></testcase>
<testcase classname="x" name="TestTwice"/><testcase classname="y" name="TestTwice"><failure/></testcase>
</testsuite>
`

// runOf returns the run that a report tells.
func runOf(t *testing.T, report string) string {
	t.Helper()
	read, err := testreport.Parse([]byte(report))
	require.NoError(t, err)
	require.Len(t, read.Run, 64)
	return read.Run
}

func TestATestIsLookedUpInItsReport(t *testing.T) {
	c := newClone(t)
	c.write("build/junit.xml", junit)
	r := c.open(Options{})
	written := time.Date(2026, 5, 6, 7, 8, 9, 123456789, time.UTC)
	require.NoError(t, os.Chtimes(filepath.Join(c.dir, "build/junit.xml"), written, written))
	want := lifecycle.Found{
		In: lifecycle.InWorktree, SHA256: digest([]byte(junit)), Bytes: int64(len(junit)), Modified: written.Truncate(time.Microsecond), Format: "junit",
		Counts: &lifecycle.Results{Run: 4, Passed: 2, Failed: 2, Skipped: 1}, Run: runOf(t, junit),
	}
	require.Equal(t, want, found(t, r, test("TestGood", lifecycle.ResultPass, "build/junit.xml")))
	require.Equal(t, want, found(t, r, test("c.TestBad", lifecycle.ResultFail, "build/junit.xml")))
	c.write("empty.xml", "")
	c.write("words.txt", "all good\n")
	for _, x := range []struct {
		e                 lifecycle.Evidence
		code, detail, fix string
	}{
		{test("TestGood", "pass", ""), "report_missing", `the test "TestGood" names no report`, "name the report"},
		{test("TestGood", "pass", "sha256:"+strings.Repeat("0", 64)), "report_not_attached", "sha256:0000", "attach"},
		{test("TestGood", "pass", "build/none.xml"), "report_not_found", "there is no build/none.xml in the working tree", ""},
		{test("TestGood", "pass", "build/junit.xml/x"), "report_not_found", "build/junit.xml is no folder", ""},
		{test("TestGood", "pass", "build"), "is_folder", "", ""},
		{test("TestGood", "fail", "build/junit.xml"), "test_result_differs", `in build/junit.xml the result of "TestGood" is pass, and the evidence says "fail"`, ""},
		{test("TestBad", "pass", "build/junit.xml"), "test_result_differs", "", ""},
		{test("TestSkipped", "pass", "build/junit.xml"), "test_result_differs", "is skip", ""},
		{test("TestGood", "", "build/junit.xml"), "test_result_differs", "", ""},
		{test("TestGoof", "pass", "build/junit.xml"), "test_missing", "build/junit.xml: ", "TestGood"},
		{test("TestTwice", "pass", "build/junit.xml"), "test_ambiguous", "build/junit.xml: ", ""},
		{test("TestGood", "pass", "empty.xml"), "report_empty", "empty.xml: ", ""},
		{test("TestGood", "pass", "words.txt"), "report_unknown", "words.txt: ", ""},
	} {
		w := wrong(t, r, x.e)
		require.Equal(t, x.code, string(w.Code), "%+v", w)
		require.Contains(t, w.Detail, x.detail)
		require.Contains(t, w.Fix, x.fix)
	}
	require.Equal(t, "file_too_large", string(wrong(t, c.open(Options{MaxBytes: 10}), test("TestGood", "pass", "build/junit.xml")).Code))
}

// Verifies: ORC-119
func TestAReportOfTheFutureIsNoReport(t *testing.T) {
	c := newClone(t)
	c.write("r.xml", junit)
	r := c.open(Options{})
	found(t, r, test("TestGood", "pass", "r.xml"))
	later := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(c.dir, "r.xml"), later, later))
	require.Equal(t, "report_from_future", string(wrong(t, r, test("TestGood", "pass", "r.xml")).Code))
}

func TestAReportIsParsedOnceUntilItChanges(t *testing.T) {
	c := newClone(t)
	r := c.open(Options{})
	touch := func(name string, at time.Time) { require.NoError(t, os.Chtimes(filepath.Join(c.dir, name), at, at)) }
	read := func(name string) *readReport {
		found(t, r, test("TestGood", "pass", name))
		return r.reports.kept[name]
	}
	c.write("r.xml", junit)
	old := time.Now().Add(-time.Hour)
	touch("r.xml", old)
	first := read("r.xml")
	require.Same(t, first, read("r.xml"), "an old file that did not change is read again")
	touch("r.xml", old.Add(time.Second))
	second := read("r.xml")
	require.NotSame(t, first, second)
	require.Same(t, &first.report.Cases[0], &second.report.Cases[0], "the same bytes are parsed again")
	c.write("r.xml", strings.Replace(junit, "TestBad", "TestBut", 1))
	touch("r.xml", time.Now())
	third := read("r.xml")
	require.NotEqual(t, second.sum, third.sum)
	require.NotSame(t, third, read("r.xml"), "a file that was just written is taken for unchanged by its time")
	for i := range 10 {
		c.write(fmt.Sprintf("r%d.xml", i), junit)
		read(fmt.Sprintf("r%d.xml", i))
		require.LessOrEqual(t, len(r.reports.kept), maxReports)
	}
}

func TestAReportIsCheckedAgain(t *testing.T) {
	c := newClone(t)
	c.write("r.xml", junit)
	r := c.open(Options{})
	full := filepath.Join(c.dir, "r.xml")
	e := looked(t, r, test("TestGood", "pass", "r.xml"))
	require.Equal(t, Standing{}, recheck(t, r, e))
	later := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(full, later, later))
	require.Equal(t, Standing{}, recheck(t, r, e), "written again with the same content")
	c.write("r.xml", strings.Replace(junit, "TestBad", "TestBut", 1))
	require.NoError(t, os.Chtimes(full, later, later))
	require.Equal(t, lifecycle.ReportChanged, recheck(t, r, e).Reason, "same size")
	require.NoError(t, os.Chtimes(full, e.Found.Modified, e.Found.Modified))
	require.Equal(t, lifecycle.ReportChanged, recheck(t, r, e).Reason, "same size, and the time set back")
	c.write("r.xml", junit+"\n")
	require.Equal(t, Standing{}, recheck(t, r, e), "the same run")
	old := e
	old.Found = &lifecycle.Found{In: e.Found.In, SHA256: e.Found.SHA256, Bytes: e.Found.Bytes}
	require.Equal(t, lifecycle.ReportChanged, recheck(t, r, old).Reason, "its run is not known")
	c.write("r.xml", "no report")
	require.Equal(t, lifecycle.ReportChanged, recheck(t, r, e).Reason)
	require.NoError(t, os.Remove(full))
	require.Equal(t, Standing{Reason: lifecycle.ReportGone, Detail: "there is no r.xml in the working tree"}, recheck(t, r, e))
	require.NoError(t, os.Symlink("/etc/passwd", full))
	require.Equal(t, lifecycle.ReportGone, recheck(t, r, e).Reason)
	e.Report = strings.Repeat("x", 300)
	require.Equal(t, lifecycle.Unreadable, recheck(t, r, e).Reason, "that it cannot be looked at does not mean that it is gone")
	e.Report = "sha256:" + e.Found.SHA256
	require.Equal(t, Standing{}, recheck(t, r, e), "attached")
	require.NoError(t, os.RemoveAll(c.dir))
	require.Equal(t, Standing{}, recheck(t, r, e), "attached")
	e.Report = "r.xml"
	require.Equal(t, lifecycle.Unreadable, recheck(t, r, e).Reason)
}
