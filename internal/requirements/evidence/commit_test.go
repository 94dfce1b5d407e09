package evidence

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

func TestACommitIsStoredInFull(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		c := newClone(t, "--object-format="+format)
		c.write("a", "a\n")
		first := c.commit("first")
		second := c.commit("second")
		r := c.open(Options{})
		for _, id := range []string{first, first[:4], first[:20], second} {
			f := found(t, r, commit(id))
			require.Equal(t, lifecycle.Found{In: lifecycle.InCommit, Commit: f.Commit}, f)
			require.True(t, strings.HasPrefix(f.Commit, id) && len(f.Commit) == r.git.IDLength)
		}
		require.Equal(t, digest([]byte("a\n")), found(t, r, fileIn(first[:8], "a", "1")).SHA256)
	}
}

func TestWhatIsNoCommitSaysWhatItIs(t *testing.T) {
	c := newClone(t)
	c.write("sub/a", "a\n")
	head := c.commit("first")
	c.git("tag", "-a", "-m", "release", "v1")
	r := c.open(Options{})
	for _, x := range []struct{ of, code, detail, fix string }{
		{"HEAD:sub/a", "not_a_commit", "is a file (blob), not a commit", "write the id of a commit"},
		{"HEAD:sub", "not_a_commit", "is a folder (tree), not a commit", "write the id of a commit"},
		{"v1", "not_a_commit", "is a tag, not a commit", "the tag points at commit " + head},
	} {
		id := c.git("rev-parse", x.of)
		for _, id := range []string{id, id[:12]} {
			w := wrong(t, r, commit(id))
			require.Equal(t, x.code, string(w.Code))
			require.Contains(t, w.Detail, x.detail)
			require.Contains(t, w.Fix, x.fix)
			require.Equal(t, x.code, string(wrong(t, r, fileIn(id, "sub/a", "")).Code))
		}
	}
	w := wrong(t, r, commit(strings.Repeat("0", 39)+"1"))
	require.Equal(t, "commit_unknown", string(w.Code))
	require.NotContains(t, w.Detail, "clone")
}

// many makes n commits on main, one upon the other.
func (c clone) many(n int) {
	var in strings.Builder
	for i := range n {
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter A <a@example.org> %d +0000\ndata 1\nx", i+1, 1760000000+i)
		if i > 0 {
			fmt.Fprintf(&in, "from :%d\n", i)
		}
		fmt.Fprintf(&in, "M 100644 inline a\ndata 4\n%04d\n", i)
	}
	cmd := exec.Command("git", "fast-import", "--quiet", "--force")
	cmd.Dir, cmd.Stdin, cmd.Stderr = c.dir, strings.NewReader(in.String()), os.Stderr
	require.NoError(c.t, cmd.Run())
}

func TestAShortIDMayBeThatOfSeveralObjects(t *testing.T) {
	c := newClone(t)
	c.many(1500)
	kinds := map[string][]string{} // of the objects that begin with 4 digits
	full := map[string]string{}
	for line := range strings.Lines(c.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")) {
		id, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		kinds[id[:4]] = append(kinds[id[:4]], kind)
		if kind == "commit" {
			full[id[:4]] = id
		}
	}
	begin := func(want ...string) string {
		for digits, kinds := range kinds {
			if slices.Sort(kinds); slices.Equal(kinds, want) {
				return digits
			}
		}
		t.Fatalf("no 4 digits begin the ids of exactly %v", want)
		return ""
	}
	r := c.open(Options{})
	several := begin("commit", "commit")
	w := wrong(t, r, commit(several))
	require.Equal(t, "commit_ambiguous", string(w.Code))
	require.Contains(t, w.Detail, "is the beginning of 2 commits: ")
	require.Contains(t, w.Detail, full[several])
	require.Equal(t, "write more of the id", w.Fix)
	require.Equal(t, full[several], found(t, r, commit(full[several][:12])).Commit)
	shared := begin("blob", "commit")
	require.Equal(t, full[shared], found(t, r, commit(shared)).Commit, "what is no commit made a commit ambiguous")
}

func TestADanglingCommitIsRefused(t *testing.T) {
	c := newClone(t)
	c.write("a", "a\n")
	c.commit("first")
	amended := c.commit("second")
	c.git("commit", "-q", "--allow-empty", "--amend", "-m", "second, amended")
	r := c.open(Options{})
	for _, e := range []lifecycle.Evidence{commit(amended), commit(amended[:8]), fileIn(amended, "a", "")} {
		w := wrong(t, r, e)
		require.Equal(t, "commit_dangling", string(w.Code))
		require.Contains(t, w.Detail, "no branch or tag has it")
	}
	c.git("branch", "kept", amended)
	require.Equal(t, amended, found(t, r, commit(amended)).Commit)
	c.git("branch", "-D", "kept")
	c.git("tag", "-a", "-m", "t", "kept", amended)
	require.Equal(t, amended, found(t, r, commit(amended)).Commit)
	c.git("tag", "-d", "kept")
	require.Equal(t, "commit_dangling", string(wrong(t, r, commit(amended)).Code))
}

func TestBothSidesOfAMergeAreHistory(t *testing.T) {
	c := newClone(t)
	c.write("a", "a\n")
	c.commit("base")
	c.git("checkout", "-q", "-b", "side")
	c.write("side", "s\n")
	side := c.commit("side")
	c.git("checkout", "-q", "main")
	c.write("main", "m\n")
	c.commit("main")
	r := c.open(Options{})
	require.Equal(t, side, found(t, r, commit(side)).Commit, "of another branch")
	c.git("merge", "-q", "--no-edit", "side")
	c.git("branch", "-D", "side")
	require.Equal(t, side, found(t, r, commit(side)).Commit, "merged")
	require.Equal(t, side, found(t, r, fileIn(side, "side", "1")).Commit)
}

func TestAShallowCloneSaysThatItsHistoryIsCutOff(t *testing.T) {
	c := newClone(t)
	c.write("a", "a\n")
	first := c.commit("first")
	head := c.commit("second")
	shallow := clone{t, filepath.Join(t.TempDir(), "shallow")}
	c.git("clone", "-q", "--depth=1", "file://"+c.dir, shallow.dir)
	r := shallow.open(Options{})
	require.Equal(t, head, found(t, r, commit(head[:7])).Commit)
	require.Equal(t, lifecycle.InBranch, found(t, r, file("a", "1")).In)
	w := wrong(t, r, commit(first))
	require.Equal(t, "commit_unknown", string(w.Code))
	require.Contains(t, w.Detail, "it is a shallow clone, whose history is cut off")
}

func TestAPartialCloneFetchesNothing(t *testing.T) {
	c := newClone(t)
	c.write("a", "a\n")
	c.commit("first")
	c.write("a", "b\n")
	c.commit("second")
	c.git("config", "uploadpack.allowFilter", "true")
	c.git("config", "uploadpack.allowAnySHA1InWant", "true")
	partial := clone{t, filepath.Join(t.TempDir(), "partial")}
	c.git("clone", "-q", "--filter=blob:none", "file://"+c.dir, partial.dir)
	partial.git("config", "protocol.file.allow", "always")
	r := partial.open(Options{})
	require.Equal(t, int64(2), found(t, r, file("a", "1")).Bytes)
	first := c.git("rev-parse", "HEAD~1")
	w := wrong(t, r, fileIn(first, "a", "1"))
	require.Equal(t, CodeUnreadable, w.Code)
	require.Contains(t, w.Detail, "it is a partial clone, which lacks objects")
	w = wrong(t, r, commit(strings.Repeat("0", 39)+"1"))
	require.Contains(t, w.Detail, "partial clone")
	partial.git("cat-file", "-p", first+":a") // git itself would have fetched it
	require.Equal(t, digest([]byte("a\n")), found(t, r, fileIn(first, "a", "1")).SHA256)
}

// Verifies: ORC-090
func TestReplacementsAndGraftsAreNotFollowed(t *testing.T) {
	c := newClone(t)
	c.write("a", "true\n")
	first := c.commit("first")
	head := c.commit("second")
	blob := c.git("rev-parse", "HEAD:a")
	c.write("false", "false\n")
	c.git("replace", blob, c.git("hash-object", "-w", "false"))
	c.git("checkout", "-q", "--orphan", "lone")
	c.git("rm", "-q", "-f", "--cached", "a")
	lone := c.commit("lone")
	c.git("checkout", "-q", "main")
	require.Equal(t, "false", c.git("cat-file", "-p", blob), "git follows the replacement")
	r := c.open(Options{})
	require.Equal(t, digest([]byte("true\n")), found(t, r, file("a", "1")).SHA256)
	c.git("branch", "-q", "-D", "lone")
	c.write(".git/info/grafts", head+" "+lone+"\n")
	require.Equal(t, "commit_dangling", string(wrong(t, r, commit(lone)).Code), "a graft made it history")
	require.Equal(t, first, found(t, r, commit(first)).Commit, "a graft took it out of history")
	known := commit(lone)
	known.Found = &lifecycle.Found{In: lifecycle.InCommit, Commit: lone}
	require.Equal(t, lifecycle.CommitGone, recheck(t, r, known).Reason)
	require.NoError(t, os.Remove(filepath.Join(c.dir, ".git/info/grafts")))
	c.git("replace", "--graft", head, lone)
	require.Contains(t, c.git("log", "--format=%H"), lone, "git follows the replacement")
	require.Equal(t, lifecycle.CommitGone, recheck(t, r, known).Reason)
	require.Equal(t, "commit_dangling", string(wrong(t, r, commit(lone)).Code))
	require.Equal(t, Standing{}, recheck(t, r, looked(t, r, commit(first))))
}
