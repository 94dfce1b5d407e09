package evidence

import (
	"context"
	"strings"

	"orchestrator/internal/fault"
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
	if err := checkID(id, r.idLength); err != nil {
		return "", err
	}
	objects := []string{id}
	if len(id) < r.idLength {
		// Not "rev-parse --verify": that takes a branch of this name for the commit.
		out, err := r.git.run(ctx, "", "rev-parse", "--disambiguate="+id)
		if err != nil {
			return "", err
		}
		objects = linesOf(out)
	}
	kinds, err := r.kinds(ctx, objects)
	if err != nil {
		return "", fault.New(fault.Unavailable, CodeUnreadable, "%s%s", fault.As(err).Detail, r.cutOff(ctx)).Because(err)
	}
	commit, err := r.onlyCommit(ctx, id, objects, kinds)
	if err != nil {
		return "", err
	}
	return commit, r.checkReachable(ctx, commit)
}

// kinds returns what each object is, by full id: commit, tree, blob or tag. Missing objects are left out.
func (r *Repository) kinds(ctx context.Context, ids []string) (map[string]string, error) {
	kinds := make(map[string]string, len(ids))
	if len(ids) == 0 {
		return kinds, nil
	}
	out, err := r.git.run(ctx, strings.Join(ids, "\n")+"\n", "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	answers := linesOf(out)
	if len(answers) != len(ids) {
		return nil, fault.New(fault.Unavailable, failed, "git cat-file answered %d of %d questions", len(answers),
			len(ids))
	}
	for i, answer := range answers {
		part := strings.Fields(answer)
		switch {
		case len(part) == 3 && part[0] == ids[i]:
			kinds[ids[i]] = part[1]
		case len(part) != 2 || part[0] != ids[i] || part[1] != "missing":
			return nil, fault.New(fault.Unavailable, failed, "git cat-file answered something else than was asked")
		}
	}
	return kinds, nil
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
		return "", refuse("commit_unknown", "there is no commit %q in this repository%s", id, r.cutOff(ctx)).
			WithFix("commit first, and write the id that git log shows")
	}
	return "", r.refuseOther(ctx, id, others[0], kinds[others[0]])
}

func (r *Repository) refuseOther(ctx context.Context, id, object, kind string) error {
	refusal := refuse("not_a_commit", "%q is a %s, not a commit", id,
		map[string]string{"blob": "file (blob)", "tree": "folder (tree)", "tag": "tag"}[kind]).
		WithFix("write the id of a commit, as git log shows it")
	if kind != "tag" {
		return refusal
	}
	if out, err := r.git.run(ctx, "", "rev-parse", "--verify", object+"^{commit}"); err == nil {
		refusal = refusal.WithFix("the tag points at commit %s: write that", strings.TrimSpace(out))
	}
	return refusal
}

// checkReachable refuses a commit that neither HEAD nor a branch nor a tag has: it was replaced, or never given to
// anyone, and git will delete it. Whatever else refers to it, such as the stash or the head of a change that was never
// merged, is no history.
func (r *Repository) checkReachable(ctx context.Context, commit string) error {
	left, err := r.outside(ctx, []string{commit}, "HEAD") // it nearly always has it, and there may be many refs
	if err != nil || len(left) > 0 {
		left, err = r.outside(ctx, []string{commit}, everyRef...)
	}
	if err != nil || len(left) == 0 {
		return err
	}
	return refuse("commit_dangling", "commit %s is in no history: no branch or tag has it", short(commit)).
		WithFix("was it amended or rebased away? cite the commit that replaced it, or bring this one back on a branch")
}

// everyRef selects what the history is looked for in, besides HEAD.
var everyRef = []string{"--branches", "--remotes", "--tags"}

// outside returns which of the commits are not in the history of from: "HEAD", a full id, or everyRef. Every commit
// must exist.
func (r *Repository) outside(ctx context.Context, commits []string, from ...string) (map[string]bool, error) {
	left := map[string]bool{}
	if len(commits) == 0 {
		return left, nil
	}
	limit := "--max-count=-1"
	if len(commits) == 1 {
		limit = "--max-count=1" // that any is outside means that this one is
	}
	args := append([]string{"rev-list", limit, "--stdin", "--not"}, from...)
	out, err := r.git.run(ctx, strings.Join(commits, "\n")+"\n", append(args, "--")...)
	if err != nil {
		return nil, err
	}
	if lines := linesOf(out); len(commits) == 1 && len(lines) > 0 {
		left[commits[0]] = true
	} else {
		for _, commit := range lines {
			left[commit] = true
		}
	}
	return left, nil
}

// cutOff returns a hint that this clone lacks a part of the history, or "". Older versions of git die in a partial
// clone when they miss an object and may not fetch it.
func (r *Repository) cutOff(ctx context.Context) string {
	if hint := r.shallow(ctx); hint != "" {
		return hint
	}
	return r.partial(ctx)
}

// shallow returns a hint that the history of this clone ends early, or "".
func (r *Repository) shallow(ctx context.Context) string {
	if out, err := r.git.run(ctx, "", "rev-parse", "--is-shallow-repository"); err == nil &&
		strings.TrimSpace(out) == "true" {
		return ": it is a shallow clone, whose history is cut off"
	}
	return ""
}

// partial returns a hint that this clone was made without some of the objects, or "".
func (r *Repository) partial(ctx context.Context) string {
	if _, err := r.git.run(ctx, "", "config", "--get-regexp", `^remote\..*\.promisor$`); err == nil {
		return ": it is a partial clone, which lacks objects"
	}
	return ""
}
