package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/gitignore"
)

// CodeLink is the code of a link in the place of what a set-up makes.
const CodeLink fault.Code = "data_folder_link"

// refuseLinks refuses a data folder by which a repository leads secrets elsewhere, and links in it that lead to
// nothing, or where the tokens are to be.
func (p Project) refuseLinks(ctx context.Context) error {
	if err := gitignore.RefuseLinks(ctx, string(p.Data)); err != nil {
		return err
	}
	for _, path := range []string{string(p.Data), p.Data.TokenDir(), p.Data.Database(), p.Data.Tokens(), p.Data.Key()} {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		_, err = os.Stat(path)
		if path == p.Data.TokenDir() || errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.Conflict, CodeLink, "%s is a link in the place of what init makes", path).
				WithFix("see who put it there, and remove it")
		}
	}
	return nil
}
