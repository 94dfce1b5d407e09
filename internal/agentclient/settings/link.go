package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"orchestrator/internal/fault"
)

// place returns the file of the project's folder that is to be changed. Where a symbolic link stands on the way to it,
// that is the file it leads to, and only if the options allow it: whoever can write the project could have put the link
// there.
func place(o Options, name string) (string, error) {
	file := filepath.Join(o.Root, name)
	at := o.Root
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if err != nil {
			break // it is made
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		if !o.FollowLink {
			return "", linked(at)
		}
		return followed(file)
	}
	return file, nil
}

func linked(at string) error {
	target, err := os.Readlink(at)
	if err != nil {
		target = "another place"
	}
	return fault.New(fault.Conflict, "settings_link", "%s is a symbolic link to %s; nothing was changed", at, target).
		WithFix("put the file itself there, or give --follow-link to change the file that the link leads to")
}

// followed returns the file that a path leads to; the file need not exist, its folder must.
func followed(file string) (string, error) {
	for range 40 {
		real, err := filepath.EvalSymlinks(file)
		if err == nil {
			return real, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		folder, err := filepath.EvalSymlinks(filepath.Dir(file))
		if err != nil {
			break
		}
		file = filepath.Join(folder, filepath.Base(file))
		target, err := os.Readlink(file)
		if err != nil {
			return file, nil //nolint:nilerr // it is no link, and is made
		}
		if file = target; !filepath.IsAbs(target) {
			file = filepath.Join(folder, target)
		}
	}
	return "", fault.New(fault.Conflict, "settings_link",
		"%s is a symbolic link that leads nowhere; nothing was changed", file).
		WithFix("mend the link, or put the file itself there")
}
