package merging

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"

	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/system/git"
)

// byExports holds the exports themselves against each other: what the shorter log has made of each requirement must be
// the beginning of what the longer one has. For checkpoints the exports beside them are read from git.
func (r Request) byExports(ctx context.Context, short, long version) (string, error) {
	if short.export == nil {
		short.export, long.export = r.beside(ctx, short), r.beside(ctx, long)
	}
	if short.export == nil || long.export == nil {
		return "", nil
	}
	if a, b := short.export.Project.AuditKey, long.export.Project.AuditKey; a != b {
		return "", r.forked("the sides are signed with different keys")
	}
	if id, what := short.export.Diverges(long.export); what != "" {
		return "", r.forked("%s of %s is not the beginning of that of %s", what, id, long.side)
	}
	return "the exports: each requirement of the shorter one is an earlier state of the same in the longer one", nil
}

// beside returns the export that lies beside a checkpoint in a commit that has it; nil where none is found. Git does
// not tell a merge driver which commits it merges, so all that brought this very checkpoint are looked at.
func (r Request) beside(ctx context.Context, v version) *projection.Snapshot {
	path, err := git.Find("")
	if err != nil {
		return nil
	}
	repository := repository{git.Command{Path: path, Dir: ".", Env: []string{"GIT_LITERAL_PATHSPECS=1"}}}
	note := filepath.ToSlash(r.Path)
	export := strings.TrimSuffix(note, ".checkpoint") + ".json"
	for _, commit := range repository.having(ctx, v.content, note) {
		has, err := repository.show(ctx, commit, note)
		if err != nil || !bytes.Equal(has, v.content) {
			continue
		}
		content, err := repository.show(ctx, commit, export)
		if err != nil {
			continue
		}
		if snap, err := projection.ReadFile(bytes.NewReader(content)); err == nil && snap.Head.Size >= v.size {
			return snap
		}
	}
	return nil
}

// repository is the one that git merges in.
type repository struct{ git.Command }

// mostCommits bounds how many commits are looked at.
const mostCommits = "50"

// having names commits, of any branch or of the reflog, that brought a file this content, or took it away.
func (g repository) having(ctx context.Context, content []byte, path string) []string {
	id, err := g.run(ctx, bytes.NewReader(content), "hash-object", "--stdin")
	if err != nil {
		return nil
	}
	listed, err := g.run(ctx, nil, "log", "--all", "--reflog", "--format=%H", "-n", mostCommits,
		"--find-object="+strings.TrimSpace(string(id)), "--", path)
	if err != nil {
		return nil
	}
	return append(strings.Fields(string(listed)), "HEAD")
}

// show returns a file as a commit has it.
func (g repository) show(ctx context.Context, commit, path string) ([]byte, error) {
	return g.run(ctx, nil, "cat-file", "blob", commit+":"+path)
}

func (g repository) run(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	cmd := g.Prepare(ctx, args...)
	out := &git.Output{Most: maxFile}
	cmd.Stdin, cmd.Stdout = in, out
	err := cmd.Run()
	return []byte(out.String()), err
}
