package evidence

import (
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/evidence/gitrepo"
	"orchestrator/internal/system/lazyregexp"
)

const (
	maxPath  = 4096
	fromRoot = "give the path from the top of the repository, as in internal/login/login.go"
)

func refuse(code fault.Code, format string, args ...any) *fault.Error {
	return fault.New(fault.Invalid, code, format, args...)
}

// checkPath refuses every path that is not the plain, slash-separated path of a file under the root. It opens nothing.
func checkPath(path string) error {
	switch {
	case path == "":
		return refuse("path_empty", "there is no path").WithFix(fromRoot)
	case len(path) > maxPath:
		return refuse("path_too_long", "the path has %d bytes, and at most %d are read", len(path), maxPath).
			WithFix(fromRoot)
	case !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl):
		return refuse("path_control", "the path %q has control characters, or is not UTF-8", path).WithFix(fromRoot)
	case strings.Contains(path, `\`):
		return refuse("path_backslash", "the path %q has a backslash", path).WithFix("separate folders with /")
	case path[0] == '/':
		return refuse("path_absolute", "the path %q is absolute", path).WithFix(fromRoot)
	}
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case part == "..":
			return refuse("path_parent", "the path %q leads upward", path).WithFix(fromRoot)
		case part == "" || part == ".":
			return refuse("path_unclean", "the path %q has an empty part or a dot for a folder", path).WithFix(fromRoot)
		case isGitFolder(part):
			return refuse("path_git", "the path %q leads into git's own folder", path).
				WithFix("name a file of the project")
		}
	}
	return nil
}

// checkPath refuses what the package's checkPath does, and everything private.
func (r *Repository) checkPath(path string) error {
	if err := checkPath(path); err != nil {
		return err
	}
	for _, private := range r.private {
		if len(path) >= len(private) && strings.EqualFold(path[:len(private)], private) &&
			(len(path) == len(private) || path[len(private)] == '/') {
			return refuse("path_private", "the path %q leads to files of this service", path).
				WithFix("name a file of the project")
		}
	}
	return nil
}

// pathsUnder returns the paths from root of those places that lie under it, with / between folders.
func pathsUnder(root string, places []string) (under []string) {
	for _, place := range places {
		full, err := filepath.Abs(place)
		if err != nil || place == "" {
			continue
		}
		// The place itself may not be there yet, while its folder is, under another name.
		if folder, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
			full = filepath.Join(folder, filepath.Base(full))
		}
		if rel, err := filepath.Rel(root, full); err == nil && filepath.IsLocal(rel) && rel != "." {
			under = append(under, filepath.ToSlash(rel))
		}
	}
	return under
}

var shortGit = lazyregexp.New(`^git~[0-9]+$`)

// isGitFolder reports whether any file system would take part for .git: without regard to case, to dots and spaces at
// the end, to characters that are not seen, under its short name, or with the name of a stream behind it.
func isGitFolder(part string) bool {
	part = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Cf, c) {
			return -1
		}
		return unicode.ToLower(c)
	}, part)
	part, _, _ = strings.Cut(part, ":")
	part = strings.TrimRight(part, ". ")
	return part == ".git" || shortGit().MatchString(part)
}

// span is a range of lines, 1-based and inclusive; the zero value is the whole file.
type span struct{ first, last int }

func (s span) whole() bool { return s == span{} }
func (s span) count() int  { return s.last - s.first + 1 }

// String returns the form of lifecycle.Evidence: "12" or "12-40".
func (s span) String() string {
	if s.first == s.last {
		return strconv.Itoa(s.first)
	}
	return strconv.Itoa(s.first) + "-" + strconv.Itoa(s.last)
}

var lineRange = lazyregexp.New(`^([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?$`)

// parseSpan reads "12" or "12-40"; "" is the whole file.
func parseSpan(lines string) (span, error) {
	if lines == "" {
		return span{}, nil
	}
	const fix = `write the first and the last line, counted from 1, as in "12-40", or one line, as in "12"`
	m := lineRange().FindStringSubmatch(lines)
	if m == nil {
		return span{}, refuse("lines_malformed", "%q is no range of lines", lines).WithFix(fix)
	}
	first, _ := strconv.Atoi(m[1]) // at most 9 digits, as the pattern says
	last := first
	if m[2] != "" {
		last, _ = strconv.Atoi(m[2])
	}
	if last < first {
		return span{}, refuse("lines_malformed", "the lines %q end before they begin", lines).WithFix(fix)
	}
	return span{first, last}, nil
}

var hexadecimal = lazyregexp.New(`^[0-9a-f]{4,64}$`)

// checkID refuses everything but a full or short hexadecimal id; most is the length of a full one in this repository.
func checkID(id string, most int) error {
	const fix = "write the id of the commit, as git log --format=%%H shows it"
	if !hexadecimal().MatchString(id) {
		return refuse("commit_malformed", "%q is no commit id: it has 4 to %d of the characters 0-9 and a-f", id,
			most).WithFix(fix)
	}
	if len(id) > most {
		return refuse("commit_malformed", "%q is no commit id: it has %d characters, and a full one has %d here", id,
			len(id), most).
			WithFix(fix)
	}
	return nil
}

// short returns an id as people read it.
func short(id string) string { return gitrepo.Short(id) }
