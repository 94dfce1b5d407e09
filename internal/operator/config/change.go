package config

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/gitignore"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
)

// Change sets a name in settings.yaml of a data folder, which is made where there is none; an empty value unsets it.
// What is said beside that it was done is in notes. A setting that is on record already is refused.
func Change(ctx context.Context, data datadir.Dir, key, value string) (notes []string, err error) {
	old, err := ReadLocal(ctx, data)
	if err != nil {
		return nil, err
	}
	changed, err := old.With(key, value)
	if err != nil {
		return nil, err
	}
	if err := onRecord(data, key); err != nil && value != "" {
		return nil, err
	}
	if old.TokenFile != "" && key == "url" && !apiclient.SameServer(old.URL, value) {
		changed.TokenFile = "" // it was saved for the other address
		notes = append(notes, "token_file was for "+old.URL+", and is not set any more")
	}
	if err := changed.checkToken(data); err != nil {
		return nil, err
	}
	if err := os.Mkdir(string(data), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fault.New(fault.Invalid, CodeSettings, "the folder %s cannot be made", data).
			WithFix("create it and make it writable for you alone, or name another with --data").Because(err)
	}
	if _, err := gitignore.Write(string(data), nil); err != nil {
		return nil, err
	}
	if key == "token_file" && value != "" {
		if err := apiclient.SaveToken(data, changed.TokenPath(data), changed.URL); err != nil {
			return nil, err
		}
		notes = append(notes, "its token is sent to "+apiclient.Redacted(changed.URL)+" from now on")
	}
	return notes, WriteLocal(data, changed)
}

// onRecord refuses a setting that holds for new projects alone.
func onRecord(data datadir.Dir, key string) error {
	if key != "workflow" || !tree.Exists(data.Database()) {
		return nil
	}
	return fault.New(fault.Invalid, CodeSettings, "the workflow of this project is on record since its first start").
		WithFix(`the pm switches it while the service runs: orchestrator workflow rework --reason '<why>'`)
}

// checkToken keeps a token from being sent to an address that it was not saved for, and from being read from
// elsewhere: a data folder that came with a tree could name any file of its user.
func (l Local) checkToken(data datadir.Dir) error {
	if l.TokenFile == "" {
		return nil
	}
	if l.URL == "" {
		return fault.New(fault.Invalid, CodeSettings, "a token_file belongs to a url, and none is set").
			WithFix("orchestrator config set url https://HOST first; tokens of the service of this folder need no setting")
	}
	rel, err := filepath.Rel(tree.Real(data.TokenDir()), filepath.Join(tree.Real(filepath.Dir(l.TokenPath(data))),
		filepath.Base(l.TokenFile)))
	if err != nil || !filepath.IsLocal(rel) {
		return fault.New(fault.Invalid, CodeSettings, "the file %s is not in the folder %s", l.TokenFile, data.TokenDir()).
			WithFix("copy it there, where no session reads it and git ignores it: install -m 600 %s %s",
				shellquote.Quote(l.TokenFile), shellquote.Quote(filepath.Join(data.TokenDir(), filepath.Base(l.TokenFile)))).
			Because(err)
	}
	return nil
}

// TokenPath returns the path of the token_file, "" where none is set.
func (l Local) TokenPath(data datadir.Dir) string {
	if l.TokenFile == "" || filepath.IsAbs(l.TokenFile) {
		return l.TokenFile
	}
	return filepath.Join(data.Project(), l.TokenFile)
}

// checkOwn refuses settings that came with the tree, whole: what git tracks is anybody's who can commit, and a switch
// of branches replaces a file that git ignores without a word. It refuses as well where that cannot be told.
func checkOwn(ctx context.Context, data datadir.Dir) error {
	path := data.File(LocalFile)
	tracked, err := gitignore.IsTracked(ctx, path)
	switch {
	case tracked:
		return fault.New(fault.Invalid, CodeSettings,
			"git tracks %s, so these settings may be anybody's who can commit", path).
			WithFix("git rm --cached %s, and look at what it says before you use it", shellquote.Quote(path))
	case err != nil:
		return fault.New(fault.Invalid, CodeSettings, "it cannot be told whether git tracks %s", path).
			WithFix("mend the repository (git status says what is wrong with it), and install git where it is missing; " +
				"or remove the file, and set again what is needed").Because(err)
	}
	return nil
}
