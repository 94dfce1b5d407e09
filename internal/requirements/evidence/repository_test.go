package evidence

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

func TestALinkedWorktreeHasItsOwnHead(t *testing.T) {
	c := newClone(t)
	c.write("a", "a\n")
	c.commit("first")
	linked := clone{t, filepath.Join(t.TempDir(), "linked")}
	c.git("worktree", "add", "-q", "-b", "side", linked.dir)
	linked.write("a", "b\n")
	side := linked.commit("side")
	require.Equal(t, side, found(t, linked.open(Options{}), file("a", "1")).Commit)
	r := c.open(Options{})
	require.Equal(t, digest([]byte("a\n")), found(t, r, file("a", "1")).SHA256)
	require.Equal(t, side, found(t, r, commit(side)).Commit)
	require.Equal(t, "path_git", string(wrong(t, linked.open(Options{}), file(".git", "")).Code))
}

func TestASubmoduleIsARepositoryOfItsOwn(t *testing.T) {
	inner, c := newClone(t), newClone(t)
	inner.write("a", "a\n")
	head := inner.commit("inner")
	c.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "module")
	c.commit("outer")
	r, err := Open(t.Context(), filepath.Join(c.dir, "module"), Options{})
	require.NoError(t, err)
	defer r.Close()
	r.Follow("main")
	require.Equal(t, head, found(t, r, file("a", "1")).Commit)
	require.Equal(t, "commit_unknown", string(wrong(t, c.open(Options{}), commit(head)).Code))
}

func TestBorrowedObjectsAreNoEvidence(t *testing.T) {
	c := newClone(t)
	c.write("a", "a\n")
	head := c.commit("first")
	shared := clone{t, filepath.Join(t.TempDir(), "shared")}
	c.git("clone", "-q", c.dir, shared.dir)
	r := shared.open(Options{})
	shared.write("r.xml", junit)
	cited := []lifecycle.Evidence{looked(t, r, file("a", "1")), looked(t, r, fileIn(head, "a", "1")), looked(t, r, commit(head)),
		looked(t, r, test("TestGood", "pass", "r.xml"))}
	shared.write(".git/objects/info/alternates", filepath.Join(c.dir, ".git/objects")+"\n")
	for _, e := range cited {
		w := wrong(t, r, e)
		require.Equal(t, CodeUnreadable, w.Code)
		require.Contains(t, w.Detail, "this repository borrows objects of another one (objects/info/alternates)")
		require.Contains(t, w.Fix, "git repack -a -d")
		require.Equal(t, lifecycle.Unknown, recheck(t, r, e).Reason)
	}
	_, err := r.Tip(t.Context())
	require.Equal(t, CodeObjectsBorrowed, fault.As(err).Code)
	linked := clone{t, filepath.Join(t.TempDir(), "linked")} // it has the objects of the working tree that it is linked to
	shared.git("worktree", "add", "-q", "-b", "side", linked.dir)
	_, err = linked.open(Options{}).Tip(t.Context())
	require.Equal(t, CodeObjectsBorrowed, fault.As(err).Code)
	shared.git("repack", "-a", "-d", "-q")
	shared.write(".git/objects/info/alternates", "")
	for _, e := range cited {
		found(t, r, e)
		require.Equal(t, Standing{}, recheck(t, r, e))
	}
}

func TestTheRepositoryMayChangeUnderIt(t *testing.T) {
	c := newClone(t)
	c.write("a", "1\n")
	first := c.commit("first")
	r := c.open(Options{})
	require.Equal(t, first, found(t, r, file("a", "1")).Commit)
	c.git("pack-refs", "--all")
	c.git("gc", "-q", "--prune=now")
	require.Equal(t, first, found(t, r, fileIn(first, "a", "1")).Commit)
	c.write("a", "2\n")
	second := c.commit("second")
	require.Equal(t, second, found(t, r, file("a", "1")).Commit)
	c.git("checkout", "-q", "--detach", first)
	require.Equal(t, second, found(t, r, file("a", "1")).Commit, "what is checked out does not matter")
	c.git("repack", "-a", "-d", "-q")
	require.Equal(t, second, found(t, r, fileIn(second, "a", "1")).Commit)
	c.git("checkout", "-q", "--orphan", "unborn")
	require.Equal(t, second, found(t, r, file("a", "1")).Commit)
	r.Follow("unborn")
	require.Equal(t, lifecycle.InWorktree, found(t, r, file("a", "1")).In)
}

func TestLookupsGoOnWhileTheRepositoryIsRepacked(t *testing.T) {
	c := newClone(t)
	c.many(200)
	c.git("reset", "-q", "--hard", "main")
	r := c.open(Options{Timeout: time.Minute})
	commits := strings.Fields(c.git("rev-list", "--reverse", "main"))
	var all sync.WaitGroup
	for worker := range 3 {
		all.Go(func() {
			for i := range 20 {
				n := (worker*67 + i*9) % len(commits)
				f, w := r.Look(t.Context(), fileIn(commits[n][:12], "a", ""))
				if f == nil || f.SHA256 != digest(fmt.Appendf(nil, "%04d", n)) {
					t.Errorf("%d: %+v %+v", n, f, w)
				}
			}
		})
	}
	for range 4 {
		c.git("repack", "-a", "-d", "-f", "-q")
		c.git("gc", "-q", "--prune=now")
	}
	all.Wait()
}

func TestARepositoryThatIsReplacedIsTheRepository(t *testing.T) {
	c, other := newClone(t), newClone(t)
	c.write("a", "1\n")
	old := c.commit("old")
	other.write("a", "2\n")
	other.write("b", "3\n")
	replacement := other.commit("new")
	r := c.open(Options{})
	require.Equal(t, old, found(t, r, file("a", "1")).Commit)
	require.NoError(t, os.RemoveAll(c.dir))
	require.NoError(t, os.Rename(other.dir, c.dir))
	require.Equal(t, replacement, found(t, r, file("a", "1")).Commit)
	require.Equal(t, "commit_unknown", string(wrong(t, r, commit(old)).Code))
	c.write("new", "n\n")
	require.Equal(t, lifecycle.InWorktree, found(t, r, file("new", "1")).In)
}

func TestADeletedRepositoryIsNotThatOfTheFolderAbove(t *testing.T) {
	above := newClone(t)
	above.write("inner/a", "above\n")
	above.write("a", "above\n")
	above.commit("above")
	c := clone{t, filepath.Join(above.dir, "inner")}
	c.git("init", "-q", "-b", "main")
	c.write("a", "inner\n")
	head := c.commit("inner")
	r := c.open(Options{})
	e := looked(t, r, file("a", "1"))
	known := looked(t, r, commit(head))
	require.NoError(t, os.RemoveAll(filepath.Join(c.dir, ".git")))
	for _, e := range []lifecycle.Evidence{file("a", "1"), fileIn(head, "a", "1"), commit(head), commit(head[:7])} {
		require.Equal(t, CodeUnreadable, wrong(t, r, e).Code)
	}
	_, err := r.Tip(t.Context())
	require.Error(t, err)
	require.Equal(t, lifecycle.Unreadable, recheck(t, r, e).Reason)
	require.Equal(t, lifecycle.Unreadable, recheck(t, r, known).Reason)
}

func TestABrokenHeadIsNotAnUnbornOne(t *testing.T) {
	c := newClone(t)
	c.write("a", "a\n")
	c.commit("first")
	r := c.open(Options{})
	for _, content := range []string{"garbage\n", "1234567890123456789012345678901234567890\n"} {
		c.write(".git/refs/heads/main", content)
		require.Equal(t, CodeUnreadable, wrong(t, r, file("a", "1")).Code, content)
	}
	c.write(".git/HEAD", "garbage\n")
	require.Equal(t, CodeUnreadable, wrong(t, r, file("a", "1")).Code)
}

// fakeGit is a git command that runs script for cat-file --batch and is git for everything else. It is that git as long
// as the file "well" is beside it.
func fakeGit(t *testing.T, script string) (command, well string) {
	dir := t.TempDir()
	well = filepath.Join(dir, "well")
	return program(t, dir, fmt.Sprintf(`if [ -e '%s' ]; then exec git "$@"; fi
case "$*" in *cat-file*--batch) %s;; esac
exec git "$@"`, well, script)), well
}

// Packs that are replaced while git lists them hide what they hold: git finds nothing, once.
func TestACommitThatGitMissesOnceIsKnown(t *testing.T) {
	c := newClone(t)
	c.write("a", "1\n")
	id := c.commit("one")
	dir := t.TempDir()
	once := filepath.Join(dir, "once")
	r := c.open(Options{Git: program(t, dir, fmt.Sprintf(
		`case "$*" in *--disambiguate*) [ -e '%[1]s' ] || { : > '%[1]s'; exit 0; };; esac
exec git "$@"`, once))})
	require.Equal(t, id, found(t, r, commit(id[:12])).Commit)
	require.FileExists(t, once)
	require.Equal(t, "commit_unknown", string(wrong(t, r, commit("0123456789ab")).Code))
}

// hurry sets the deadline of the lookups from now on.
func (r *Repository) hurry(timeout time.Duration) {
	r.options.Timeout = timeout
	r.git.SetTimeout(timeout)
}

// program makes a shell script. Another process writes it: a child that another test starts meanwhile would hold a file
// of ours open for writing, and what is open for writing cannot be started.
func program(t *testing.T, dir, script string) string {
	name := filepath.Join(dir, "git")
	cmd := exec.Command("sh", "-c", `cat > "$0" && chmod 755 "$0"`, name)
	cmd.Stdin = strings.NewReader("#!/bin/sh\n" + script + "\n")
	require.NoError(t, cmd.Run())
	return name
}

func TestAGitThatFailsIsEndedAndTheNextLookupWorks(t *testing.T) {
	for name, script := range map[string]string{
		"hangs":               "sleep 1000",
		"child holds pipes":   "sleep 1000 & sleep 1000",
		"dies":                "exit 3",
		"dies asked":          "read x; exit 3",
		"garbage":             "while echo garbage; do :; done",
		"garbage in one line": "while printf garbage; do :; done",
		"another object":      "read x; echo 0000000000000000000000000000000000000000 blob 2; echo a; sleep 1000",
		"no blob":             `read x; echo "$x tree 2"; echo a; sleep 1000`,
		"half":                `read x; echo "$x blob 2"; printf a; sleep 1000`,
		"broken off":          `read x; echo "$x blob 2"; printf a; exit`,
		"too long":            `read x; echo "$x blob 2"; printf abcd; sleep 1000`,
		"negative":            `read x; echo "$x blob -2"; sleep 1000`,
		"huge":                `read x; echo "$x blob 9999999999999999999"; sleep 1000`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClone(t)
			c.write("a", "a\n")
			head := c.commit("first")
			command, well := fakeGit(t, script)
			r := c.open(Options{Git: command, Timeout: time.Minute})
			r.hurry(300 * time.Millisecond)
			within(t, func() {
				require.Equal(t, CodeUnreadable, wrong(t, r, file("a", "1")).Code)
			})
			require.NoError(t, os.WriteFile(well, nil, 0o644))
			require.Eventually(t, func() bool { // a busy machine may need more than the deadline
				f, _ := r.Look(t.Context(), file("a", "1"))
				return f != nil && f.Commit == head
			}, time.Minute, time.Millisecond)
		})
	}
}

func TestAGitThatHangsEverywhereIsEnded(t *testing.T) {
	c := newClone(t)
	c.write("a", "a\n")
	head := c.commit("first")
	dir := t.TempDir()
	hang := filepath.Join(dir, "hang")
	command := program(t, dir, "if [ -e '"+hang+"' ]; then sleep 1000 & wait; fi\nexec git \"$@\"")
	r := c.open(Options{Git: command, Timeout: time.Minute})
	cited := []lifecycle.Evidence{looked(t, r, file("a", "1")), looked(t, r, commit(head)), looked(t, r, file("a", ""))}
	r.hurry(200 * time.Millisecond)
	require.NoError(t, os.WriteFile(hang, nil, 0o644))
	within(t, func() {
		w := wrong(t, r, file("a", "1"))
		require.Equal(t, CodeUnreadable, w.Code)
		require.Contains(t, w.Detail, "did not answer within 200ms")
		verdicts, err := recheckAll(t.Context(), r, cited)
		require.NoError(t, err)
		for _, v := range verdicts {
			require.Equal(t, lifecycle.Unreadable, v.Reason)
		}
	})
}

// Callers that give up in the middle leave no half answer to the others.
func TestCallersThatGiveUpDoNotDisturbTheOthers(t *testing.T) {
	c := newClone(t)
	for i := range 20 {
		c.write(fmt.Sprintf("f%d", i), fmt.Sprintf("content of %d\n", i))
	}
	c.commit("first")
	r := c.open(Options{Timeout: time.Minute})
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 15 {
				ctx, cancel := context.WithCancel(t.Context())
				gaveUp := (worker+i)%3 == 0
				if gaveUp {
					time.AfterFunc(time.Duration(i)*500*time.Microsecond, cancel)
				}
				n := (worker * i) % 20
				f, w := r.Look(ctx, file(fmt.Sprintf("f%d", n), "1"))
				cancel()
				switch {
				case f != nil && f.SHA256 != digest(fmt.Appendf(nil, "content of %d\n", n)):
					t.Error("the answer to another question")
				case f == nil && (!gaveUp || w.Code != CodeUnreadable):
					t.Errorf("%+v", w)
				}
			}
		})
	}
	all.Wait()
}
