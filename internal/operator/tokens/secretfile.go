package tokens

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"orchestrator/internal/fault"
)

// secretFile is a new file for a secret, not yet in its place where it replaces another.
type secretFile struct {
	file *os.File
	path string // where it is to be
}

// openSecret makes a file of mode 0600. What is at the path is refused, a link too; force replaces it when the secret
// is written, the link itself and not what it leads to.
func openSecret(path string, force bool) (*secretFile, error) {
	at := path
	if info, err := os.Lstat(path); err == nil && force {
		if info.IsDir() {
			return nil, fault.New(fault.Invalid, "token_out", "%s is a folder", path).WithFix("name a file in it")
		}
		at = filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()+".tmp")
	}
	file, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fault.New(fault.Conflict, "token_out_exists", "%s exists", path).
			WithFix("name another file, or replace this one with --force; no token was made").Because(err)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "token_out", "%s cannot be written", path).
			WithFix("name a file in a folder that exists and that you may write; no token was made").Because(err)
	}
	return &secretFile{file, path}, nil
}

// keep writes the secret and puts the file in its place; where that fails the file is gone.
func (s *secretFile) keep(secret string) error {
	_, err := s.file.WriteString(secret)
	if err == nil {
		err = s.file.Sync()
	}
	if err = errors.Join(err, s.file.Close()); err == nil && s.file.Name() != s.path {
		err = os.Rename(s.file.Name(), s.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(s.file.Name()))
	}
	return nil
}

// discard removes the file, to which nothing was written.
func (s *secretFile) discard() error { return errors.Join(s.file.Close(), os.Remove(s.file.Name())) }
