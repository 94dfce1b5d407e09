package token

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/durable"
)

const maxSecretFile = 4 << 10 // bytes; a token has some forty

// Bootstrap makes the first tokens of a data folder: one for each of roles, named after it, which never expire.
// Each secret goes to tokens/<role>.token (mode 0600, one line); the returned map says where, by role.
// The data folder and tokens/ are made with mode 0700 where they are missing.
//
// Where the token file exists nothing is done and the map is nil, so Bootstrap belongs into every start.
// tokens.json is written last: after a crash or an error there is none, and the next Bootstrap makes
// every token anew. A role that cannot be used is fault.Invalid.
func (f *File) Bootstrap(roles []string, now time.Time) (created map[string]string, err error) {
	for _, role := range roles {
		if err := checkNew(role, role, time.Time{}, now); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(f.Path()); err == nil {
		return nil, nil // without the lock, which a full disk may not have room for
	}
	if err := os.MkdirAll(string(f.dir), folderMode); err != nil {
		return nil, err
	}
	err = f.locked(func() error {
		_, err := os.Stat(f.Path())
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		created, err = f.issue(roles, nil, now, f.save)
		return err
	})
	return created, err
}

// Supply makes a token, as Bootstrap does, for each of roles that has none of its own: whose file in tokens/ holds no
// token of the token file, and after which no token is named. The returned map says where they are; it is empty where
// every role has one. The token file must exist.
func (f *File) Supply(roles []string, now time.Time) (created map[string]string, err error) {
	err = f.locked(func() error {
		tokens, err := f.List()
		if err != nil {
			return err
		}
		lacking := slices.DeleteFunc(slices.Clone(roles), func(role string) bool { return f.supplied(role, tokens) })
		if len(lacking) > 0 {
			created, err = f.issue(lacking, tokens, now, f.save)
		}
		return err
	})
	return created, err
}

// supplied reports whether a role has a token of its own: in its file, or elsewhere under its name.
func (f *File) supplied(role string, tokens []Token) bool {
	held, err := durable.ReadRegular(f.secretPath(role), maxSecretFile)
	return err == nil && Holds(tokens, string(held)) ||
		slices.ContainsFunc(tokens, func(t Token) bool { return t.Name == role && t.Role == role })
}

func (f *File) secretPath(role string) string { return f.dir.Token(role) }

// issue makes a token for each role beside those there are, and has all of them saved last. Call it under the lock.
func (f *File) issue(roles []string, tokens []Token, now time.Time,
	save func([]Token) error) (map[string]string, error) {
	dir := f.dir.TokenDir()
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return nil, fault.New(fault.Conflict, "tokens_link", "%s is a link or a file, and tokens would lie elsewhere",
			dir).WithFix("see who put it there, and remove it; the folder is made anew")
	}
	if err := os.MkdirAll(dir, folderMode); err != nil {
		return nil, err
	}
	// A folder that was there before may be open to others.
	if err := os.Chmod(dir, folderMode); err != nil {
		return nil, err
	}
	created := map[string]string{}
	for _, role := range roles {
		secret, made := create(role, role, time.Time{}, now, tokens)
		path := f.secretPath(role)
		if err := write(path, []byte(secret+"\n")); err != nil {
			return nil, err
		}
		tokens = append(tokens, made)
		created[role] = path
	}
	if err := save(tokens); err != nil {
		return nil, err
	}
	return created, nil
}
