package evidence

import (
	"context"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/evidence/gitrepo"
	"orchestrator/internal/rules/lifecycle"
)

func (r *Repository) lookCommit(ctx context.Context, e lifecycle.Evidence) (*lifecycle.Found, error) {
	commit, err := r.resolve(ctx, e.Commit)
	if err != nil {
		return nil, err
	}
	return &lifecycle.Found{In: lifecycle.InCommit, Commit: commit}, nil
}

// resolve returns the full id of the one commit that a full or short id stands for, which must be part of the history
// of HEAD or of a ref.
func (r *Repository) resolve(ctx context.Context, id string) (string, error) {
	if err := checkID(id, r.git.IDLength); err != nil {
		return "", err
	}
	objects, err := r.git.Objects(ctx, id)
	if err != nil {
		return "", err
	}
	kinds, err := r.git.Kinds(ctx, objects)
	if err != nil {
		return "", fault.New(fault.Unavailable, CodeUnreadable, "%s%s", fault.As(err).Detail, r.cutOff(ctx)).Because(err)
	}
	commit, err := r.onlyCommit(ctx, id, objects, kinds)
	if err != nil {
		return "", err
	}
	return commit, checkReachable(ctx, r.git, commit)
}

// onlyCommit picks the commit among the objects that id may stand for.
func (r *Repository) onlyCommit(ctx context.Context, id string, objects []string,
	kinds map[string]string) (string, error) {
	var commits, others []string
	for _, object := range objects {
		switch kinds[object] {
		case "commit":
			commits = append(commits, object)
		case "":
		default:
			others = append(others, object)
		}
	}
	switch {
	case len(commits) == 1:
		return commits[0], nil
	case len(commits) > 1:
		return "", refuse("commit_ambiguous", "%q is the beginning of %d commits: %s", id, len(commits),
			orList(commits)).
			WithFix("write more of the id")
	case len(others) == 0:
		return "", refuseUnknown(id, r.cutOff(ctx))
	}
	return "", refuseOther(ctx, r, id, others[0], kinds[others[0]])
}

func refuseUnknown(id, cut string) error {
	refusal := refuse("commit_unknown", "there is no commit %q in this repository%s", id, cut)
	if cut == isShallow {
		return refusal.WithFix("run git fetch --unshallow; in CI, check out the whole history (fetch-depth: 0)")
	}
	return refusal.WithFix("commit first, and write the id that git log shows")
}

func refuseOther(ctx context.Context, r *Repository, id, object, kind string) error {
	refusal := refuse("not_a_commit", "%q is a %s, not a commit", id,
		map[string]string{"blob": "file (blob)", "tree": "folder (tree)", "tag": "tag"}[kind]).
		WithFix("write the id of a commit, as git log shows it")
	if kind != "tag" {
		return refusal
	}
	if commit, err := r.git.Tagged(ctx, object); err == nil {
		refusal = refusal.WithFix("the tag points at commit %s: write that", commit)
	}
	return refusal
}

// checkReachable refuses a commit that neither HEAD nor a branch nor a tag has: it was replaced, or never given to
// anyone, and git will delete it. Whatever else refers to it, such as the stash or the head of a change that was never
// merged, is no history.
func checkReachable(ctx context.Context, in *gitrepo.Repository, commit string) error {
	for _, from := range [][]string{{"HEAD"}, gitrepo.Everyone} { // HEAD nearly always has it, and there may be many refs
		left, err := in.Outside(ctx, []string{commit}, from...)
		if err != nil || len(left) == 0 {
			return err
		}
	}
	return refuse("commit_dangling", "commit %s is in no history: no branch or tag has it", short(commit)).
		WithFix("was it amended or rebased away? cite the commit that replaced it, or bring this one back on a branch")
}

// cutOff returns a hint that this clone lacks a part of the history, or "".
func (r *Repository) cutOff(ctx context.Context) string {
	switch {
	case r.git.Shallow(ctx):
		return isShallow
	case r.git.Partial(ctx):
		return isPartial
	}
	return ""
}

// Hints why something is not there.
const (
	isShallow = ": it is a shallow clone, whose history is cut off"
	isPartial = ": it is a partial clone, which lacks objects"
)
