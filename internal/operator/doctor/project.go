package doctor

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/operator/offline"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/system/git"
	"orchestrator/internal/system/gitignore"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
)

// maxAnswer bounds what git may print.
const maxAnswer = 4 << 10

// ask returns what git answers in the project.
func (e *examination) ask(ctx context.Context, path string, args ...string) (string, error) {
	cmd := git.Command{Path: path, Dir: e.Data.Project()}.Prepare(ctx, args...)
	out := &git.Output{Most: maxAnswer, Cut: true}
	cmd.Stdout = out
	err := cmd.Run()
	return strings.TrimSpace(out.String()), err
}

func (e *examination) lookAtRepository(ctx context.Context) {
	program, err := git.Find("git")
	if err != nil {
		e.say("repository", Warning, "install git: evidence is looked up by it", "there is no git")
		return
	}
	top, err := e.ask(ctx, program, "rev-parse", "--show-toplevel")
	if err != nil {
		e.say("repository", Warning, "git init, and commit; or orchestrator config set evidence record",
			"the project is in no git working tree, so evidence cannot be verified")
		return
	}
	e.say("repository", OK, "", "%s", top)
	e.lookAtSecrets(ctx)
	branch := e.Branch
	if branch == "" {
		branch = "HEAD"
	}
	if _, err := e.ask(ctx, program, "rev-parse", "--verify", "--quiet", branch+"^{commit}"); err != nil {
		mend := "commit something: evidence is looked up in commits"
		if e.Branch != "" {
			mend = "orchestrator config set branch NAME, with the name of a branch that exists"
		}
		e.say("branch", Warning, mend, "%s has no commit", branch)
		return
	}
	e.say("branch", OK, "", "evidence counts on %s", branch)
}

// lookAtSecrets finds what git tracks, or would, of the data folder.
func (e *examination) lookAtSecrets(ctx context.Context) {
	for _, path := range []string{e.Data.Tokens(), e.Data.Key(), e.Data.Database()} {
		exposed, err := gitignore.Look(ctx, path)
		switch {
		case err != nil:
			e.fail("repository", Warning, err)
		case exposed == gitignore.Tracked:
			e.say("repository", Problem, "git rm --cached "+shellquote.Quote(path), "git tracks %s", path)
		case exposed == gitignore.Addable && tree.Exists(path):
			e.say("repository", Problem, "add it to .gitignore", "git add -A would add %s", path)
		}
	}
}

func (e *examination) lookAtDocuments(ctx context.Context) {
	outcome, err := offline.Project{Data: e.Data, Export: e.Export, Requirements: e.Documents,
		Reading: e.Reading}.Preview(ctx)
	if err == nil {
		err = outcome.Broken()
	}
	if err != nil {
		e.fail("documents", Problem, err)
		return
	}
	r := outcome.Report
	if n := len(r.Skipped); n > 0 {
		e.say("documents", Warning, "orchestrator import --dry-run shows where",
			"%d places look like requirements and are not read", n)
	}
	if outcome.Against != "" && r.Drifted() {
		e.say("documents", Warning, "orchestrator up, which imports them; "+
			"orchestrator import --dry-run shows the difference",
			"they are not what %s shows: %s", outcome.Against, r)
		return
	}
	e.say("documents", OK, "", "%d requirements in %d documents", r.Found, len(r.Documents))
}

func (e *examination) lookAtExport(ctx context.Context) {
	if e.Export == "" {
		e.say("export", OK, "", "none is written")
		return
	}
	status, err := exportfile.ReadStatus(ctx, e.Export)
	if errors.Is(err, fs.ErrNotExist) {
		e.say("export", Warning, "orchestrator up writes it", "there is no %s", e.Export)
		return
	}
	if err != nil {
		e.fail("export", Problem, err)
		return
	}
	e.say("export", OK, "", "%s has %d requirements at record %d", e.Export, len(status.Requirements), status.Log.Size)
	checkpoint := projection.CheckpointPath(e.Export)
	if !tree.Exists(checkpoint) {
		e.say("export", Warning, "orchestrator down && orchestrator up writes it", "there is no %s", checkpoint)
	}
}
