package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/commandline"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/fault"
)

// Program returns the path of the program that a client is to start: the small one where it lies beside this one, links
// resolved; else this one.
func Program(executable string) (string, error) {
	at := []string{executable}
	if real, err := filepath.EvalSymlinks(executable); err == nil && real != executable {
		at = []string{real, executable}
	}
	for _, path := range at {
		beside := filepath.Join(filepath.Dir(path), commandline.Small)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return beside, nil
		}
	}
	for _, path := range at {
		if filepath.Base(path) == commandline.Whole {
			return path, nil
		}
	}
	return "", fault.New(fault.Invalid, "hook_program", "neither is there an %s beside %s, nor is that named %s",
		commandline.Small, executable, commandline.Whole).
		WithFix("name this program %s, or put %s beside it: make build makes both", commandline.Whole,
			commandline.Small)
}

// links are the names of the link to the program in the boundary's folder, which no session may write.
var links = []string{commandline.Small, commandline.Whole}

// isLinked reports whether the boundary's folder has a link to a program, and no other.
func isLinked(dir folder.Dir, program string) bool {
	for _, name := range links {
		to, err := os.Readlink(filepath.Join(dir.Path(), name))
		if (name == filepath.Base(program)) != (err == nil && to == program) {
			return false
		}
	}
	return true
}

// link puts a link to a program into the boundary's folder, in place of an earlier one: whoever looks for it meanwhile
// finds one of them. The caller holds the lock of the mode.
func link(dir folder.Dir, program string) error {
	if isLinked(dir, program) {
		return nil
	}
	name := filepath.Base(program)
	at := filepath.Join(dir.Path(), name)
	renewed := at + ".new"
	err := remove(renewed) // a crash may have left one
	if err == nil {
		err = os.Symlink(program, renewed)
	}
	if err == nil {
		err = os.Rename(renewed, at)
	}
	for _, other := range links {
		if err == nil && other != name {
			err = remove(filepath.Join(dir.Path(), other))
		}
	}
	if err != nil {
		return unlinkable("%s cannot be linked to %s", dir.Path(), program).Because(err)
	}
	return nil
}

func unlinkable(format string, args ...any) *fault.Error {
	return fault.New(fault.Unavailable, "boundary_unwritable", format, args...).
		WithFix("make the folder writable for this user")
}

// linkIn returns the path of the link in a project.
func linkIn(dir folder.Dir) string {
	if _, err := os.Lstat(filepath.Join(dir.Path(), commandline.Whole)); err == nil {
		return commandline.Folder + "/" + commandline.Whole
	}
	return commandline.Folder + "/" + commandline.Small
}

func unlink(dir folder.Dir) error {
	for _, name := range links {
		if err := remove(filepath.Join(dir.Path(), name)); err != nil {
			return unlinkable("the link to the program in %s cannot be removed", dir.Path()).Because(err)
		}
	}
	return nil
}

func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// isRegistered reports whether any client still has the hook, in the project or for this user.
func isRegistered(o Options) bool {
	for _, client := range agentclient.Names() {
		for _, user := range []bool{false, true} {
			so := o.settings()
			so.User = user
			if found, err := settings.Registered(client, so); err != nil || len(found) > 0 {
				return true
			}
		}
	}
	return false
}
