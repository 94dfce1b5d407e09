// Package keyfile reads and writes the files of the key that signs the log.
package keyfile

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
)

// maxFile is the most bytes that a file with a key may have.
const maxFile = 4 << 10

// Read reads the private key of a log. The error is fs.ErrNotExist too where there is none.
func Read(ctx context.Context, path string) (audit.Signer, error) {
	private, err := tree.ReadFile(ctx, path, maxFile)
	if err != nil {
		return audit.Signer{}, unusable(path, err)
	}
	return signer(path, string(private))
}

// Make makes a private key for the log of that name. It returns the key once the file is durable.
func Make(path, origin string) (audit.Signer, error) {
	private, err := audit.GenerateKey(rand.Reader, origin)
	if err != nil {
		return audit.Signer{}, unusable(path, err)
	}
	if err := durable.WriteFile(path, 0o600, lineOf(private)); err != nil {
		return audit.Signer{}, unusable(path, err)
	}
	return signer(path, private)
}

func signer(path, private string) (audit.Signer, error) {
	s, err := audit.ParseSigner(strings.TrimSpace(private))
	if err != nil {
		return audit.Signer{}, unusable(path, err)
	}
	return s, nil
}

// WritePublic writes a public key, for whoever verifies the log, unless the file has it.
func WritePublic(ctx context.Context, path, key string) error {
	if kept, err := tree.ReadFile(ctx, path, maxFile); err == nil && strings.TrimSpace(string(kept)) == key {
		return nil
	}
	if err := durable.WriteFile(path, 0o644, lineOf(key)); err != nil {
		return unusable(path, err)
	}
	return nil
}

func lineOf(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := fmt.Fprintln(w, text)
		return err
	}
}

func unusable(path string, cause error) error {
	return fault.New(fault.Unavailable, "audit_key_unreadable", "the key of the log, %s, cannot be used", path).
		WithFix("put it back from a backup; a log keeps its key").Because(cause)
}
