package settings

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"orchestrator/internal/agentclient/hunk"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/shellquote"
)

// check refuses a program whose entry would not be known again, and a token that others can read.
func (o ServerOptions) check() error {
	if s := (&Server{Program: o.Program, Args: o.Args}); !s.isOurs() || !filepath.IsAbs(o.Program) {
		return fault.New(fault.Invalid, "server_program", "%s is not the path of a program named %s", o.Program,
			serverName).WithFix("start this program by that name")
	}
	if o.TokenFile == "" {
		return nil
	}
	info, err := os.Stat(o.TokenFile)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return fault.New(fault.Invalid, "token_file", "the token file %s cannot be read", o.TokenFile).
			WithFix("name a file with one token in it with --token-file; orchestrator token add ROLE NAME --out " +
				"FILE makes one").Because(err)
	case info.Mode().Perm()&0o077 != 0:
		return fault.New(fault.Invalid, "token_file", "others can read the token file %s", o.TokenFile).
			WithFix("chmod 600 %s", shellquote.Quote(o.TokenFile))
	}
	return nil
}

// serverBackup is what the name of the copy ends in that is kept before a server is registered.
const serverBackup = ".orchestrator-mcp-backup"

// readServers reads a settings file; a missing one has no text.
func readServers(file string) (text []byte, there bool, err error) {
	text, err = durable.ReadRegular(file, most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, unreadable(file, err)
	}
	return text, true, nil
}

// unparsable is the error of a settings file that is not in the client's format.
func (r *registry) unparsable(file string, err error) error {
	if isTOML(r.File) {
		return fault.New(fault.Invalid, "settings_not_toml", "%s is no TOML; nothing was changed", file).
			WithFix("mend the file first").Because(err)
	}
	return notJSON(file, err)
}

// change says what an edit does.
func (e *edit) change() ServerChange {
	c := ServerChange{File: e.file, Removed: e.remove, Changed: e.remove || !bytes.Equal(e.old, e.new)}
	if e.hasCopy {
		c.Backup = e.file + serverBackup
	}
	if c.Changed {
		after := e.new
		if e.remove {
			after = nil
		}
		c.Diff = hunk.Unified(e.file, e.there, e.old, !e.remove, after)
	}
	return c
}

// write puts the new text in place, unless somebody else has changed the file since it was read.
func (e *edit) write() error {
	now, there, err := readServers(e.file)
	if err != nil {
		return err
	}
	if there != e.there || !bytes.Equal(now, e.old) {
		return fault.New(fault.Conflict, "settings_changed", "%s was changed meanwhile; nothing was written", e.file).
			WithFix("end the client that writes it, and repeat the command")
	}
	if !there && e.personal {
		if err := os.MkdirAll(filepath.Dir(e.file), 0o700); err != nil {
			return unwritable(e.file, err)
		}
		return unwritable(e.file, write(e.file, 0o600, e.new))
	}
	return save(e.file, e.new)
}

// put puts the new text in place. The first time a copy of the original is kept, and one of an earlier time goes; where
// the file cannot be written there is none.
func (e *edit) put(first bool) error {
	if !first {
		return e.write()
	}
	if err := e.dropCopy(); err != nil {
		return err
	}
	if e.hasCopy = e.there; e.there {
		copied, mode := e.file+serverBackup, fs.FileMode(0o600)
		if info, err := os.Stat(e.file); err == nil {
			mode = info.Mode().Perm()
		}
		if err := write(copied, mode, e.old); err != nil {
			return unwritable(copied, err)
		}
	}
	err := e.write()
	if err != nil {
		_ = e.dropCopy() // what is told is why nothing was done
	}
	return err
}

// dropCopy removes the copy of the original.
func (e *edit) dropCopy() error {
	if !e.hasCopy {
		return nil
	}
	copied := e.file + serverBackup
	return unwritable(copied, os.Remove(copied))
}
