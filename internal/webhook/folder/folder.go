// Package folder keeps the webhooks of a data folder in files: webhooks.json says which there are, and below webhooks/
// each has NAME.secret, with which messages are signed, and NAME.json, how far it has come.
//
// The service and commands read and write them at the same time: each change is made under a lock, and a reader sees a
// file before or after a change. All have mode 0600.
package folder

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
	"orchestrator/internal/webhook/hook"
)

const (
	maxRoster   = 4 << 20 // bytes of each file
	maxProgress = 1 << 20
	maxSecret   = 4 << 10
	lockWait    = 5 * time.Second

	secretEnd, progressEnd, lockEnd = ".secret", ".json", ".lock"
)

// The codes of files that cannot be used.
const (
	codeLocked   fault.Code = "webhooks_locked"
	codeProgress fault.Code = "webhook_progress"
)

// Folder is the webhooks of one data folder.
type Folder struct{ dir datadir.Dir }

// In names the webhooks of a data folder without touching them.
func In(dir datadir.Dir) Folder { return Folder{dir} }

// SecretPath returns the file with the secret of a hook.
func (f Folder) SecretPath(name string) string { return f.path(name, secretEnd) }

func (f Folder) path(name, end string) string { return filepath.Join(f.dir.WebhookDir(), name+end) }

// Read returns the bytes of the roster, to see whether they have changed; nil where there is none.
func (f Folder) Read(ctx context.Context) ([]byte, error) {
	data, err := tree.ReadFile(ctx, f.dir.Webhooks(), maxRoster)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// Roster returns the hooks that there are.
func (f Folder) Roster(ctx context.Context) (hook.Roster, error) {
	data, err := f.Read(ctx)
	if err != nil {
		return nil, err
	}
	return f.Decode(data)
}

// Decode reads the bytes of the roster.
func (f Folder) Decode(data []byte) (hook.Roster, error) {
	if data == nil {
		return hook.Roster{}, nil
	}
	return hook.Decode(f.dir.Webhooks(), data)
}

// Add adds a hook with the text of its secrets.
func (f Folder) Add(ctx context.Context, h hook.Hook, secrets string) error {
	if _, err := hook.ParseSecrets(secrets); err != nil {
		return err
	}
	return f.change(ctx, func(r hook.Roster) (hook.Roster, error) {
		next, err := r.Add(h)
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(f.dir.WebhookDir(), 0o700); err != nil {
			return nil, err
		}
		return next, write(f.SecretPath(h.Name), []byte(strings.TrimSpace(secrets)+"\n"))
	})
}

// Remove removes a hook with its files, and returns it.
func (f Folder) Remove(ctx context.Context, name string) (gone hook.Hook, err error) {
	err = f.change(ctx, func(r hook.Roster) (hook.Roster, error) {
		if gone, err = r.Find(name); err != nil {
			return nil, err
		}
		return r.Remove(name)
	})
	if err == nil {
		err = f.remove(name, secretEnd, progressEnd)
	}
	return gone, err
}

func (f Folder) remove(name string, ends ...string) (err error) {
	for _, end := range ends {
		if one := os.Remove(f.path(name, end)); !errors.Is(one, fs.ErrNotExist) {
			err = errors.Join(err, one)
		}
	}
	return err
}

// Sweep removes how far hooks have come that are not in a roster: a service may have written it when one had been
// removed. A secret is left alone, since the hook may have been added again meanwhile.
func (f Folder) Sweep(of hook.Roster) error {
	entries, err := os.ReadDir(f.dir.WebhookDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		name, is := strings.CutSuffix(e.Name(), progressEnd)
		if is && !slices.ContainsFunc(of, func(h hook.Hook) bool { return h.Name == name }) {
			err = errors.Join(err, f.remove(name, progressEnd))
		}
	}
	return err
}

// change changes the roster under its lock.
func (f Folder) change(ctx context.Context, fn func(hook.Roster) (hook.Roster, error)) error {
	return locked(f.dir.Webhooks(), func() error {
		r, err := f.Roster(ctx)
		if err != nil {
			return err
		}
		if r, err = fn(r); err != nil {
			return err
		}
		data, err := r.Encode()
		if err != nil {
			return err
		}
		return write(f.dir.Webhooks(), data)
	})
}

// Secrets returns with what the messages of a hook are signed.
func (f Folder) Secrets(ctx context.Context, name string) (hook.Secrets, error) {
	text, err := f.SecretText(ctx, f.SecretPath(name))
	if err != nil {
		return nil, err
	}
	return hook.ParseSecrets(text)
}

// SecretText reads a file with secrets.
func (f Folder) SecretText(ctx context.Context, path string) (string, error) {
	data, err := tree.ReadFile(ctx, path, maxSecret)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fault.New(fault.Invalid, hook.CodeSecret, "the file %s with the secret cannot be read", path).
			WithFix("put it back, or remove the webhook and add it again").Because(err)
	}
	return string(data), nil
}

// Progress returns how far a hook has come; found is false where it has not begun.
func (f Folder) Progress(ctx context.Context, h hook.Hook) (p hook.Progress, found bool, err error) {
	path := f.path(h.Name, progressEnd)
	data, err := tree.ReadFile(ctx, path, maxProgress)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, false, nil
	case ctx.Err() != nil:
		return p, false, ctx.Err() // which says nothing of the file
	case err == nil:
		err = jsonv2.Unmarshal(data, &p, jsonv2.RejectUnknownMembers(true))
	}
	if err != nil {
		return p, false, fault.New(fault.Malformed, codeProgress, "the file %s cannot be used", path).
			WithFix("remove it: what the webhook was told since it was added is then told again").Because(err)
	}
	return p, p.Hook == h.ID, nil
}

// Advance changes how far a hook has come, which begins with start, and returns it when it is durable.
func (f Folder) Advance(ctx context.Context, h hook.Hook, start uint64,
	change func(*hook.Progress) error) (p hook.Progress, err error) {
	if err := os.MkdirAll(f.dir.WebhookDir(), 0o700); err != nil {
		return p, err
	}
	path := f.path(h.Name, progressEnd)
	err = locked(path, func() error {
		found := false
		if p, found, err = f.Progress(ctx, h); err != nil {
			return err
		}
		if !found {
			p = hook.Progress{Hook: h.ID, Next: start}
		}
		if err := change(&p); err != nil {
			return err
		}
		data, err := jsonv2.Marshal(p, jsonv2.Deterministic(true))
		if err != nil {
			return err
		}
		return write(path, append(data, '\n'))
	})
	return p, err
}

// locked runs fn while nobody else changes a file.
func locked(path string, fn func() error) error {
	unlock, err := durable.Lock(path+lockEnd, lockWait)
	switch {
	case errors.Is(err, durable.ErrLocked):
		return fault.New(fault.Unavailable, codeLocked, "another process holds %s", path).
			WithFix("try again; if it lasts, find the process with `lsof %s%s`", path, lockEnd)
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.NotFound, "data_folder_missing", "there is no data folder %s", filepath.Dir(path)).
			WithFix("give the folder that the service uses, or run orchestrator init to make it")
	case err != nil:
		return err
	}
	defer unlock()
	return fn()
}

func write(path string, data []byte) error {
	return durable.WriteFile(path, 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(data))
		return err
	})
}
