package project

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
)

// openKey reads the private key of the log, or makes it at the first start. The log names the key it is signed with, so
// that one cannot be lost, or put in the place of another, without a word.
func (s *server) openKey(ctx context.Context) (audit.Signer, error) {
	path := filepath.Join(s.options.Data, "audit.key")
	onRecord, err := requirements.KeyOnRecord(ctx, s.ledger)
	if err != nil {
		return audit.Signer{}, err
	}
	if onRecord != "" {
		if err := sameOrigin(audit.OriginOf(onRecord), s.options.Origin); err != nil {
			return audit.Signer{}, err
		}
	}
	private, err := ReadKeyFile(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		if onRecord != "" && s.options.AcceptNewKey == "" {
			return audit.Signer{}, fault.New(fault.Conflict, "audit_key_missing",
				"the key %s is missing, which signs the log %s", path, audit.OriginOf(onRecord)).
				WithFix("put it back from a backup, or give --accept-new-key REASON, which is put on record; who " +
					"has kept a checkpoint will then have to trust the new key")
		}
		private, err = newKey(path, s.options.Origin, onRecord)
	}
	if err != nil {
		return audit.Signer{}, KeyFileError(path, err)
	}
	signer, err := audit.ParseSigner(strings.TrimSpace(string(private)))
	if err != nil {
		return audit.Signer{}, KeyFileError(path, err)
	}
	if err := sameOrigin(signer.Origin(), s.options.Origin); err != nil {
		return audit.Signer{}, err
	}
	if err := requirements.CheckKey(onRecord, signer.Key, s.options.AcceptNewKey); err != nil {
		return audit.Signer{}, err // before anything is written
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		s.log.Warn().Str("file", path).Stringer("mode", info.Mode().Perm()).
			Msg("others can read the key that signs the log; chmod 600 keeps them out")
	}
	write := func(ctx context.Context) error { return writePublicKey(ctx, s.options.Data, signer.Key) }
	return signer, s.orPutOff("audit.pub", write(ctx), write)
}

// sameOrigin refuses another origin than the log has; "" is none.
func sameOrigin(has, wanted string) error {
	if wanted == "" || wanted == has {
		return nil
	}
	return fault.New(fault.Conflict, "audit_origin_changed", "the log has the origin %s, not %s", has, wanted).
		WithFix("leave --origin out; an origin is chosen once, at the first start")
}

// maxKey is the most bytes that a file with a key may have.
const maxKey = 4 << 10

// ReadKeyFile reads a regular file, and not much of it.
func ReadKeyFile(ctx context.Context, path string) ([]byte, error) {
	return tree.ReadFile(ctx, path, maxKey)
}

// newKey makes a key for a new log, or a new key for the log of an old one.
func newKey(path, origin, old string) ([]byte, error) {
	switch {
	case origin == "" && old != "":
		origin = audit.OriginOf(old)
	case origin == "":
		origin = "orchestrator/" + strings.ToLower(rand.Text()[:16]) // so that no two logs share one
	}
	private, err := audit.GenerateKey(rand.Reader, origin)
	if err != nil {
		return nil, err
	}
	return []byte(private), durable.WriteFile(path, 0o600, lineOf(private))
}

// writePublicKey keeps audit.pub, for whoever verifies the log, in step with the private key.
func writePublicKey(ctx context.Context, data, key string) error {
	path := filepath.Join(data, "audit.pub")
	if kept, err := ReadKeyFile(ctx, path); err == nil && strings.TrimSpace(string(kept)) == key {
		return nil
	}
	if err := durable.WriteFile(path, 0o644, lineOf(key)); err != nil {
		return KeyFileError(path, err)
	}
	return nil
}

func lineOf(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := fmt.Fprintln(w, text)
		return err
	}
}

func KeyFileError(path string, cause error) error {
	return fault.New(fault.Unavailable, "audit_key_unreadable", "the key of the log, %s, cannot be used", path).
		WithFix("put it back from a backup; a log keeps its key").Because(cause)
}
