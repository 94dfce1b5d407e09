package trace

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// tree is which files there are to look at.
type tree struct {
	files   []string // with slashes, sorted
	skipped []Skipped
	why     string // why git was not asked, or ""
}

// listFiles asks git for the files of a folder, and walks through it where git cannot tell. The error is that of ctx.
func listFiles(ctx context.Context, folder string, root *os.Root) (tree, error) {
	files, err := gitFiles(ctx, folder)
	if ctx.Err() != nil {
		return tree{}, ctx.Err()
	}
	if err == nil {
		return tree{files: files}, nil
	}
	t, walked := walk(ctx, root)
	t.why = err.Error()
	return t, walked
}

const (
	gitPatience = 30 * time.Second
	maxListing  = 256 << 20 // bytes of names
)

// gitFiles are the files that git tracks, and those that it would add.
func gitFiles(ctx context.Context, folder string) ([]string, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, errors.New("git is not installed")
	}
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, git, "--no-pager", "-c", "safe.directory=*", "-c", "core.fsmonitor=false",
		"ls-files", "-z", "--cached", "--others", "--exclude-standard")
	listing, said := &limited{most: maxListing}, &limited{most: 4 << 10, cut: true}
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, listing, said
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return nil, whyNot(ctx, err, said.kept.String())
	}
	files := slices.DeleteFunc(strings.Split(listing.kept.String(), "\x00"), func(file string) bool {
		return file == "" || strings.HasSuffix(file, "/") // a repository inside this one
	})
	slices.Sort(files)
	return slices.Compact(files), nil // what is in conflict is listed more than once
}

// whyNot says in a few words why git did not list the files.
func whyNot(ctx context.Context, err error, said string) error {
	said, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(said), "fatal: "), "\n")
	switch {
	case ctx.Err() != nil:
		return errors.New("git did not answer within " + gitPatience.String())
	case strings.HasPrefix(said, "not a git repository"):
		return errors.New("the folder is not in a git repository")
	case said != "":
		return errors.New("git said: " + visible(said))
	}
	return errors.New("git failed: " + err.Error())
}

// limited keeps the first bytes that are written. More of them fail, or are dropped where cut says so.
type limited struct {
	kept bytes.Buffer
	most int
	cut  bool
}

func (l *limited) Write(p []byte) (int, error) {
	n, err := l.kept.Write(p[:min(len(p), l.most-l.kept.Len())])
	if n < len(p) && !l.cut {
		return n, errors.New("too many files")
	}
	return len(p), err
}

// passedOver are folders of dependencies and builds.
var passedOver = []string{"node_modules", "vendor", "target", "dist"}

// walk lists the files below a folder, but for hidden folders and those of dependencies and builds.
func walk(ctx context.Context, root *os.Root) (t tree, err error) {
	err = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			t.skipped = append(t.skipped, Skipped{visible(path), "cannot be read: " + reason(err)})
			return nil
		case entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || slices.Contains(passedOver, entry.Name())):
			return fs.SkipDir
		case entry.Type().IsRegular():
			t.files = append(t.files, path)
		}
		return nil
	})
	slices.Sort(t.files)
	return t, err
}
