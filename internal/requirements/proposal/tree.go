// Package proposal makes change requests of what a person types: evidence in words, the parts of a requirement as flags
// or as a text to edit. It reads the working tree and asks git; whether a request is accepted, the service decides.
package proposal

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/git"
	"orchestrator/internal/system/tree"
)

// Limits of what is read to make a request.
const (
	maxCited   = 64 << 20 // bytes of a cited file whose lines are counted
	gitOutput  = 64 << 10
	gitPatient = 10 * time.Second
)

// Tree is the working tree that evidence is typed in.
type Tree struct {
	folder string // where paths begin that are typed
	top    string // of the git working tree, "" where there is none
	git    string // "" where there is no git command
}

// TreeAt finds the git working tree that a folder lies in. Where there is none, paths are sent as they are typed.
func TreeAt(ctx context.Context, folder string) (Tree, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return Tree{}, err
	}
	t := Tree{folder: tree.Real(abs)}
	found, missing := git.Find("")
	if missing == nil {
		t.git = found
	}
	if top, err := t.ask(ctx, "rev-parse", "--show-toplevel"); err == nil {
		t.top = tree.Real(top)
	}
	return t, nil
}

// ask runs git, and returns the one line that it prints.
func (t Tree) ask(ctx context.Context, args ...string) (string, error) {
	if t.git == "" {
		return "", errors.New("there is no git command")
	}
	ctx, cancel := context.WithTimeout(ctx, gitPatient)
	defer cancel()
	var said git.Output
	said.Most = gitOutput
	p := git.Command{Path: t.git, Dir: t.folder}.Prepare(ctx, args...)
	p.Stdout = &said
	err := p.Run()
	return strings.TrimSpace(said.String()), err
}

// at returns where a path that was typed leads to: from the folder on, or, where nothing is there, from the top of the
// working tree on, as the service writes the paths of its examples.
func (t Tree) at(typed string) string {
	if filepath.IsAbs(typed) {
		return typed
	}
	here := filepath.Join(t.folder, typed)
	if fromTop := filepath.Join(t.top, typed); t.top != "" && !tree.Exists(here) && tree.Exists(fromTop) {
		return fromTop
	}
	return here
}

// Path returns a path that was typed as the service takes it: from the top of the working tree on, with slashes.
func (t Tree) Path(typed string) (string, error) {
	abs := t.at(typed)
	abs = filepath.Join(tree.Real(filepath.Dir(abs)), filepath.Base(abs))
	root := t.top
	if root == "" {
		root = t.folder
	}
	path, err := filepath.Rel(root, abs)
	if err != nil || path == ".." || strings.HasPrefix(path, ".."+string(filepath.Separator)) {
		return "", fault.Misuse("%s lies outside of the repository %s", typed, root).
			WithFix("cite a file of the repository; commit it if it is not part of it yet")
	}
	return filepath.ToSlash(path), nil
}

// Commit returns the full id of a commit that was typed as a revision of git: HEAD, a branch, a short id.
func (t Tree) Commit(ctx context.Context, typed string) (string, error) {
	if t.top == "" {
		if _, err := hex.DecodeString(typed + strings.Repeat("0", len(typed)%2)); err == nil && len(typed) >= 7 {
			return typed, nil
		}
		return "", fault.Misuse("commit %q cannot be looked up: this is no git working tree", typed).
			WithFix("give the id of the commit, or run the command in the repository")
	}
	if strings.HasPrefix(typed, "-") {
		return "", fault.Misuse("%q is no commit", typed).WithFix("name it as git does: HEAD, a branch, or its id")
	}
	id, err := t.ask(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", typed+"^{commit}")
	if err != nil || id == "" {
		return "", fault.Misuse("the repository %s has no commit %q", t.top, typed).
			WithFix("name it as git does: HEAD, a branch, or its id; git log --oneline lists them")
	}
	return id, nil
}

// checkLines makes sure that a file has the lines that are cited of it.
func (t Tree) checkLines(ctx context.Context, typed, path, lines string) error {
	first, last, err := span(lines)
	if err != nil {
		return err
	}
	content, err := tree.ReadFile(ctx, t.at(typed), maxCited)
	if err != nil {
		return fault.Misuse("%s cannot be read here", path).
			WithFix("check the path, which begins in the present folder; or name the commit that has it: "+
				"file:%s:%s@COMMIT", typed, lines).Because(err)
	}
	has := bytes.Count(content, []byte("\n"))
	if len(content) > 0 && content[len(content)-1] != '\n' {
		has++
	}
	if last > has || first > last || first < 1 {
		return fault.Misuse("%s has %d lines, and no lines %s", path, has, lines).
			WithFix("cite lines that are there, from 1 to %d", has)
	}
	return nil
}

// span reads "12" or "12-40".
func span(lines string) (first, last int, err error) {
	from, to, two := strings.Cut(lines, "-")
	first, err = strconv.Atoi(from)
	if last = first; err == nil && two {
		last, err = strconv.Atoi(to)
	}
	if err != nil {
		err = fault.Misuse("%q is no range of lines", lines).WithFix("give one line, as in file:a.go:12, or file:a.go:12-40")
	}
	return first, last, err
}
