package gitignore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
)

const (
	settleEvery = 50 * time.Millisecond
	settleWait  = 30 * time.Second // a checkout of a large repository takes its time
)

// CodeLink is the code of a folder for secrets that a repository leads elsewhere.
const CodeLink fault.Code = "secrets_link"

// Settle waits until no command of git is changing a working tree that a path lies in. Git puts files into the tree
// first, and its index says only afterwards that it tracks them.
func Settle(ctx context.Context, path string) error {
	trees, err := workingTrees(ctx, filepath.Dir(tree.Real(path)))
	for _, t := range trees {
		err = errors.Join(err, t.settle(ctx))
	}
	return err
}

func (t workingTree) settle(ctx context.Context) error {
	out, err := t.run(ctx, "rev-parse", "--git-path", "index.lock")
	if err != nil {
		return err
	}
	lock := out[:max(len(out)-1, 0)] // without the end of the line
	if !filepath.IsAbs(lock) {
		lock = filepath.Join(t.git.Dir, lock)
	}
	for begun := time.Now(); time.Since(begun) < settleWait; {
		if _, err := os.Lstat(lock); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		select {
		case <-time.After(settleEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("a command of git holds %s", lock)
}

// RefuseLinks refuses a folder for secrets whose path, as it is given, leads through a link that git tracks: whoever
// wrote the repository would choose where the secrets lie.
func RefuseLinks(ctx context.Context, folder string) error {
	for dir := filepath.Clean(folder); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		named := filepath.Join(tree.Real(filepath.Dir(absolute)), filepath.Base(absolute))
		if tracked, _ := isTracked(ctx, named); tracked { // one of which git cannot tell came from no repository
			return fault.New(fault.Conflict, CodeLink, "%s is a link that git tracks: tokens, keys and the database "+
				"would lie where the repository leads", dir).
				WithFix("see who put it there; git rm %s removes it, and a folder of your own takes its place",
					shellquote.Quote(named))
		}
	}
	return nil
}
