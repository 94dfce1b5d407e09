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
	was, err := snapshotIn(bytes.NewReader(content))
	if err != nil {
		return review.GateResult{}, err
	}
	is, err := r.snapshot(ctx)
	if err == nil {
		err = continues(was, is, r)
	}
	if err != nil {
		return review.GateResult{}, err
	}
	before, err := requirements.ReviewExport(bytes.NewReader(content))
	if err != nil {
		return review.GateResult{}, err
	}
	base := pointOf(before, was)
	result := review.GateSince(pointOf(r.Project, is), base, o)
	result.Since.Ref, result.Since.Commit = r.Ref, commit
	if r.Service != nil {
		result.Since.Refused, err = refused(ctx, r.Service, base.Project.Log.Size)
	}
	return result, err
}

// snapshot returns the state by now: as the service has it, or else the export.
func (r Request) snapshot(ctx context.Context) (*projection.Snapshot, error) {
	if r.Service != nil {
		content, err := r.Service.Get(ctx, "/project", "application/json")
		if err != nil {
			return nil, err
		}
		return snapshotIn(bytes.NewReader(content))
	}
	f, err := projection.OpenExport(ctx, r.Export)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, fault.New(fault.NotFound, "export_missing", "there is no export %s", r.Export).
			WithFix("give the project_status.json of the project with --export")
	}
	defer f.Close()
	return snapshotIn(f)
}

func snapshotIn(export io.Reader) (*projection.Snapshot, error) {
	snap, err := projection.ReadFile(export)
	if err != nil {
		return nil, fault.New(fault.Invalid, "export_invalid", "the state of the project cannot be read").
			WithFix("ask a service of this version, or give the export that the service writes, whole").Because(err)
	}
	return snap, nil
}

// continues refuses a state that cannot have come from the one at the base. Without that, what an edited export leaves
// out would be no worse than it was.
func continues(base, now *projection.Snapshot, r Request) error {
	var what string
	switch id, part := base.Diverges(now); {
	case base.Project.AuditKey != now.Project.AuditKey:
		what = "their logs are signed with different keys"
	case now.Head.Size < base.Head.Size:
		what = fmt.Sprintf("the log has %d records now, and %d there", now.Head.Size, base.Head.Size)
	case now.Head.Size == base.Head.Size && now.Head.Root != base.Head.Root:
		what = fmt.Sprintf("the logs have %d records each, and not the same ones", now.Head.Size)
	case part != "":
		what = fmt.Sprintf("%s of %s is not the beginning of what it is now", part, id)
	default:
		return nil
	}
	return fault.New(fault.Conflict, "base_diverges", "the state does not continue the one at %s: %s",
		fault.Clip(r.Ref, 100), what).
		WithFix("merge that revision first, so that the export has all of its log, as docs/git.md shows; where the project " +
			"began anew, leave --since out")
}

// pointOf returns a review with what was made of each requirement in the state that it is of.
func pointOf(p review.Project, snap *projection.Snapshot) review.Point {
	point := review.Point{Project: p, Touches: map[string]review.Touch{}, Former: map[string][]string{}}
	for e := range snap.All() {
		req := e.Requirement()
		point.Touches[req.ID] = review.TouchOf(req)
		for _, f := range req.FormerIDs {
			point.Former[req.ID] = append(point.Former[req.ID], f.ID)
		}
	}
	return point
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
	commit, err = resolve(ctx, in, r.Ref)
	if fault.As(err) != nil {
		return "", nil, err
	}
	if err != nil {
		return "", nil, fault.New(fault.NotFound, "revision_unknown", "git does not know the revision %q here",
			fault.Clip(r.Ref, 100)).
			WithFix("name a branch, a tag or a commit that the clone has; in a job of CI fetch it first: " +
				"git fetch --depth=1 origin BRANCH, then --since FETCH_HEAD").Because(err)
	}
	text, _, err := output(ctx, in, maxBase, "cat-file", "blob", commit+":./"+name)
	if err != nil {
		return "", nil, fault.New(fault.NotFound, "base_missing", "%s is not in the commit %.12s", r.Export, commit).
			WithFix("commit the export, as docs/git.md shows; until the base has one, leave --since out").Because(err)
	}
	return commit, []byte(text), nil
}

// resolve returns the commit of a revision. One that can mean several is refused: git would take a tag, which anybody
// who may push gives the name of a branch.
func resolve(ctx context.Context, in git.Command, ref string) (string, error) {
	commit, words, err := output(ctx, in, 1<<10, "rev-parse", "--verify", "--end-of-options", ref+"^{commit}")
	if strings.Contains(words, "ambiguous") {
		return "", fault.New(fault.Conflict, "revision_ambiguous", "%q names more than one branch or tag here",
			fault.Clip(ref, 100)).
			WithFix("give the whole name, such as refs/remotes/origin/main, or the commit")
	}
	return strings.TrimSpace(commit), err
}

// output returns what git prints, and what it says of that.
func output(ctx context.Context, in git.Command, most int, args ...string) (text, words string, err error) {
	cmd := in.Prepare(ctx, args...)
	out, said := &git.Output{Most: most}, &git.Output{Most: 1 << 10, Cut: true}
	cmd.Stdout, cmd.Stderr = out, said
	if err := cmd.Run(); err != nil {
		return "", said.String(), fmt.Errorf("git %s: %s: %w", args[0], git.Said(said.String()), err)
	}
	return out.String(), said.String(), nil
}
