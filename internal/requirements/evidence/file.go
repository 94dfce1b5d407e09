package evidence

import (
	"bytes"
	"context"
	"errors"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

func (r *Repository) lookFile(ctx context.Context, e lifecycle.Evidence) (*lifecycle.Found, error) {
	if err := r.checkPath(e.Path); err != nil {
		return nil, err
	}
	lines, err := parseSpan(e.Lines)
	if err != nil {
		return nil, err
	}
	if e.Commit != "" {
		commit, err := r.resolve(ctx, e.Commit)
		if err != nil {
			return nil, err
		}
		return r.fileAt(ctx, e.Path, lines, commit, lifecycle.InCommit)
	}
	tip, err := r.Tip(ctx)
	if err != nil {
		return nil, err
	}
	if tip == "" {
		return r.fileOnDisk(ctx, e.Path, lines)
	}
	found, err := r.fileAt(ctx, e.Path, lines, tip, lifecycle.InBranch)
	if !errors.Is(err, fault.NotFound) {
		return found, r.hint(ctx, err, e.Path, lines)
	}
	missing := err
	if found, err = r.fileOnDisk(ctx, e.Path, lines); errors.Is(err, fault.NotFound) {
		return nil, fault.As(missing).WithDetail("there is no %s at %s and none %s", e.Path, r.nameTip(tip),
			inWorktree).
			WithFix(`%s; a file of another branch is cited with its "commit"`, fault.As(missing).Fix)
	}
	return found, err
}

// fileAt looks a file up at a commit, given by its full id. Where there is none the error is fault.NotFound.
func (r *Repository) fileAt(ctx context.Context, path string, lines span, commit, in string) (*lifecycle.Found, error) {
	t, err := r.git.Tree(ctx, commit)
	if err != nil {
		return nil, err
	}
	e, err := findIn(t, path)
	if errors.Is(err, fault.NotFound) {
		return nil, fault.As(err).WithFix("%s", guess(t, path))
	}
	if err != nil {
		return nil, err
	}
	content, err := r.blob(ctx, path, e.ID)
	if err != nil {
		return nil, err
	}
	where := "at " + short(commit)
	if in == lifecycle.InBranch {
		where = "at " + r.nameTip(commit)
	}
	sum, err := cited(content, lines, path, where)
	if err != nil {
		return nil, err
	}
	return &lifecycle.Found{In: in, Commit: commit, Blob: e.ID, SHA256: sum, Bytes: int64(len(content))}, nil
}

// blob returns the content of the file at path, and says so where it is missing since the clone lacks it.
func (r *Repository) blob(ctx context.Context, path, id string) ([]byte, error) {
	content, err := readBlob(ctx, r, path, id)
	if f := fault.As(err); f != nil && f.Kind == fault.Unavailable {
		return nil, f.WithDetail("%s%s", f.Detail, r.cutOff(ctx))
	}
	return content, err
}

// readBlob returns the content of the file at path, whose object git has listed: that it is missing means that it
// cannot be read.
func readBlob(ctx context.Context, r *Repository, path, id string) ([]byte, error) {
	content, err := r.git.Blob(ctx, id, r.options.MaxBytes)
	switch {
	case errors.Is(err, fault.TooLarge):
		return nil, refuseSize(path, fault.As(err).Detail)
	case err != nil:
		return nil, fault.New(fault.Unavailable, CodeUnreadable, "the content of %s: %s", path, fault.As(err).Detail).
			Because(err)
	}
	return content, nil
}

func (r *Repository) fileOnDisk(ctx context.Context, path string, lines span) (*lifecycle.Found, error) {
	content, f, err := r.readDisk(ctx, path, func() error { return r.checkKept(ctx, path) })
	if err != nil {
		return nil, err
	}
	sum, err := cited(content, lines, path, inWorktree)
	if err != nil {
		return nil, err
	}
	return &lifecycle.Found{
		In: lifecycle.InWorktree, Blob: blobID(content,
			r.git.IDLength), SHA256: sum, Bytes: int64(len(content)), Modified: f.modified(),
	}, nil
}

// readDisk reads a file that is there, unless first says otherwise.
func (r *Repository) readDisk(ctx context.Context, path string, first func() error) ([]byte, diskFile, error) {
	root, err := r.disk()
	if err != nil {
		return nil, diskFile{}, err
	}
	defer root.Close()
	f, err := stat(root, path)
	if err == nil {
		err = first()
	}
	if err != nil {
		return nil, f, err
	}
	content, err := read(ctx, root, f, r.options.MaxBytes)
	return content, f, err
}

// cited returns the digest of the cited lines, or of the whole content; an empty file may be cited whole.
func cited(content []byte, lines span, path, where string) (string, error) {
	if !lines.whole() && bytes.IndexByte(content, 0) >= 0 {
		return "", refuse("lines_binary", "%s %s is not text: it has no lines", path, where).
			WithFix("cite the file without lines")
	}
	part, ok := cut(content, lines)
	if !ok {
		return "", refuse(codeLinesOutside, "%s %s has %s, and the evidence cites %s", path, where,
			fault.Count(countLines(content), "line"), lines).
			WithFix("cite lines that the file has")
	}
	return digest(part), nil
}

// hint adds to the refusal of lines that the branch lacks, that the working tree has them, or another branch may.
func (r *Repository) hint(ctx context.Context, err error, path string, lines span) error {
	refusal := fault.As(err)
	if refusal == nil || refusal.Code != codeLinesOutside {
		return err
	}
	content, _, failed := r.readDisk(ctx, path, func() error { return nil }) // the branch has it
	if _, ok := cut(content, lines); failed == nil && ok {
		return refusal.WithFix("the working tree has these lines: commit the change first")
	}
	return refusal.WithFix(`%s; if another branch has these, add its "commit"`, refusal.Fix)
}
