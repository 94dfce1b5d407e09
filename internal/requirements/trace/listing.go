package trace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/system/git"
)

// listing is which files there are to look at.
type listing struct {
	files   []string // with slashes, sorted
	skipped []Skipped
	why     string // why git was not asked, or ""
}

// listFiles asks git for the files of a folder, and walks through it where git cannot tell. The error is that of ctx.
func listFiles(ctx context.Context, folder string, root *os.Root) (listing, error) {
	files, err := gitFiles(ctx, folder)
	if ctx.Err() != nil {
		return listing{}, ctx.Err()
	}
	if err == nil {
		return listing{files: files}, nil
	}
	t, walked := walk(ctx, root)
	t.why = err.Error()
	return t, walked
}

const (
	gitPatience = 30 * time.Second
	maxListing  = 256 << 20 // bytes of names
)

// gitFiles returns the files that git tracks, and those that it would add.
func gitFiles(ctx context.Context, folder string) ([]string, error) {
	program, err := git.Find("")
	if err != nil {
		return nil, errors.New("git is not installed")
	}
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	cmd := git.Command{Path: program, Dir: folder}.Prepare(ctx, "ls-files", "-z", "--cached", "--others",
		"--exclude-standard")
	listing, said := &git.Output{Most: maxListing}, &git.Output{Most: 4 << 10, Cut: true}
	cmd.Stdout, cmd.Stderr = listing, said
	if err := cmd.Run(); err != nil {
		return nil, whyNot(ctx, err, said.String())
	}
	files := slices.DeleteFunc(strings.Split(listing.String(), "\x00"), func(file string) bool {
		return file == "" || strings.HasSuffix(file, "/") // a repository inside this one
	})
	slices.Sort(files)
	return slices.Compact(files), nil // what is in conflict is listed more than once
}

// whyNot returns in a few words why git did not list the files.
func whyNot(ctx context.Context, err error, said string) error {
	said = git.Cause(said)
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

// passedOver are folders of dependencies and builds.
var passedOver = []string{"node_modules", "vendor", "target", "dist"}

// walk lists the files below a folder, but for hidden folders and those of dependencies and builds.
func walk(ctx context.Context, root *os.Root) (t listing, err error) {
	err = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			t.skipped = append(t.skipped, Skipped{visible(path), "cannot be read: " + reason(err)})
			return nil
		case entry.IsDir() && path != "." &&
			(strings.HasPrefix(entry.Name(), ".") || slices.Contains(passedOver, entry.Name())):
			return fs.SkipDir
		case entry.Type().IsRegular():
			t.files = append(t.files, path)
		}
		return nil
	})
	slices.Sort(t.files)
	return t, err
}
