// Package since holds a project against what it was at a revision of its git repository: against the export that was
// committed there.
package since

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/system/git"
)

// maxBase is the most bytes of an export that are read from a repository.
const maxBase = 256 << 20

// Request asks to hold a project against a revision.
type Request struct {
	Ref     string         // a branch, a tag or a commit
	Export  string         // where the export lies in the working tree; it need not be there now
	Project review.Project // as it is now
	Service Service        // that the review came from; nil where it came from Export
}

// Gate reads the export of the revision, and holds the review against what is required since.
func Gate(ctx context.Context, r Request, o review.GateOptions) (review.GateResult, error) {
	commit, content, err := read(ctx, r)
	if err != nil {
		return review.GateResult{}, err
	}
	base, err := pointOf(content)
	if err != nil {
		return review.GateResult{}, err
	}
	now := review.Point{Project: r.Project}
	if err = r.touch(ctx, &now); err != nil {
		return review.GateResult{}, err
	}
	result := review.GateSince(now, base, o)
	result.Since.Ref, result.Since.Commit = r.Ref, commit
	if r.Service != nil {
		result.Since.Refused, err = refused(ctx, r.Service, base.Project.Log.Size)
	}
	return result, err
}

// touch fills in what was made of each requirement by now: as the service has it, or else the export.
func (r Request) touch(ctx context.Context, p *review.Point) error {
	if r.Service != nil {
		content, err := r.Service.Get(ctx, "/project", "application/json")
		if err != nil {
			return err
		}
		return touchIn(bytes.NewReader(content), p)
	}
	f, err := projection.OpenExport(ctx, r.Export)
	if err != nil {
		return err
	}
	if f == nil {
		return fault.New(fault.NotFound, "export_missing", "there is no export %s", r.Export).
			WithFix("give the project_status.json of the project with --export")
	}
	defer f.Close()
	return touchIn(f, p)
}

func touchIn(export io.Reader, p *review.Point) error {
	snap, err := projection.ReadFile(export)
	if err != nil {
		return fault.New(fault.Invalid, "export_invalid", "the state of the project cannot be read").
			WithFix("ask a service of this version, or give the export that the service writes, whole").Because(err)
	}
	p.Touches, p.Former = map[string]review.Touch{}, map[string][]string{}
	for e := range snap.All() {
		req := e.Requirement()
		p.Touches[req.ID] = review.TouchOf(req)
		for _, f := range req.FormerIDs {
			p.Former[req.ID] = append(p.Former[req.ID], f.ID)
		}
	}
	return nil
}

// pointOf returns the project that an export is of.
func pointOf(content []byte) (p review.Point, err error) {
	if p.Project, err = requirements.ReviewExport(bytes.NewReader(content)); err == nil {
		err = touchIn(bytes.NewReader(content), &p)
	}
	return p, err
}

// read reads the export as a revision has it.
func read(ctx context.Context, r Request) (commit string, content []byte, err error) {
	if r.Export == "" {
		return "", nil, fault.New(fault.Invalid, "usage",
			"--since compares with an export that was committed, and --export is none").
			WithFix("leave --since out, or give the path of the export with --export")
	}
	folder, name := filepath.Split(r.Export)
	path, err := git.Find("")
	if err != nil {
		return "", nil, fault.New(fault.Unavailable, "git_missing", "--since needs git").
			WithFix("install git, so that it is in the PATH").Because(err)
	}
	in := git.Command{Path: path, Dir: filepath.Clean(folder)}
	commit, err = output(ctx, in, 1<<10, "rev-parse", "--verify", "--end-of-options", r.Ref+"^{commit}")
	if err != nil {
		return "", nil, fault.New(fault.NotFound, "revision_unknown", "git does not know the revision %q here",
			fault.Clip(r.Ref, 100)).
			WithFix("name a branch, a tag or a commit that the clone has; in a job of CI fetch it first: " +
				"git fetch --depth=1 origin BRANCH, then --since FETCH_HEAD").Because(err)
	}
	commit = strings.TrimSpace(commit)
	text, err := output(ctx, in, maxBase, "cat-file", "blob", commit+":./"+name)
	if err != nil {
		return "", nil, fault.New(fault.NotFound, "base_missing", "%s is not in the commit %.12s", r.Export, commit).
			WithFix("commit the export, as docs/git.md shows; until the base has one, leave --since out").Because(err)
	}
	return commit, []byte(text), nil
}

func output(ctx context.Context, in git.Command, most int, args ...string) (string, error) {
	cmd := in.Prepare(ctx, args...)
	out, words := &git.Output{Most: most}, &git.Output{Most: 1 << 10, Cut: true}
	cmd.Stdout, cmd.Stderr = out, words
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %s: %w", args[0], strings.TrimSpace(words.String()), err)
	}
	return out.String(), nil
}
