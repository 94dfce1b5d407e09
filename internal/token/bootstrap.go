package token

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Bootstrap makes the first tokens of a data folder: one per role, named after it, which never expire.
// Each secret goes to tokens/<role>.token (mode 0600, one line); the returned map says where, by role.
// The data folder and tokens/ are made with mode 0700 where they are missing.
//
// Where the token file exists nothing is done and the map is nil, so Bootstrap belongs into every start.
// tokens.json is written last: after a crash or an error there is none, and the next Bootstrap makes
// every token anew. A role that cannot be used is fault.Invalid.
func (f *File) Bootstrap(roles []string, now time.Time) (created map[string]string, err error) {
	for _, role := range roles {
		if err := checkNew(role, role, f.validRole, time.Time{}, now); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(f.dir, folderMode); err != nil {
		return nil, err
	}
	err = f.locked(func() error {
		_, err := os.Stat(f.Path())
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		created, err = f.writeFirst(roles, now)
		return err
	})
	return created, err
}

func (f *File) writeFirst(roles []string, now time.Time) (map[string]string, error) {
	dir := filepath.Join(f.dir, "tokens")
	if err := os.MkdirAll(dir, folderMode); err != nil {
		return nil, err
	}
	// A folder that was there before may be open to others.
	if err := os.Chmod(dir, folderMode); err != nil {
		return nil, err
	}
	created := map[string]string{}
	var tokens []Token
	for _, role := range roles {
		secret, made := create(role, role, time.Time{}, now, tokens)
		path := filepath.Join(dir, role+".token")
		if err := write(path, []byte(secret+"\n")); err != nil {
			return nil, err
		}
		tokens = append(tokens, made)
		created[role] = path
	}
	if err := f.save(tokens); err != nil {
		return nil, err
	}
	return created, nil
}
