package evidence

import (
	"bytes"
	"context"
	"errors"
	"os"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/evidence/gitrepo"
)

// Dirty reports which of the paths differ in the working tree from the tip of the branch. Where another branch is
// checked out none does. Files are compared as they are: git would start the filters of the repository to do it. Ends
// of lines that git may have changed when it checked the file out, and content that Git LFS put in the place of a
// pointer, are no difference.
func (r *Repository) Dirty(ctx context.Context, paths []string) (map[string]bool, error) {
	dirty := map[string]bool{}
	head, err := r.HeadBranch(ctx)
	if err != nil || head == "" || head != r.git.Branch() {
		return dirty, err
	}
	tip, err := r.Tip(ctx)
	if err != nil {
		return nil, err
	}
	has := &gitrepo.Tree{}
	if tip != "" {
		if has, err = r.git.Tree(ctx, tip); err != nil {
			return nil, err
		}
	}
	root, err := r.disk()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, path := range paths {
		if r.checkPath(path) != nil {
			continue
		}
		differs, err := differs(ctx, r, root, path, has.At(path))
		if err != nil {
			return nil, err
		}
		if differs {
			dirty[path] = true
		}
	}
	return dirty, nil
}

// differs reports whether a file of the working tree is another one than the tip has.
func differs(ctx context.Context, r *Repository, root *os.Root, path string, at gitrepo.Entry) (bool, error) {
	f, err := stat(root, path)
	switch {
	case errors.Is(err, fault.NotFound):
		return at.There(), nil
	case errors.Is(err, fault.Invalid): // a link, a folder or a pipe
		return at.IsFile(), nil
	case err != nil || !at.IsFile():
		return true, err
	}
	content, err := read(ctx, root, f, r.options.MaxBytes)
	if errors.Is(err, fault.Invalid) { // nobody can cite a file of this size
		return false, nil
	}
	if err != nil {
		return false, err
	}
	unix := bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	if blobID(content, r.git.IDLength) == at.ID || blobID(unix, r.git.IDLength) == at.ID {
		return false, nil
	}
	tracked, err := r.blob(ctx, path, at.ID)
	return !isPointerTo(tracked, content), err
}

// isPointerTo reports whether Git LFS keeps the pointer in the place of content.
func isPointerTo(pointer, content []byte) bool {
	return bytes.HasPrefix(pointer, []byte("version https://git-lfs.github.com/spec/")) &&
		bytes.Contains(pointer, []byte("\noid sha256:"+digest(content)+"\n"))
}
