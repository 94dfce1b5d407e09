// Package backup writes a log into one file from which the whole service can be restored, and restores it.
//
// A backup is a bundle of package auditor, which anybody can verify, and besides what the log does not have:
// backup.json, and under private/ the key that signs the log and the hashes of the tokens. It is taken from a running
// service in short reads; the log only grows, so that the file is the log of one moment whatever is written meanwhile.
//
// A restore verifies the backup and rebuilds the database beside its place; what is there is touched only when the new
// one has been read back whole, and is kept.
package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
)

// maxPrivate is the most bytes that a private file of the data folder may have.
const maxPrivate = 16 << 20

// inBackup is the path of a private file of the data folder in a backup.
var inBackup = map[string]string{datadir.Key: auditor.PathKey, datadir.PublicKey: auditor.PathPublicKey,
	datadir.Tokens: auditor.PathTokens}

// about is backup.json.
type about struct {
	TakenAt time.Time `json:"taken_at"`
}

// WriteOptions of Write.
type WriteOptions struct {
	Folder   string                // the data folder, from which private files are taken; "" takes none
	Store    storage.Place         // where the log lies, which has the tokens if several processes share it
	TakenAt  time.Time             // before anything was read
	Decide   bool                  // verify the written file as an outsider would, every decision too
	Progress func(done, total int) // of the records as they are written; may be nil
}

// Written is what was written.
type Written struct {
	Path      string     `json:"path"`
	Displaced string     `json:"displaced,omitempty"` // what stood at Path and was no regular file
	Origin    string     `json:"origin"`
	Records   uint64     `json:"records"`
	Root      audit.Hash `json:"root"`
	TakenAt   time.Time  `json:"taken_at"`
	Bytes     int64      `json:"bytes"`
	SHA256    string     `json:"sha256"`
	Private   []string   `json:"private"`           // the files of the data folder that it has
	Without   string     `json:"without,omitempty"` // why it lacks some of them
	Checked   string     `json:"checked"`           // hashes, or decisions
}

// Write writes a backup with mode 0600. The file takes the place of another only when it has been read back, every byte
// of it, and is the signed log.
//
// Implements: ORC-104
func Write(ctx context.Context, path string, src auditor.Source, o WriteOptions) (Written, error) {
	w := Written{Path: path, TakenAt: o.TakenAt.UTC().Truncate(time.Second), Private: []string{}, Checked: "hashes"}
	if o.Decide {
		w.Checked = "decisions"
	}
	besides, err := w.besides(ctx, src, o)
	if err != nil {
		return w, err
	}
	w.Displaced, err = durable.Replace(path, tree.Write{
		Perm: 0o600,
		Content: func(to io.Writer) error {
			c, err := auditor.WriteBundle(ctx, to, src, o.Progress, besides...)
			w.Origin, w.Records, w.Root = c.Origin, c.Size, c.Root
			return err
		},
		Check: func(written string) error { return w.readBack(ctx, written, besides, o.Decide) },
	})
	return w, notWritten(path, err)
}

// notWritten gives an error of the disk a remedy; the others have one.
func notWritten(path string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if f := fault.As(err); f != nil {
		return f
	}
	return fault.New(fault.Unavailable, "backup_not_written",
		"the backup %s was not written; what was there before is as it was", path).
		WithFix("name a file in a folder that exists and can be written to, with enough room on its disk").Because(err)
}

// besides returns the files that are no part of the log.
func (w *Written) besides(ctx context.Context, src auditor.Source, o WriteOptions) ([]auditor.File, error) {
	folder := o.Folder
	raw, err := json.Marshal(about{w.TakenAt})
	if err != nil {
		return nil, err
	}
	all := []auditor.File{{Path: auditor.PathAbout, Content: append(raw, '\n')}}
	if folder == "" {
		w.Without = "it was told to leave the keys out"
		return all, nil
	}
	key, err := auditor.Key(ctx, src)
	if err != nil {
		return nil, err
	}
	if w.Without, err = keepsKey(ctx, folder, key); err != nil || w.Without != "" {
		return all, err
	}
	for _, name := range []string{datadir.Key, datadir.PublicKey, datadir.Tokens} {
		content, err := o.private(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, privateUnreadable(filepath.Join(folder, name), err)
		}
		all, w.Private = append(all, auditor.File{Path: inBackup[name], Content: content}), append(w.Private, name)
	}
	return all, nil
}

// private returns a private file of the data folder. Tokens that several processes share are in the store.
func (o WriteOptions) private(ctx context.Context, name string) ([]byte, error) {
	if name == datadir.Tokens && o.Store.IsShared() {
		return database.Tokens(ctx, o.Store)
	}
	return tree.ReadFile(ctx, filepath.Join(o.Folder, name), maxPrivate)
}

// keepsKey returns why a folder is not taken for that of the log; "" when it has the key that signs it.
func keepsKey(ctx context.Context, folder, key string) (without string, err error) {
	path := datadir.Dir(folder).Key()
	private, err := tree.ReadFile(ctx, path, maxPrivate)
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no " + path, nil
	}
	if err != nil {
		return "", privateUnreadable(path, err)
	}
	if !signs(private, key) {
		return path + " is not the key of this log", nil
	}
	return "", nil
}

// signs reports whether a private key is the one of a public key.
func signs(private []byte, public string) bool {
	signer, err := audit.ParseSigner(strings.TrimSpace(string(private)))
	return err == nil && signer.Key == public
}

func privateUnreadable(path string, cause error) error {
	return fault.New(fault.Unavailable, "private_unreadable", "%s cannot be read", path).
		WithFix("run as the user that the service runs as, or leave the private files out with --without-keys").
		Because(cause)
}

// readBack reads the written file whole.
func (w *Written) readBack(ctx context.Context, written string, besides []auditor.File, decide bool) error {
	bundle, err := auditor.OpenBundle(written)
	if err != nil {
		return err
	}
	defer bundle.Close()
	report, err := auditor.Verify(ctx, bundle, auditor.Options{HashesOnly: !decide})
	if err == nil && (report.Records != w.Records || report.Root != w.Root) {
		err = readDiffers("it has %d records with the root %s", report.Records, report.Root)
	}
	for _, f := range besides {
		content, failed := bundle.Read(ctx, f.Path)
		if failed == nil && !bytes.Equal(content, f.Content) {
			failed = readDiffers("%s is another", f.Path)
		}
		err = errors.Join(err, failed)
	}
	if err == nil {
		w.SHA256, w.Bytes, err = bundle.SHA256()
	}
	return err
}

func readDiffers(format string, args ...any) error {
	return fault.New(fault.Unavailable, "backup_differs", "what was read back is not what was written: %s",
		fmt.Sprintf(format, args...)).
		WithFix("look at the disk, and write the backup again")
}
