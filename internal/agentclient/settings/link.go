package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"orchestrator/internal/fault"
)

// within returns the folder that a client's settings are in, and their name in it.
func (w *wiring) within(o Options) (folder, name string) {
	if o.User {
		return o.Home, w.User
	}
	return o.Root, w.File
}

// path returns the path of a client's settings.
func (w *wiring) path(o Options) string { return filepath.Join(w.within(o)) }

// place returns the settings file that is to be changed. Where a symbolic link stands on the way to it, that is the
// file it leads to, and only if the options allow it: whoever can write the project could have put the link there.
func (w *wiring) place(o Options) (string, error) {
	at, name := w.within(o)
	if at == "" {
		return "", fault.New(fault.Invalid, "no_home", "this user has no folder for the settings of %s", w.client).
			WithFix("set HOME, or change the settings of the project: --scope project")
	}
	file := filepath.Join(at, name)
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

// removeFile removes a settings file, and the folders that are empty without it.
func (w *wiring) removeFile(o Options, file string) error {
	if err := os.Remove(file); err != nil {
		return unwritable(file, err)
	}
	top, _ := w.within(o)
	for at := filepath.Dir(file); at != top && strings.HasPrefix(at, top+string(filepath.Separator)); {
		if os.Remove(at) != nil {
			return nil //nolint:nilerr // something else is in it
		}
		at = filepath.Dir(at)
	}
	return nil
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
