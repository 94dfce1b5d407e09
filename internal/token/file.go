package token

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
)

const (
	lockWait   = 5 * time.Second
	secretMode = 0o600
	folderMode = 0o700
)

// MaxFile is the most bytes that the token file may have.
const MaxFile = 16 << 20

// File is the token file of one data folder. Its methods may be called at the same time, by several
// processes too: each change reads, changes and writes the file under an exclusive lock, so no change is
// lost, and readers see the file before or after a change, never between.
//
// A change that returns an error has not been made; only after a failed sync of the folder may it be in
// the file nevertheless, and List shows whether it is.
type File struct {
	dir datadir.Dir
}

// NewFile names the token file of a data folder without touching it.
func NewFile(dir datadir.Dir) *File { return &File{dir} }

// Path returns where the file lies, for watching it.
func (f *File) Path() string { return f.dir.Tokens() }

// List returns the tokens in the order of the file. A missing file is fault.NotFound; one that cannot be
// trusted is fault.Malformed, with every problem found and the entry it is in.
func (f *File) List() ([]Token, error) {
	data, err := tree.ReadFile(context.Background(), f.Path(), MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "tokens_missing", "there is no token file %s", f.Path()).
			WithFix("start the server once, or add a token, and check the data folder").Because(err)
	}
	if err != nil {
		return nil, err
	}
	return decode(f.Path(), data)
}

// Add makes a token and returns its text, which nothing can show again. It works from now until expires; a zero expires
// is never; fractions of a second are cut off. The file is made where it is missing, its folder is not; Bootstrap then
// has nothing to do. A name, role or expiry that cannot be used is fault.Invalid, and a name that differs from one in
// the file only as actorname.Fold disregards is fault.Conflict.
func (f *File) Add(name, role string, expires, now time.Time) (secret string, made Token, err error) {
	if err := checkNew(name, role, expires, now); err != nil {
		return "", Token{}, err
	}
	err = f.locked(func() error {
		tokens, err := f.List()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := checkDistinct(name, tokens); err != nil {
			return err
		}
		secret, made = create(name, role, expires, now, tokens)
		return f.save(append(tokens, made))
	})
	if err != nil {
		return "", Token{}, err
	}
	return secret, made, nil
}

// Revoke removes the token with this id and returns it; an unknown id is fault.NotFound and lists the
// ids there are. A file that holds it, such as one under tokens/, stays and no longer works.
func (f *File) Revoke(id string) (Token, error) {
	revoked, err := f.revoke(byID, id)
	if err != nil {
		return Token{}, err
	}
	return revoked[0], nil
}

// RevokeName removes every token of a name and returns them; an unknown name is fault.NotFound and lists
// the names there are.
func (f *File) RevokeName(name string) ([]Token, error) {
	return f.revoke(byName, name)
}

func (f *File) revoke(what naming, wanted string) (revoked []Token, err error) {
	err = f.locked(func() error {
		tokens, err := f.List()
		if err != nil {
			return err
		}
		var kept []Token
		if kept, revoked, err = what.without(tokens, wanted); err != nil {
			return err
		}
		return f.save(kept)
	})
	if err != nil {
		return nil, err
	}
	return revoked, nil
}

// save replaces the file. Call it under the lock.
func (f *File) save(tokens []Token) error {
	data, err := encode(tokens)
	if err != nil {
		return err
	}
	return write(f.Path(), data)
}

// locked runs fn while no other process or goroutine changes the file.
func (f *File) locked(fn func() error) error {
	unlock, err := lock(f.Path()+".lock", lockWait)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "data_folder_missing", "there is no data folder %s", f.dir).
			WithFix("give the folder that the server uses, or start the server once to make it")
	}
	if err != nil {
		return err
	}
	defer unlock()
	return fn()
}

// write puts a secret or the list of them in its place. The lock makes every left temporary file stale.
func write(path string, data []byte) error {
	if err := durable.RemoveStale(path); err != nil {
		return err
	}
	return durable.WriteFile(path, secretMode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
