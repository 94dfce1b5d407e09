package gitignore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/datadir"
	"orchestrator/internal/system/git"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
)

const (
	patience  = 10 * time.Second // for one command of git
	maxListed = 64 << 20         // bytes that a list of files may have
	maxTokens = 100              // files named like tokens that are looked into, per repository
	maxSecret = 4 << 10
)

// File is a file that git tracks: Path is relative to Top, the top of its working tree.
type File struct{ Top, Path string }

// Exposure is what git does with a file.
type Exposure int

// The exposures of a file.
const (
	Hidden  Exposure = iota // git ignores it, or no working tree holds it
	Addable                 // git add -A would add it
	Tracked                 // it is in the index
)

// Warning returns what to do about a secret in a file at path, or "" where git does not take it.
func (e Exposure) Warning(path string) string {
	switch e {
	case Tracked:
		return fmt.Sprintf("git tracks %[1]s, and the next commit has the token in it: git rm --cached %[1]s",
			shellquote.Quote(path))
	case Addable:
		return "git does not ignore " + path + ", and git add -A would take it: add it to .gitignore, or keep it " +
			"outside of the working tree"
	}
	return ""
}

// Look finds out what git does with a file, which need not exist.
func Look(ctx context.Context, path string) (Exposure, error) {
	path = tree.Real(path)
	trees, err := workingTrees(ctx, path)
	// the innermost is the one that git add goes by; an outer one may have tracked the file before
	for _, t := range trees {
		files, listErr := t.list(ctx, path)
		if err = errors.Join(err, listErr); len(files) > 0 {
			return Tracked, err
		}
	}
	if len(trees) == 0 || err != nil {
		return Hidden, err
	}
	_, err = trees[0].run(ctx, "check-ignore", "-q", "--no-index", "--", path)
	if git.ExitCode(err) == 1 {
		return Addable, nil
	}
	return Hidden, err
}

// IsTracked reports whether git tracks a file, where its links lead, or a link on the way to it. Unlike Look it takes
// neither a repository that git cannot read nor a machine without git for no repository: what cannot be told is an
// error.
func IsTracked(ctx context.Context, path string) (is bool, err error) {
	for _, name := range append(linksTo(path), tree.Real(path)) {
		tracked, nameErr := isTracked(ctx, name)
		is, err = is || tracked, errors.Join(err, nameErr)
	}
	return is, err
}

// linksTo returns the folders on the way to a path that are links, each by its own name.
func linksTo(path string) (links []string) {
	path, _ = filepath.Abs(path) // fails without a working folder, where nothing can be looked up
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			links = append(links, filepath.Join(tree.Real(filepath.Dir(dir)), filepath.Base(dir)))
		}
	}
	return links
}

func isTracked(ctx context.Context, path string) (bool, error) {
	trees, err := workingTrees(ctx, filepath.Dir(path))
	for _, t := range trees {
		rel, relErr := filepath.Rel(t.top, path)
		files, listErr := t.files(ctx, "ls-files", "-z", "--", ":(top,literal,icase)"+filepath.ToSlash(rel))
		if err = errors.Join(err, relErr, listErr); len(files) > 0 {
			return true, nil
		}
	}
	return false, errors.Join(err, unread(path, trees))
}

// unread returns an error for a repository around a path that git did not report.
func unread(path string, trees []workingTree) error {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		if err == nil && !slices.ContainsFunc(trees, func(t workingTree) bool { return tree.Real(t.top) == dir }) {
			return fmt.Errorf("git does not read the repository %s", dir)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// Secrets lists what git tracks of the secrets of a data folder, of the files in more, and of the files named *.token
// for whose content isToken holds. All working trees around the folder are looked at, and where its path is a link,
// those around its target.
func Secrets(ctx context.Context, data string, more []string, isToken func(content string) bool) ([]File, error) {
	dir := tree.Real(data)
	trees, err := workingTrees(ctx, dir)
	var all []File
	for _, t := range trees {
		files, listErr := t.list(ctx, dir)
		for _, f := range files {
			if rel, relErr := filepath.Rel(dir, filepath.Join(f.Top, f.Path)); relErr == nil && isSecret(rel) {
				all = append(all, f)
			}
		}
		tokens, tokenErr := t.tokens(ctx, dir, isToken)
		all, err = append(all, tokens...), errors.Join(err, listErr, tokenErr)
	}
	for _, path := range more {
		files, moreErr := tracked(ctx, path)
		all, err = append(all, files...), errors.Join(err, moreErr)
	}
	return all, err
}

// tracked lists a file once for each working tree that tracks it.
func tracked(ctx context.Context, path string) ([]File, error) {
	path = tree.Real(path)
	trees, err := workingTrees(ctx, path)
	var all []File
	for _, t := range trees {
		files, listErr := t.list(ctx, path)
		all, err = append(all, files...), errors.Join(err, listErr)
	}
	return all, err
}

// isSecret reports whether a path in a data folder is that of a token, a key, a webhook or the database, a copy or a
// part of one included.
func isSecret(rel string) bool {
	rel = filepath.ToSlash(rel)
	if strings.HasPrefix(rel, "tokens/") || strings.HasPrefix(rel, "webhooks") {
		return true
	}
	name := strings.TrimPrefix(rel, ".") // of a file that is being written
	for _, secret := range []string{datadir.Tokens, datadir.Key, datadir.WitnessKey, datadir.Database} {
		if strings.HasPrefix(name, secret) {
			return true
		}
	}
	return false
}

// workingTree is a working tree of git.
type workingTree struct {
	git git.Command
	top string
}

// workingTrees returns those that a path lies in, the innermost first.
func workingTrees(ctx context.Context, path string) (all []workingTree, err error) {
	command, err := git.Find("")
	if err != nil {
		return nil, nil //nolint:nilerr // without git nothing is tracked
	}
	for dir := folderAt(path); ; {
		t := workingTree{git: git.Command{Path: command, Dir: dir}}
		top, err := t.run(ctx, "rev-parse", "--show-toplevel")
		if outside := (noTree{}); errors.As(err, &outside) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		t.top = strings.TrimSuffix(top, "\n")
		t.git.Dir = t.top
		all = append(all, t)
		if dir = filepath.Dir(t.top); dir == t.top {
			return all, nil
		}
	}
}

// folderAt returns the path, if it is a folder, or else the nearest one above it.
func folderAt(path string) string {
	for {
		if info, err := os.Stat(path); err == nil && info.IsDir() || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

// list returns the tracked files that are a path, or lie below it.
func (t workingTree) list(ctx context.Context, path string) ([]File, error) {
	rel, err := filepath.Rel(t.top, path)
	if err != nil {
		return nil, err
	}
	return t.files(ctx, "--literal-pathspecs", "ls-files", "-z", "--", rel)
}

// tokens returns the tracked files outside of dir that hold a token.
func (t workingTree) tokens(ctx context.Context, dir string, isToken func(string) bool) ([]File, error) {
	files, err := t.files(ctx, "ls-files", "-z", "--", "*.token")
	var held []File
	for i, f := range files {
		if i == maxTokens {
			return held, errors.Join(err, fmt.Errorf("%s tracks more than %d files named *.token", t.top, maxTokens))
		}
		if holds(dir, filepath.Join(f.Top, f.Path)) {
			continue // listed by its name
		}
		content, showErr := t.run(ctx, "cat-file", "blob", ":"+f.Path)
		if showErr == nil && len(content) <= maxSecret && isToken(content) {
			held = append(held, f)
		}
	}
	return held, err
}

func (t workingTree) files(ctx context.Context, args ...string) (all []File, err error) {
	out, err := t.run(ctx, args...)
	for path := range strings.SplitSeq(out, "\x00") {
		if path != "" {
			all = append(all, File{t.top, path})
		}
	}
	return all, err
}

// noTree is the error outside of any working tree.
type noTree struct{ error }

// run returns what a command of git printed.
func (t workingTree) run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := t.git.Prepare(ctx, args...)
	out, words := &git.Output{Most: maxListed}, &git.Output{Most: 4 << 10, Cut: true}
	cmd.Stdout, cmd.Stderr = out, words
	err := cmd.Run()
	said := git.Said(words.String())
	switch {
	case err == nil:
		return out.String(), nil
	case strings.Contains(said, "not a git repository"), strings.Contains(said, "must be run in a work tree"):
		return "", noTree{err}
	}
	return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, said)
}
