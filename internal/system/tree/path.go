package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const separator = string(filepath.Separator)

// Path is a path, or a pattern, of files that are read again and again, and the folder that none of them may lead out
// of.
type Path struct {
	Given   string // as it was written
	folder  *Folder
	fixed   string // the part of Given before its first wildcard; of a path all of it
	name    string // fixed, as a name in the folder
	pattern string // what comes after it, in Given; "" for a path
	most    bounds
}

// MaxFiles is how many files a pattern may match.
const MaxFiles = 10_000

// maxNames is how many names are looked at, in all folders together, to find what matches a pattern.
const maxNames = 100_000

// ErrTooMany says that a pattern matches too many files, or that there are too many names to look through.
var ErrTooMany = errors.New("there is too much to look through")

// bounds keep a look for files from taking all memory where somebody has filled a folder.
type bounds struct{ names, matches int }

// OpenPath opens the folder that the files of a path must stay in: the top of the git working tree that they lie in, or
// else the folder before the first wildcard, as far as it exists. Links on the way to that folder are resolved now, and
// never again; links in it are looked at with every read.
func OpenPath(given string) (*Path, error) {
	p := &Path{Given: given, fixed: given, most: bounds{maxNames, MaxFiles}}
	for at := filepath.Clean(given); HasWildcard(at) && !Exists(at); {
		p.pattern = filepath.Join(filepath.Base(at), p.pattern)
		at = filepath.Dir(at)
		p.fixed = at
	}
	absolute, err := filepath.Abs(p.fixed)
	if err != nil {
		return nil, err
	}
	from := absolute
	if p.pattern == "" {
		from = filepath.Dir(absolute)
	}
	top := topOf(from)
	if p.folder, err = OpenFolder(top); err != nil {
		return nil, err
	}
	p.name, err = filepath.Rel(top, absolute)
	return p, err
}

// Close closes the folder.
func (p *Path) Close() error { return p.folder.Close() }

// Folder returns the folder that no file of the path may lead out of.
func (p *Path) Folder() string { return p.folder.path }

// Fixed returns the part of a pattern before its first wildcard; of a path all of it.
func (p *Path) Fixed() string { return p.fixed }

// IsPattern reports whether Match looks for more than the path itself. A path with *, ? or [ is a pattern, unless there
// was a file of that very name when it was opened.
func (p *Path) IsPattern() bool { return p.pattern != "" }

// topOf returns the folder to which what lies in a folder is confined. A folder with .git is the top of a working tree,
// and so is one in it, such as a submodule, but not one that a link in the tree leads to.
func topOf(folder string) string {
	top, deepest, at := "", separator, separator
	for part := range strings.SplitSeq(strings.Trim(folder, separator), separator) {
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); err != nil || top != "" && info.Mode()&fs.ModeSymlink != 0 {
			break
		}
		if info, err := os.Stat(at); err != nil || !info.IsDir() {
			break
		}
		deepest = at
		if Exists(filepath.Join(at, ".git")) {
			top = at
		}
	}
	return cmp.Or(top, deepest)
}

// ErrPattern says that a pattern cannot be used.
var ErrPattern = errors.New("it is no pattern")

// HasWildcard reports whether a path may be a pattern.
func HasWildcard(path string) bool { return strings.ContainsAny(path, "*?[") }

// Open opens one of the files that Match returns, or the path itself; see Folder.Open.
func (p *Path) Open(ctx context.Context, file string, most int64) (*File, error) {
	name, err := p.inFolder(file)
	if err != nil {
		return nil, err
	}
	return p.folder.Open(ctx, name, most)
}

// Stat returns what stands at one of the files now, with links followed in the folder.
func (p *Path) Stat(file string) (fs.FileInfo, error) {
	name, err := p.inFolder(file)
	if err != nil {
		return nil, err
	}
	root, err := p.folder.reopened()
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(name)
	if err != nil {
		return nil, explain(p.folder.path, name, err)
	}
	return info, nil
}

// inFolder returns the name in the folder of a path that is written as Given is.
func (p *Path) inFolder(file string) (string, error) {
	rest, err := filepath.Rel(p.fixed, file)
	if err != nil {
		return "", err
	}
	return filepath.Join(p.name, rest), nil
}

// Match returns the files that the path stands for now, as Given is written, in the order of their names; for a path,
// the path itself, whether it exists or not. As in a shell, a wildcard does not match a leading dot, which keeps out
// the files that editors leave beside the one they save. Folders do not match.
func (p *Path) Match(ctx context.Context) ([]string, error) {
	if p.pattern == "" {
		return []string{p.Given}, nil
	}
	if strings.Contains(p.pattern, "**") {
		return nil, fmt.Errorf("%w: ** is not supported; give one pattern for each depth, such as docs/*.md and docs/*/*.md", ErrPattern)
	}
	if _, err := filepath.Match(p.pattern, ""); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPattern, err)
	}
	root, err := p.folder.reopened()
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	steps, err := p.walk(ctx, root)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, name := range steps[len(steps)-1] {
		if info, err := root.Stat(name); err != nil || !info.IsDir() {
			files = append(files, p.given(name))
		}
	}
	return files, nil
}

// walk finds what matches the pattern so far, for each of its parts, as names in the folder; first the fixed part.
func (p *Path) walk(ctx context.Context, root *os.Root) (steps [][]string, err error) {
	found, left := []string{p.name}, p.most.names
	steps = append(steps, found)
	for part := range strings.SplitSeq(p.pattern, separator) {
		if found, err = p.step(ctx, root, found, part, &left); err != nil {
			return steps, err
		}
		steps = append(steps, found)
	}
	return steps, nil
}

// given returns a name in the folder as Given is written.
func (p *Path) given(name string) string {
	rest, err := filepath.Rel(p.name, name)
	if err != nil {
		return name
	}
	return filepath.Join(p.fixed, rest)
}

// Level is a folder in which new names can match a part of a pattern.
type Level struct {
	Folder string // as Given is written
	Names  string // a pattern of filepath.Match
}

// Levels returns where something can be put that matches the pattern.
func (p *Path) Levels(ctx context.Context) (all []Level, err error) {
	root, err := p.folder.reopened()
	if err != nil {
		return nil, err
	}
	steps, err := p.walk(ctx, root)
	for i, part := range strings.Split(p.pattern, separator) {
		if i >= len(steps) {
			break
		}
		for _, folder := range steps[i] {
			if info, err := root.Stat(folder); i > 0 && (err != nil || !info.IsDir()) {
				continue
			}
			all = append(all, Level{p.given(folder), part})
		}
	}
	return all, err
}

// step goes from folders to what is in them by the name part, which may have wildcards; left is how many names may be
// listed yet.
func (p *Path) step(ctx context.Context, root *os.Root, folders []string, part string,
	left *int) (found []string, err error) {
	for _, folder := range folders {
		names, err := p.namesLike(ctx, root, folder, part, left)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			found = append(found, filepath.Join(folder, name))
		}
		if len(found) > p.most.matches {
			return nil, fmt.Errorf("%w: more than %d files or folders match %s", ErrTooMany, p.most.matches, p.Given)
		}
	}
	return found, nil
}

// namesLike returns the names in a folder that match part, in their order.
func (p *Path) namesLike(ctx context.Context, root *os.Root, folder, part string, left *int) ([]string, error) {
	if !HasWildcard(part) {
		if present(root, filepath.Join(folder, part)) {
			return []string{part}, nil
		}
		return nil, nil
	}
	names, err := p.folder.readDir(ctx, root, folder, *left)
	if absent(err) {
		return nil, nil
	}
	if errors.Is(err, ErrTooMany) {
		return nil, fmt.Errorf("%w: there are more than %d names where %s is looked for", ErrTooMany, p.most.names,
			p.Given)
	}
	if err != nil {
		return nil, err
	}
	*left -= len(names)
	names = slices.DeleteFunc(names, func(name string) bool {
		hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(part, ".")
		ok, _ := filepath.Match(part, name)
		return !ok || hidden
	})
	slices.Sort(names)
	return names, nil
}

// absent reports whether err says that there is no such folder.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// present reports whether something stands at a name; what leads out of the folder does, and is refused when it is
// opened.
func present(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil || !absent(err)
}
