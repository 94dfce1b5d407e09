package gitrepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// oddBranches are names that git takes.
var oddBranches = []string{
	"main", "feature/login", "a.b", "a-b_c=d", "ü/日本", "deadbeef", "1234567890123456789012345678901234567890", "HEAD/x", "refs/heads/x", "x@y",
	"{}", "a{b", "$(id)", "`id`", "a;b", "a|b", "a'b", `a"b`, "a&b", "%(refname)", "#1", "!", "tags", "a,b", "é",
}

// falseBranches are none.
var falseBranches = []string{
	"", "-", "--all", "-x", "/a", "a/", "a//b", ".a", "a/.b", "a..b", "a.", "a.lock", "a.lock/b", "a b", "a~1", "a^", "a:b", "a?", "a*", "a[b",
	`a\b`, "@{u}", "a@{1}", "@", "a\nb", "a\x00", "a\x7f", "a\tb", "main^{commit}", "\xff", "a\u0085b", strings.Repeat("x", maxBranch+1),
}

func TestNamesOfBranchesAreThoseOfGit(t *testing.T) {
	for _, name := range oddBranches {
		require.NoError(t, CheckBranch(name), name)
		require.NoError(t, exec.Command("git", "check-ref-format", "--branch", name).Run(), name)
	}
	for _, name := range falseBranches {
		err := fault.As(CheckBranch(name))
		require.NotNil(t, err, "%q", name)
		require.Equal(t, fault.Code("branch_malformed"), err.Code)
		require.NotEmpty(t, err.Fix)
	}
}

func FuzzCheckBranch(f *testing.F) {
	for _, names := range [][]string{oddBranches, falseBranches} {
		for _, name := range names {
			f.Add(name)
		}
	}
	f.Fuzz(func(t *testing.T, name string) {
		if CheckBranch(name) != nil {
			return
		}
		require.NoError(t, exec.Command("git", "check-ref-format", "refs/heads/"+name).Run(), "%q", name)
		require.NotContains(t, name, "\n")
		require.False(t, strings.HasPrefix(name, "-"))
	})
}

// tip follows a branch and returns its tip, or the code of the error.
func tip(t *testing.T, r *Repository, name string) string {
	t.Helper()
	r.Follow(name)
	id, err := r.Tip(t.Context())
	if err != nil {
		require.ErrorIs(t, err, fault.Unavailable)
		require.NotContains(t, fault.As(err).Detail, r.Root)
		return string(fault.As(err).Code)
	}
	return id
}

func TestTheTipOfABranchIsThatOfItsFullName(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		c := newClone(t, "--object-format="+format)
		first := c.commit("first")
		for _, name := range oddBranches[1:] {
			c.git("update-ref", "refs/heads/"+name, first)
		}
		second := c.commit("second")
		for _, name := range oddBranches[1:] { // whatever is called alike is not the branch
			c.git("update-ref", "refs/tags/"+name, second)
			c.git("update-ref", "refs/remotes/"+name, second)
			c.git("update-ref", "refs/other/"+name, second)
		}
		r := c.open()
		for _, packed := range []bool{false, true} {
			if packed {
				c.git("pack-refs", "--all")
			}
			require.Equal(t, second, tip(t, r, "main"))
			for _, name := range oddBranches[1:] {
				require.Equal(t, first, tip(t, r, name), name)
			}
		}
	}
}

func TestABranchThatIsNotThereIsGone(t *testing.T) {
	c := newClone(t)
	first := c.commit("first")
	r := c.open()
	c.git("update-ref", "refs/heads/dir/side", first)
	c.git("tag", "v1")
	c.git("update-ref", "refs/hidden/x", first)
	c.git("update-ref", "refs/heads/refs/heads/y", first)
	for _, name := range []string{"v1", "dir", "side", "hidden/x", "y", "mai", "main2", first, first[:8], "HEAD", "MAIN"} {
		require.Equal(t, string(CodeBranchGone), tip(t, r, name), name)
	}
	before := r.Starts()
	for _, name := range falseBranches {
		require.Equal(t, string(CodeBranchUnknown), tip(t, r, name), "%q", name)
	}
	require.Equal(t, before, r.Starts(), "git was started for a name that is none")
	blob := c.git("hash-object", "-w", "--stdin")
	c.write(".git/refs/heads/blob", blob+"\n")
	require.Equal(t, string(CodeFailed), tip(t, r, "blob"))
	c.write(".git/refs/heads/nowhere", strings.Repeat("1", 40)+"\n")
	require.Equal(t, string(CodeFailed), tip(t, r, "nowhere"))
}

func TestABranchThatWasFetchedCounts(t *testing.T) {
	c := newClone(t)
	first := c.commit("first")
	fetched := clone{t, filepath.Join(t.TempDir(), "fetched")}
	c.git("clone", "-q", c.dir, fetched.dir)
	r := fetched.open()
	require.Equal(t, first, tip(t, r, "origin/main"))
	require.Equal(t, first, tip(t, r, "origin/HEAD"))
	own := fetched.commit("own")
	require.Equal(t, own, tip(t, r, "main"))
	require.Equal(t, first, tip(t, r, "origin/main"))
	fetched.git("branch", "origin/main", own)
	require.Equal(t, own, tip(t, r, "origin/main"), "the local one comes first")
}

// Whoever starts the service in a clone, or in CI, reads how to name the branch there.
func TestWhatToDoWithoutTheBranch(t *testing.T) {
	c := newClone(t)
	first := c.commit("first")
	r := c.open()
	fix := func(name, code string) string {
		t.Helper()
		r.Follow(name)
		_, err := r.Tip(t.Context())
		require.Equal(t, code, string(fault.As(err).Code))
		return fault.As(err).Fix
	}
	const name = "name the branch that counts: serve --branch NAME, as in --branch main or --branch origin/main"
	require.Equal(t, name, fix("", "branch_unknown"))
	require.Equal(t, "bring the branch back, or "+name, fix("lost", "branch_gone"))
	c.git("update-ref", "refs/remotes/origin/x/lost", first)
	c.git("update-ref", "refs/remotes/origin/lost2", first)
	require.Equal(t, "bring the branch back, or "+name, fix("lost", "branch_gone"))
	c.git("update-ref", "refs/remotes/origin/lost", first)
	require.Equal(t, "did you mean origin/lost? name it: serve --branch origin/lost", fix("lost", "branch_gone"))
	c.git("update-ref", "refs/remotes/fork/lost", first)
	c.git("update-ref", "refs/remotes/upstream/lost", first)
	require.Equal(t, "did you mean origin/lost or fork/lost or upstream/lost? name it: serve --branch origin/lost", fix("lost", "branch_gone"))
	c.git("checkout", "-q", "--detach")
	require.Equal(t, "HEAD is detached and names no branch: "+name, fix("nowhere", "branch_gone"))
	require.Contains(t, fix("lost", "branch_gone"), "did you mean origin/lost")
}

func TestTheTipIsThatOfNow(t *testing.T) {
	c := newClone(t)
	r := c.open()
	require.Empty(t, tip(t, r, "main"), "unborn")
	require.Equal(t, string(CodeBranchGone), tip(t, r, "other"))
	first := c.commit("first")
	require.Equal(t, first, tip(t, r, "main"))
	second := c.commit("second")
	require.Equal(t, second, tip(t, r, "main"))
	c.git("checkout", "-q", "--detach", first)
	require.Equal(t, second, tip(t, r, "main"), "detached")
	c.git("branch", "-q", "-f", "main", first)
	require.Equal(t, first, tip(t, r, "main"), "pushed by force")
	c.git("branch", "-q", "-D", "main")
	require.Equal(t, string(CodeBranchGone), tip(t, r, "main"))
	c.git("branch", "main", second)
	require.Equal(t, second, tip(t, r, "main"), "made again")
	c.git("checkout", "-q", "--orphan", "unborn")
	require.Equal(t, second, tip(t, r, "main"))
	require.Empty(t, tip(t, r, "unborn"))
	c.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
	require.Equal(t, second, tip(t, r, "alias"))
}

func TestABrokenBranchIsNotAnUnbornOne(t *testing.T) {
	c := newClone(t)
	c.commit("first")
	r := c.open()
	c.write(".git/refs/heads/main", "garbage\n")
	require.Equal(t, string(CodeFailed), tip(t, r, "main"))
	c.write(".git/HEAD", "garbage\n")
	require.Equal(t, string(CodeFailed), tip(t, r, "main"))
}

func TestTheBranchThatHeadNames(t *testing.T) {
	c := newClone(t)
	r := c.open()
	named := func(r *Repository) string {
		name, err := r.HeadBranch(t.Context())
		require.NoError(t, err)
		return name
	}
	require.Equal(t, "main", named(r), "unborn")
	first := c.commit("first")
	require.Equal(t, "main", named(r))
	c.git("checkout", "-q", "-b", "feature/ü")
	require.Equal(t, "feature/ü", named(r))
	linked := clone{t, filepath.Join(t.TempDir(), "linked")}
	c.git("worktree", "add", "-q", "-b", "side", linked.dir)
	require.Equal(t, "side", named(linked.open()))
	require.Equal(t, first, tip(t, linked.open(), "main"))
	c.git("symbolic-ref", "HEAD", "refs/hidden/x")
	require.Empty(t, named(r), "it is no branch")
	c.git("checkout", "-q", "--detach", first)
	require.Empty(t, named(r))
	require.NoError(t, os.RemoveAll(filepath.Join(c.dir, ".git")))
	_, err := r.HeadBranch(t.Context())
	require.ErrorIs(t, err, fault.Unavailable)
}

func TestBranchesInReftables(t *testing.T) {
	if exec.Command("git", "init", "-q", "--ref-format=reftable", filepath.Join(t.TempDir(), "try")).Run() != nil {
		t.Skip("this git has no reftables")
	}
	c := newClone(t, "--ref-format=reftable")
	r := c.open()
	require.Empty(t, tip(t, r, "main"))
	first := c.commit("first")
	require.Equal(t, first, tip(t, r, "main"))
	require.Equal(t, string(CodeBranchGone), tip(t, r, "side"))
}

// A pipe in the place of the list of alternates is not waited for.
func TestTheListOfAlternatesIsNotRead(t *testing.T) {
	c := newClone(t)
	c.commit("first")
	r := c.open()
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(c.dir, ".git/objects/info/alternates")))
	done := make(chan string)
	go func() { done <- tip(t, r, "main") }()
	select {
	case code := <-done:
		require.Equal(t, string(CodeObjectsBorrowed), code)
	case <-time.After(time.Minute):
		t.Fatal("it hangs")
	}
}
