package evidence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// at is a test that ran at a commit.
func at(commit string) lifecycle.Evidence {
	e := test("TestGood", "pass", "r.xml")
	e.ReportCommit = commit
	return e
}

// holds returns how a test stands that is tied to an implementation.
func holds(t *testing.T, r *Repository, e lifecycle.Evidence, code ...lifecycle.Evidence) Standing {
	t.Helper()
	return stands(t, r, Subject{Cited: []lifecycle.Evidence{e}, Code: code})[0]
}

func TestAReportSaysWhichCodeItSaw(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		c := newClone(t, "--object-format="+format)
		c.write("r.xml", junit)
		c.write(".gitignore", "r.xml\n")
		r := c.open(Options{})
		f := found(t, r, test("TestGood", "pass", "r.xml"))
		require.Empty(t, f.Commit, "the branch has no commit yet")
		require.False(t, f.Tip)
		first := c.commit("first")
		second := c.commit("second")
		c.write("r.xml", junit)
		f = found(t, r, test("TestGood", "pass", "r.xml"))
		require.Equal(t, second, f.Commit)
		require.True(t, f.Tip, "nobody said so")
		for _, id := range []string{first, first[:8]} {
			f = found(t, r, at(id))
			require.Equal(t, first, f.Commit)
			require.False(t, f.Tip)
		}
		c.git("branch", "side")
		lone := c.commit("third")
		require.Equal(t, lone, found(t, r, at(lone)).Commit)
		c.git("reset", "-q", "--hard", second)
		for id, code := range map[string]string{
			"HEAD": "commit_malformed", "--all": "commit_malformed", "abc": "commit_malformed", strings.Repeat("1", 40): "commit_unknown",
			c.git("rev-parse", "HEAD^{tree}"): "not_a_commit",
		} {
			if format == "sha256" && code == "commit_unknown" {
				id = strings.Repeat("1", 64)
			}
			require.Equal(t, code, string(wrong(t, r, at(id)).Code), id)
		}
		r = c.open(Options{}) // nothing is believed from before
		require.Equal(t, "commit_dangling", string(wrong(t, r, at(lone)).Code))
	}
}

// A commit that comes after the report is not the one that was tested.
func TestTheTipIsThatOfWhenTheReportWasThere(t *testing.T) {
	c := newClone(t)
	c.commit("first")
	c.write("r.xml", junit)
	r := c.open(Options{})
	require.True(t, found(t, r, test("TestGood", "pass", "r.xml")).Tip)
	for range 3 {
		head := c.commit("next")
		c.write("r.xml", junit)
		require.Equal(t, head, found(t, r, test("TestGood", "pass", "r.xml")).Commit)
	}
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(c.dir, "r.xml"), old, old))
	found(t, r, test("TestGood", "pass", "r.xml"))
	before := r.git.Starts()
	for range 20 {
		found(t, r, test("TestGood", "pass", "r.xml"))
	}
	require.Equal(t, before, r.git.Starts(), "git is asked for every test of a run")
	r.assumed.tipAt = time.Now().Add(-listingAge)
	found(t, r, test("TestGood", "pass", "r.xml"))
	require.Equal(t, before+1, r.git.Starts())
	c.git("branch", "side", "HEAD~1")
	r.Follow("side")
	require.Equal(t, c.git("rev-parse", "side"), found(t, r, test("TestGood", "pass", "r.xml")).Commit, "another branch is followed")
}

// tested is what happens between a run of the tests and now.
type tested struct {
	name   string
	change func(c clone)
	want   string // a part of the detail with which the test is stale; "" where it holds
}

func TestATestCountsForTheCodeThatItSaw(t *testing.T) {
	mv := func(from, to string) func(c clone) {
		return func(c clone) {
			require.NoError(c.t, os.MkdirAll(filepath.Dir(filepath.Join(c.dir, to)), 0o755))
			c.git("mv", from, to)
		}
	}
	write := func(path, content string) func(c clone) { return func(c clone) { c.write(path, content) } }
	all := func(changes ...func(c clone)) func(c clone) {
		return func(c clone) {
			for _, change := range changes {
				change(c)
				c.commit("next")
			}
		}
	}
	text := numbered(1, 30)
	for _, x := range []tested{
		{"nothing", all(), ""},
		{"another file", write("README", "other\n"), ""},
		{"a cited file, elsewhere in it", write("src/cited.go", text+"new\n"), "src/cited.go"},
		{"changed and changed back", all(write("src/cited.go", "x\n"), write("src/cited.go", text)), ""},
		{"a file of a cited commit", write("src/two.go", "x\n"), "src/two.go"},
		{"a new file that the commit added", write("src/added.go", "x\n"), "src/added.go"},
		{"a file that the commit only deleted", write("src/deleted.go", "x\n"), "src/deleted.go"},
		{"a file that the commit left alone", write("src/left.go", "x\n"), ""},
		{"renamed", mv("src/cited.go", "lib/cited.go"), ""},
		{"renamed, a file of a commit", mv("src/two.go", "lib/two.go"), ""},
		{"renamed and edited", all(mv("src/cited.go", "lib/cited.go"), write("lib/cited.go", text+"new\n")), "src/cited.go"},
		{"renamed twice", all(mv("src/cited.go", "lib/cited.go"), mv("lib/cited.go", "lib/again.go")), ""},
		{"deleted", func(c clone) { c.git("rm", "-q", "src/cited.go") }, "src/cited.go"},
		{"deleted, with an older copy", func(c clone) { c.git("rm", "-q", "src/copied.go") }, "src/copied.go"},
		{"a link in its place", func(c clone) {
			c.git("rm", "-q", "src/cited.go")
			require.NoError(c.t, os.Symlink("copy.go", filepath.Join(c.dir, "src/cited.go")))
		}, "src/cited.go"},
		{"a link with the bytes of the file", func(c clone) {
			require.NoError(c.t, os.Remove(filepath.Join(c.dir, "src/name.go")))
			require.NoError(c.t, os.Symlink("copy.go", filepath.Join(c.dir, "src/name.go")))
		}, "src/name.go"},
		{"a folder in its place", all(func(c clone) { c.git("rm", "-q", "src/two.go") }, write("src/two.go/x", "x\n")), "src/two.go"},
		{"executable", func(c clone) { require.NoError(c.t, os.Chmod(filepath.Join(c.dir, "src/cited.go"), 0o755)) }, ""},
		{"not committed", write("src/cited.go", "not committed\n"), ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := newClone(t)
			c.write(".gitignore", "r.xml\n")
			c.write("src/cited.go", text)
			c.write("src/copied.go", numbered(201, 230))
			c.write("src/copy.go", numbered(201, 230))
			c.write("src/left.go", numbered(301, 330))
			c.write("src/deleted.go", numbered(401, 430))
			c.write("src/two.go", numbered(501, 510))
			c.write("src/name.go", "copy.go")
			c.commit("base")
			c.write("src/two.go", numbered(501, 530))
			c.write("src/added.go", numbered(601, 630))
			c.git("rm", "-q", "src/deleted.go")
			made := c.commit("implementation")
			c.write("r.xml", junit)
			r := c.open(Options{})
			code := []lifecycle.Evidence{looked(t, r, file("src/cited.go", "3-5")), looked(t, r, file("src/copied.go", "")), looked(t, r, file("src/name.go", "")), looked(t, r, commit(made))}
			ran := looked(t, r, at(made))
			x.change(c)
			if x.name != "not committed" {
				c.commit("after the tests")
			}
			got := holds(t, r, ran, code...)
			if x.want == "" {
				require.Equal(t, Standing{}, got)
				return
			}
			require.Equal(t, Standing{Reason: lifecycle.CodeChanged, Detail: x.want + " at commit " + short(made) +
				", which was tested, is not what it is at the tip of main (" + short(c.git("rev-parse", "main")) + ")"}, got)
			require.Equal(t, Standing{}, holds(t, r, ran), "a test that is tied to no code")
			require.Equal(t, Standing{}, holds(t, r, looked(t, r, at(c.git("rev-parse", "main"))), code...), "tested again")
		})
	}
}

func TestACommitThatWasTestedMustBeInTheBranch(t *testing.T) {
	c := newClone(t)
	c.write(".gitignore", "r.xml\n")
	c.write("a", numbered(1, 30))
	first := c.commit("first")
	c.write("r.xml", junit)
	r := c.open(Options{})
	code := looked(t, r, file("a", "1"))
	c.git("checkout", "-q", "-b", "side")
	side := c.commit("side")
	ran := looked(t, r, at(side))
	require.Equal(t, Standing{Reason: lifecycle.Elsewhere, Detail: "commit " + short(side) +
		" is not in the history of main: another branch, a tag or HEAD has it"}, holds(t, r, ran, code), "the same content")
	require.Equal(t, lifecycle.Elsewhere, holds(t, r, ran).Reason)
	c.git("checkout", "-q", "main")
	c.git("merge", "-q", "--no-ff", "--no-edit", "side")
	require.Equal(t, Standing{}, holds(t, r, ran, code), "merged")
	c.git("reset", "-q", "--hard", first)
	c.git("branch", "-q", "-D", "side")
	require.Equal(t, lifecycle.CommitGone, holds(t, r, ran, code).Reason)
	c.git("update-ref", "refs/hidden/side", side)
	require.Equal(t, lifecycle.CommitGone, holds(t, r, ran, code).Reason)
	nobody := ran
	nobody.Found = &lifecycle.Found{In: ran.Found.In, SHA256: ran.Found.SHA256, Bytes: ran.Found.Bytes}
	require.Equal(t, Standing{Reason: lifecycle.CodeUnknown, Detail: "nobody has said which commit was tested"}, holds(t, r, nobody, code))
	require.Equal(t, Standing{}, holds(t, r, nobody), "a test of the rules that tied none")
	forged := ran
	forged.Found = &lifecycle.Found{In: ran.Found.In, SHA256: ran.Found.SHA256, Bytes: ran.Found.Bytes, Commit: "--all"}
	require.Equal(t, lifecycle.CommitGone, holds(t, r, forged, code).Reason)
	attached := looked(t, r, at(first))
	attached.Report, attached.Found.In = "sha256:"+attached.Found.SHA256, lifecycle.InAttached
	require.Equal(t, Standing{}, holds(t, r, attached, code))
	c.write("a", "changed\n")
	c.commit("changed")
	require.Equal(t, lifecycle.CodeChanged, holds(t, r, attached, code).Reason, "an attached report sees no other code")
	c.write("r.xml", "no report")
	require.Equal(t, lifecycle.ReportChanged, holds(t, r, ran, code).Reason, "the report comes first")
}

// Code that was written before it was committed was not seen by tests of a commit without it.
func TestTestsOfUncommittedCodeProveNothing(t *testing.T) {
	c := newClone(t)
	c.write(".gitignore", "r.xml\n")
	c.commit("base")
	c.write("new.go", numbered(1, 30))
	c.write("r.xml", junit)
	r := c.open(Options{})
	code, ran := looked(t, r, file("new.go", "3-5")), looked(t, r, test("TestGood", "pass", "r.xml"))
	require.True(t, ran.Found.Tip)
	require.Equal(t, Standing{}, holds(t, r, ran, code), "the branch still lacks it; its own citation says so")
	require.Equal(t, lifecycle.Uncommitted, recheck(t, r, code).Reason)
	made := c.commit("implementation")
	require.Equal(t, Standing{}, recheck(t, r, code))
	require.Equal(t, lifecycle.CodeChanged, holds(t, r, ran, code).Reason)
	require.Equal(t, Standing{}, holds(t, r, looked(t, r, at(made)), code))
}

// A file that was renamed before the tests ran, and changed after them, is found under its new name.
func TestARenameBeforeTheTestsHidesNoChangeAfterThem(t *testing.T) {
	c := newClone(t)
	c.write(".gitignore", "r.xml\n")
	c.write("a.go", numbered(1, 30))
	c.commit("base")
	c.write("a.go", numbered(1, 31))
	made := c.commit("implementation")
	c.write("r.xml", junit)
	r := c.open(Options{})
	for _, code := range []lifecycle.Evidence{looked(t, r, file("a.go", "3-5")), looked(t, r, commit(made))} {
		c.git("checkout", "-q", "-B", "main", made)
		c.git("mv", "a.go", "b.go")
		renamed := c.commit("renamed")
		ran := looked(t, r, at(renamed))
		require.Equal(t, Standing{}, holds(t, r, ran, code))
		c.git("mv", "b.go", "c.go")
		c.commit("renamed again")
		require.Equal(t, Standing{}, holds(t, r, ran, code))
		c.write("c.go", numbered(1, 30)+"changed\n")
		c.commit("changed")
		require.Equal(t, lifecycle.CodeChanged, holds(t, r, ran, code).Reason)
		require.Contains(t, holds(t, r, ran, code).Detail, "a.go at commit ", "as the implementation names it")
	}
}

func TestTheFirstCommitAndAMergeAreImplementations(t *testing.T) {
	c := newClone(t)
	c.write(".gitignore", "r.xml\n")
	c.write("dir/sub/root.go", "1\n")
	root := c.commit("root")
	c.git("checkout", "-q", "-b", "feature")
	c.write("dir/feature.go", "1\n")
	c.commit("feature")
	c.git("checkout", "-q", "main")
	c.write("dir/main.go", "1\n")
	c.commit("main")
	c.git("merge", "-q", "--no-ff", "--no-edit", "feature")
	merge := c.git("rev-parse", "HEAD")
	c.write("r.xml", junit)
	r := c.open(Options{})
	ran := looked(t, r, at(merge))
	first, merged := looked(t, r, commit(root)), looked(t, r, commit(merge))
	for _, x := range []struct {
		path          string
		first, merged string
	}{
		{"dir/main.go", "", ""}, // the first parent had it
		{"dir/feature.go", "", lifecycle.CodeChanged},
		{"dir/sub/root.go", lifecycle.CodeChanged, ""},
	} {
		c.git("reset", "-q", "--hard", merge)
		c.write(x.path, "2\n")
		c.commit("changed")
		require.Equal(t, x.first, holds(t, r, ran, first).Reason, x.path)
		require.Equal(t, x.merged, holds(t, r, ran, merged).Reason, x.path)
	}
}

func TestAReportCountsByItsOwnTimes(t *testing.T) {
	c := newClone(t)
	c.commit("first")
	r := c.open(Options{})
	report := func(at time.Time) string {
		return fmt.Sprintf(`<testsuite name="s" timestamp=%q time="0"><testcase classname="c" name="TestGood" time="0"/></testsuite>`,
			at.UTC().Format("2006-01-02T15:04:05Z"))
	}
	old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	c.write("r.xml", report(old))
	f := found(t, r, test("TestGood", "pass", "r.xml"))
	require.Equal(t, old, f.Ran, "whatever the time of the file")
	require.WithinDuration(t, time.Now(), f.Modified, time.Minute)
	c.write("r.xml", "<testsuites>"+report(old)+strings.Replace(report(old.AddDate(1, 0, 0)), "TestGood", "TestNew", 1)+"</testsuites>")
	require.Equal(t, old, found(t, r, test("TestGood", "pass", "r.xml")).Ran, "no young test speaks for an old one")
	require.Equal(t, old.AddDate(1, 0, 0), found(t, r, test("TestNew", "pass", "r.xml")).Ran)
	c.write("r.xml", junit)
	require.True(t, found(t, r, test("TestGood", "pass", "r.xml")).Ran.IsZero(), "it says nothing")
	c.write("r.xml", report(time.Now().Add(4*time.Minute)))
	found(t, r, test("TestGood", "pass", "r.xml"))
	c.write("r.xml", report(time.Now().Add(6*time.Minute)))
	w := wrong(t, r, test("TestGood", "pass", "r.xml"))
	require.Equal(t, "report_from_future", string(w.Code))
	require.Contains(t, w.Detail, "r.xml says that its tests ran at ")
	require.Contains(t, w.Fix, "clock")
}

func TestTheSameRunInOtherBytesIsTheSameRun(t *testing.T) {
	c := newClone(t)
	c.write(".gitignore", "*.json\n")
	c.commit("first")
	line := func(at, action string) string {
		return fmt.Sprintf(`{"Time":"2026-01-02T03:04:%sZ","Action":%q,"Package":"p","Test":"TestGood","Elapsed":0.1}`+"\n", at, action)
	}
	run := line("05", "run") + line("06", "pass")
	c.write("r.json", run)
	r := c.open(Options{})
	e := looked(t, r, test("TestGood", "pass", "r.json"))
	for same, content := range map[bool][]string{
		true:  {run + "\n", strings.ReplaceAll(run, "\n", "\r\n"), run},
		false: {line("05", "run") + line("07", "pass"), line("05", "run") + line("06", "fail"), ""},
	} {
		for _, content := range content {
			c.write("r.json", content)
			want := ""
			if !same {
				want = lifecycle.ReportChanged
			}
			require.Equal(t, want, recheck(t, r, e).Reason, "%q", content)
		}
	}
}
