package doctor

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1" //nolint:gosec // the ids of git
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/system/git"
	"orchestrator/internal/system/gitignore"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
)

// repository is the working tree of git that the project lies in.
type repository struct {
	program, folder string
}

// maxAnswer bounds what git may print.
const maxAnswer = 1 << 20

// ask returns what git answers in the project. Only commands that compare no files with the index are used: the filters
// of a repository are programs.
func (r repository) ask(ctx context.Context, args ...string) (string, error) {
	cmd := git.Command{Path: r.program, Dir: r.folder}.Prepare(ctx, args...)
	out := &git.Output{Most: maxAnswer, Cut: true}
	cmd.Stdout = out
	err := cmd.Run()
	return strings.TrimSpace(out.String()), err
}

func (e *examination) lookAtRepository(ctx context.Context) {
	verified := cmp.Or(e.saved.Evidence, e.known.evidence, "verify") != projection.EvidenceRecorded
	program, err := git.Find("git")
	if err != nil {
		level := OK
		if verified {
			level = Warning
		}
		e.advise("repository", level, "install git, or orchestrator config set evidence record",
			"there is no git on this machine, by which evidence is looked up")
		return
	}
	r := repository{program, e.Data.Project()}
	top, err := r.ask(ctx, "rev-parse", "--show-toplevel")
	switch {
	case err != nil && verified:
		e.say("repository", Warning, e.git("init"),
			"the project is in no git working tree, so evidence cannot be verified")
		return
	case err != nil:
		e.say("repository", OK, "", "the project is in no git working tree, and evidence is stored as it is given")
		return
	}
	e.inTree = true
	e.say("repository", OK, "", "%s", top)
	e.lookAtSecrets(ctx)
	e.lookAtChanges(ctx, r)
	if !verified {
		e.say("branch", OK, "", "evidence is stored as it is given, and looked up on none")
		return
	}
	e.lookAtBranch(ctx, r)
	if shallow, err := r.ask(ctx, "rev-parse", "--is-shallow-repository"); err == nil && shallow == "true" {
		e.say("repository", Warning, e.git("fetch --unshallow"),
			"the clone is shallow: evidence in older commits is not found")
	}
}

// lookAtBranch looks at the branch whose tip decides what counts as evidence.
func (e *examination) lookAtBranch(ctx context.Context, r repository) {
	branch := cmp.Or(e.Branch, e.known.branch)
	head, err := r.ask(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	detached := err != nil
	_, err = r.ask(ctx, "rev-parse", "--verify", "--quiet", cmp.Or(branch, "HEAD")+"^{commit}")
	switch {
	case err != nil && branch != "" && branch != head:
		advice := "orchestrator config set branch NAME, with one that exists, and start the service again"
		e.advise("branch", Problem, advice, "there is no branch %s, on which evidence is looked up", branch)
	case err != nil:
		e.say("branch", Warning, e.git("add -A")+" && "+e.git("commit -m Begin"),
			"there is no commit yet, and evidence is looked up in commits")
	case detached && branch == "":
		e.say("branch", Warning, e.git("switch "+e.someBranch(ctx, r)),
			"HEAD is detached, and no branch is on record: name one before the first start")
	case detached:
		e.say("branch", OK, "", "evidence counts on %s; HEAD is detached, which changes nothing about that", branch)
	default:
		e.say("branch", OK, "", "evidence counts on %s", cmp.Or(branch, head))
	}
}

// someBranch returns the argument that makes git switch to a branch that has the commit that is checked out, or to a
// new one.
func (e *examination) someBranch(ctx context.Context, r repository) string {
	names, err := r.ask(ctx, "for-each-ref", "--contains", "HEAD", "--format=%(refname:lstrip=2)", "refs/heads")
	if err == nil {
		for name := range strings.SplitSeq(names, "\n") {
			if name != "" && !strings.HasPrefix(name, "-") { // which switch would take for an option
				return shellquote.Quote(name)
			}
		}
	}
	return "--create main"
}

// lookAtSecrets finds what git tracks, or would, of the data folder.
func (e *examination) lookAtSecrets(ctx context.Context) {
	paths := []string{e.Data.Tokens(), e.Data.Token("pm"), e.Data.Key(), e.Data.Database(),
		boltstore.WALOf(e.Data.Database()), e.Data.Webhooks()}
	secrets, _ := filepath.Glob(filepath.Join(e.Data.WebhookDir(), "*.secret")) // the pattern is well-formed
	for _, path := range append(paths, secrets...) {
		exposed, err := gitignore.Look(ctx, path)
		switch {
		case err != nil:
			e.fail("repository", Warning, err)
		case exposed == gitignore.Tracked:
			e.add(Finding{About: "repository", Level: Problem, What: "git tracks " + path,
				Mend: e.git("rm --cached -- " + quoted(path)), Advice: e.replacing(path)})
		case exposed == gitignore.Addable && tree.Exists(path):
			e.say("repository", Problem, "echo '*' > "+quoted(e.Data.GitIgnore()), "git add -A would add %s", path)
		}
	}
}

// replacing says how a secret becomes worthless that a history may have.
func (e *examination) replacing(path string) string {
	switch path {
	case e.Data.Token("pm"):
		return "a commit that has it keeps it, so replace it: " + e.orchestrator("token revoke --name pm") + " && " +
			e.newToken("pm", path)
	case e.Data.Key():
		return "a commit that has it keeps it, so replace it: move it away, and orchestrator serve --accept-new-key " +
			"REASON, which is recorded"
	}
	return ""
}

// lookAtChanges finds documents that are not as they are committed, and changes that are staged.
func (e *examination) lookAtChanges(ctx context.Context, r repository) {
	if _, err := r.ask(ctx, "diff-index", "--cached", "--quiet", "HEAD"); git.ExitCode(err) == 1 {
		e.say("repository", Warning, e.git("commit"), "changes are staged and not committed: they are no evidence yet")
	}
	files, err := documents.Read(ctx, e.Documents)
	if e.Settings != nil || err != nil {
		return // what cannot be read is said of the documents
	}
	args := []string{"ls-tree", "-z", "HEAD", "--"}
	for _, f := range files {
		args = append(args, f.Path)
	}
	out, err := r.ask(ctx, args...)
	if err != nil {
		return // there is no commit yet, or a document lies elsewhere
	}
	committed := map[string]string{}
	for line := range strings.SplitSeq(out, "\x00") {
		if about, path, found := strings.Cut(line, "\t"); found {
			committed[path] = about[strings.LastIndexByte(about, ' ')+1:]
		}
	}
	var changed []string
	add := "add -u -- " // takes those below a folder that git ignores, too
	for _, f := range files {
		if f.Change == "" && !isBlob(f.Content, committed[f.Path]) {
			changed = append(changed, f.Path)
			if committed[f.Path] == "" {
				add = "add -f -- "
			}
		}
	}
	if len(changed) > 0 {
		e.say("repository", Warning, e.git(add+quotedAll(changed))+" && "+e.git("commit"),
			"%d documents are not as they are committed, such as %s: others cannot see that yet", len(changed),
			changed[0])
	}
}

// isBlob reports whether git has a content under an id, with the ends of lines as they are or as git keeps them.
func isBlob(content []byte, id string) bool {
	for _, kept := range [][]byte{content, bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))} {
		blob := append(fmt.Appendf(nil, "blob %d\x00", len(kept)), kept...)
		sha1Sum, sha256Sum := sha1.Sum(blob), sha256.Sum256(blob) //nolint:gosec // the ids of git
		if id == hex.EncodeToString(sha1Sum[:]) || id == hex.EncodeToString(sha256Sum[:]) {
			return true
		}
	}
	return false
}

func quotedAll(paths []string) string {
	all := make([]string, len(paths))
	for i, path := range paths {
		all[i] = quoted(path)
	}
	return strings.Join(all, " ")
}
