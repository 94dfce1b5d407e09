package watch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const separator = string(filepath.Separator)

// Match returns the files that a path stands for now, in order of their names. A path with *, ? or [ is a
// pattern of filepath.Match, unless there is a file of that very name; any other path stands for itself, whether
// it exists or not. As in a shell, a wildcard does not match a leading dot, which keeps out the files that editors
// leave beside the one they save. Folders do not match.
func Match(path string) ([]string, error) {
	if !IsPattern(path) {
		return []string{path}, nil
	}
	if strings.Contains(path, "**") {
		return nil, errors.New("** is not supported; give one pattern for each depth, such as docs/*.md and docs/*/*.md")
	}
	found, err := filepath.Glob(path)
	if err != nil {
		return nil, fmt.Errorf("the pattern %s cannot be read: %w", path, err)
	}
	var files []string
	for _, name := range found {
		if info, err := os.Stat(name); err == nil && info.IsDir() || hidden(path, name) {
			continue
		}
		files = append(files, name)
	}
	return files, nil
}

// IsPattern says whether Match looks for more than the path itself.
func IsPattern(path string) bool {
	if !hasWildcard(path) {
		return false
	}
	_, err := os.Lstat(path)
	return err != nil
}

func hasWildcard(path string) bool { return strings.ContainsAny(path, "*?[") }

// hidden says whether a part of the name begins with a dot that the pattern does not ask for.
func hidden(pattern, name string) bool {
	asked := strings.Split(filepath.Clean(pattern), separator)
	for i, part := range strings.Split(filepath.Clean(name), separator) {
		if strings.HasPrefix(part, ".") && i < len(asked) && !strings.HasPrefix(asked[i], ".") {
			return true
		}
	}
	return false
}

// place is where new files can match a pattern: those in a folder whose names match.
type place struct{ folder, names string }

func (p place) holds(name string) bool {
	ok, _ := filepath.Match(p.names, filepath.Base(name))
	return ok && filepath.Dir(name) == p.folder
}

// places returns where a pattern looks, and what decides where that is. A wildcard in a folder's name is
// a place too: there a new folder can match.
func places(pattern string) (all []place, deciding []string) {
	for at := filepath.Clean(pattern); hasWildcard(at); at = filepath.Dir(at) {
		folders := []string{filepath.Dir(at)}
		if hasWildcard(folders[0]) {
			folders, _ = filepath.Glob(folders[0]) // Match reports what is wrong with it
		}
		for _, folder := range folders {
			absolute, err := filepath.Abs(folder)
			if err != nil {
				continue
			}
			on := entries(absolute)
			all = append(all, place{on[len(on)-1], filepath.Base(at)})
			deciding = append(deciding, on...)
		}
	}
	return all, deciding
}

// folderOf is the folder of a path, for a pattern the part that is fixed.
func folderOf(path string) string {
	folder := filepath.Dir(path)
	for hasWildcard(folder) && IsPattern(folder) {
		folder = filepath.Dir(folder)
	}
	return folder
}

// hashAll digests names and contents of all files that match a pattern.
func hashAll(pattern string) (content, error) {
	all := content{parts: map[string]part{}}
	names, err := Match(pattern)
	if err != nil {
		return all, err
	}
	digest := sha256.New()
	for _, name := range names {
		one, it, err := hash(name)
		if err != nil {
			return all, err
		}
		if it.info != nil { // it may have gone since
			all.parts[name] = it
			fmt.Fprintf(digest, "%q %x\n", name, one)
		}
	}
	all.sum = [sha256.Size]byte(digest.Sum(nil))
	return all, nil
}
