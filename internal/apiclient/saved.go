package apiclient

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
)

// Limits of the file that says for which addresses tokens were saved.
const (
	maxSaved      = 1 << 20
	maxSavedLines = 1000
)

// SaveToken notes in a data folder that the token in a file of the folder may be sent to a server. Each line of the
// note is an authentication code of the address, whose key is the token. Whoever does not know the token cannot write
// one, so that no tree, no archive and no session brings an address that a token is then sent to.
func SaveToken(data datadir.Dir, file, server string) error {
	token, err := readToken(string(data), file)
	if err != nil {
		return err
	}
	line, err := addressCode(token, server)
	if err != nil {
		return fault.New(fault.Invalid, codeServerURL, "%s is no address", Redacted(server)).
			WithFix("give HOST:PORT, http://HOST:PORT, https://HOST or unix:PATH").Because(err)
	}
	lines, err := savedLines(data)
	if err != nil || slices.Contains(lines, line) {
		return err
	}
	lines = append(lines[max(0, len(lines)+1-maxSavedLines):], line)
	return durable.WriteFile(savedPath(data), 0o600, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
		return err
	})
}

// checkSaved refuses to send a token to an address that it was not saved for.
func checkSaved(data datadir.Dir, token, server string) error {
	lines, err := savedLines(data)
	if err != nil {
		return err
	}
	if line, err := addressCode(token, server); err == nil && slices.Contains(lines, line) {
		return nil
	}
	return fault.New(fault.Invalid, codeTokenFile,
		"the settings name %s, and this token was not saved for it", Redacted(server)).
		WithFix("if this is the right address: orchestrator config set token_file FILE saves the token in a file of %s "+
			"for it; or name the address, too, with --server or ORCHESTRATOR_URL",
			shellquote.Quote(data.TokenDir()))
}

func savedPath(data datadir.Dir) string { return filepath.Join(data.TokenDir(), "addresses") }

func savedLines(data datadir.Dir) ([]string, error) {
	content, err := tree.ReadFile(context.Background(), savedPath(data), maxSaved)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Invalid, codeTokenFile, "%s cannot be read", savedPath(data)).
			WithFix("remove it, and save each token anew: orchestrator config set token_file FILE").Because(err)
	}
	return strings.Fields(string(content)), nil
}

// addressCode returns what stands for a token and an address in the note.
func addressCode(token, server string) (string, error) {
	address, err := canonical(server)
	if err != nil {
		return "", err
	}
	code := hmac.New(sha256.New, []byte(token))
	_, _ = io.WriteString(code, "orchestrator sends this token to "+address) // a hash never fails
	return hex.EncodeToString(code.Sum(nil)), nil
}
