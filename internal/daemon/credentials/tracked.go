package credentials

import (
	"context"
	"os"
	"path/filepath"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi"
	"orchestrator/internal/system/gitignore"
	"orchestrator/internal/system/shellquote"
)

// CodeTracked is the code of secrets that git tracks.
const CodeTracked fault.Code = "secrets_tracked"

// refuseTracked refuses a token file that git tracks: a pull puts there what somebody has pushed, and whoever did would
// choose their own role.
func (c *Credentials) refuseTracked(ctx context.Context) error {
	path := c.files.Path()
	if err := gitignore.Settle(ctx, path); err != nil {
		return err
	}
	tracked, err := gitignore.IsTracked(ctx, path)
	c.refused.Store(tracked)
	if tracked {
		return fault.New(fault.Conflict, CodeTracked, "git tracks %s, and may have put there what somebody pushed",
			path).
			WithFix("take it out of the index, and commit that: git -C %s rm --cached -- %s; "+
				"see with git log who added it. What is in force stays, and is put back into the file",
				shellquote.Quote(filepath.Dir(path)), shellquote.Quote(filepath.Base(path)))
	}
	if err != nil {
		c.log.Warn().Err(err).Msg("whether git tracks the token file cannot be told")
	}
	return nil
}

// putBack puts the tokens in force in the place of those that were refused, so that these do not come into force once
// git no longer tracks the file. A folder that was replaced by a link is somebody else's.
func (c *Credentials) putBack() error {
	info, err := os.Lstat(filepath.Dir(c.files.Path()))
	if err != nil || !info.IsDir() {
		return err
	}
	if err := c.Tokens.PutBack(); err != nil {
		return err
	}
	c.log.Warn().Str("file", c.files.Path()).Msg("put the tokens in force back into the token file")
	return nil
}

// Check warns as long as git tracks a token file that was refused, or there is one that nobody reads.
func (c *Credentials) Check() httpapi.Check {
	if c.stray.Load() {
		return httpapi.Check{Name: "tokens", Status: httpapi.CheckWarning,
			Detail: "the token file of the data folder has other tokens than the store, and is not read: orchestrator " +
				"token changes those of the store; move the file away"}
	}
	if c.refused.Load() {
		if tracked, err := gitignore.IsTracked(context.Background(), c.files.Path()); err == nil {
			c.refused.Store(tracked)
		}
	}
	if c.refused.Load() {
		return httpapi.Check{Name: "tokens", Status: httpapi.CheckWarning,
			Detail: "git tracks the token file: changes in it do not come into force; the log of the service says " +
				"what to do"}
	}
	return httpapi.Check{Name: "tokens", Status: httpapi.CheckOK}
}
