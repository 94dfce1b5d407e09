package onefile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/onefile"
)

// attacks are what can be done to an open file from outside, with the code of the failure.
var attacks = map[string]struct {
	code string
	do   func(path string) error
}{
	"remove":                   {"store_lost", os.Remove},
	"rename":                   {"store_lost", func(path string) error { return os.Rename(path, path+".away") }},
	"replace by a copy":        {"store_lost", replaceByCopy},
	"replace by a link to it":  {"store_lost", replaceByLink},
	"replace by another":       {"store_lost", func(path string) error { return os.Rename(other(path), path) }},
	"replace by a folder":      {"store_lost", func(path string) error { _ = os.Remove(path); return os.Mkdir(path, 0o700) }},
	"rename the folder":        {"store_lost", func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".away") }},
	"swap the folder":          {"store_lost", swapFolder},
	"truncate to nothing":      {"store_damaged", func(path string) error { return os.Truncate(path, 0) }},
	"truncate to a page":       {"store_damaged", func(path string) error { return os.Truncate(path, pageSize) }},
	"truncate by a page":       {"store_damaged", func(path string) error { return os.Truncate(path, 3*pageSize) }},
	"truncate within a page":   {"store_damaged", func(path string) error { return os.Truncate(path, 3*pageSize+100) }},
	"clear the heads":          {"store_damaged", smash(0, 2, 0)},
	"clear one head":           {"store_damaged", smash(0, 1, 0)},
	"smash the other head":     {"store_damaged", smash(1, 1, 0xFF)},
	"smash all but the heads":  {"store_damaged", smash(2, 8, 0xFF)},
	"clear all but the heads":  {"store_damaged", smash(2, 8, 0)},
	"put an older state there": {"store_damaged", putOlder},
}

func other(path string) string {
	name := path + ".other"
	_ = os.WriteFile(name, []byte("other"), 0o600)
	return name
}

func replaceByCopy(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".copy", b, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".copy", path)
}

func replaceByLink(path string) error {
	if err := os.Rename(path, path+".away"); err != nil {
		return err
	}
	return os.Symlink(path+".away", path)
}

// swapFolder puts a folder in the place of the other that holds the very same file.
func swapFolder(path string) error {
	dir := filepath.Dir(path)
	if err := os.Rename(dir, dir+".away"); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return os.Link(filepath.Join(dir+".away", filepath.Base(path)), path)
}

func smash(page, pages int, by byte) func(string) error {
	return func(path string) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteAt(bytes.Repeat([]byte{by}, pages*pageSize), int64(page*pageSize))
		return err
	}
}

// putOlder writes what the file was before its last commits back into it.
func putOlder(path string) error {
	b, err := os.ReadFile(path + ".older")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt(b, 0)
	return err
}

// attacked is a store of some pages, in a folder of its own.
func attacked(t *testing.T) (s *onefile.Store, path string) {
	path = filepath.Join(t.TempDir(), "data", "state.db")
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	s, err := onefile.Open(path, onefile.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	for i := range 4 {
		require.NoError(t, put(s, fmt.Sprint(i), string(make([]byte, 3*pageSize))))
		if i == 1 {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path+".older", b, 0o600))
		}
	}
	return s, path
}

func wantEnded(t *testing.T, s *onefile.Store, code string) {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, s.Err(), &f)
	require.Equal(t, code, string(f.Code), "%v", s.Err())
	require.NotEmpty(t, f.Fix)
	<-s.Failed()
	require.NoError(t, wantStopped(s, s.Err()))
}

// After a failed commit nothing is served, and Close still returns.
func wantStopped(s *onefile.Store, first error) error {
	_, view := get(s, "a")
	for _, err := range []error{first, view, put(s, "a", "again"), s.Check()} {
		if !errors.Is(err, store.ErrCommit) || !errors.Is(err, fault.Unavailable) {
			return fmt.Errorf("not refused: %w", err)
		}
	}
	return s.Close()
}

// A change that comes after the file was taken away or damaged is not confirmed, and ends the store.
func TestChangeOfAnAttackedFile(t *testing.T) {
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			s, path := attacked(t)
			require.NoError(t, attack.do(path))
			if err := put(s, "a", "1"); err == nil {
				<-s.Failed() // a page that this change did not need is looked at within a second
			}
			wantEnded(t, s, attack.code)
		})
	}
}

// So it does without a change.
func TestIdleOnAnAttackedFile(t *testing.T) {
	stores := map[string]*onefile.Store{}
	for name, attack := range attacks {
		s, path := attacked(t)
		require.NoError(t, attack.do(path))
		stores[name] = s
	}
	for name, s := range stores {
		t.Run(name, func(t *testing.T) {
			select {
			case <-s.Failed():
			case <-time.After(time.Minute):
				t.Fatal("it was not noticed")
			}
			wantEnded(t, s, attacks[name].code)
		})
	}
}

// A read that comes first is refused too, unless it can be answered in full.
func TestReadOfAnAttackedFile(t *testing.T) {
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			s, path := attacked(t)
			require.NoError(t, attack.do(path))
			if _, err := get(s, "0"); err == nil {
				<-s.Failed()
			}
			wantEnded(t, s, attack.code)
		})
	}
}

// What happens between the look before a commit and its end is found before the commit is confirmed.
func TestAttackWithinACommit(t *testing.T) {
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			s, path := attacked(t)
			once := false
			err := s.Update(context.Background(), func(tx store.Tx) error {
				if !once {
					once = true
					require.NoError(t, attack.do(path))
				}
				return tx.Put("t", "a", []byte("1"))
			})
			if err == nil && attack.code == "store_lost" {
				t.Fatal("it was confirmed")
			}
			if err == nil {
				s.Look()
				if s.Err() == nil {
					s.WalkForeign()
				}
			}
			if name == "clear one head" && s.Err() == nil { // it was the one that the commit wrote
				require.NoError(t, s.Check())
				require.True(t, has(t, s, "a"))
				return
			}
			wantEnded(t, s, attack.code)
		})
	}
}

// What changes nothing of what was confirmed ends nothing.
func TestHarmlessToAnOpenFile(t *testing.T) {
	for name, do := range map[string]func(path string) error{
		"chmod":         func(path string) error { return os.Chmod(path, 0) },
		"touch":         func(path string) error { return os.Chtimes(path, time.Now(), time.Now().Add(time.Hour)) },
		"a second name": func(path string) error { return os.Link(path, path+".second") },
		"a file beside": func(path string) error { return os.WriteFile(path+".beside", nil, 0o600) },
		"cut what is set aside": func(path string) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			return os.Truncate(path, info.Size()-pageSize)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, path := attacked(t)
			require.NoError(t, do(path))
			s.Look()
			if s.Foreign() {
				s.WalkForeign()
			}
			require.False(t, s.Foreign())
			require.NoError(t, s.Err())
			require.NoError(t, put(s, "large", string(make([]byte, 3*mega))))
			require.NoError(t, s.Check())
		})
	}
}

// A path that was a link when the file was opened may be one.
func TestLinkAtTheStart(t *testing.T) {
	real := newPath(t)
	open(t, real)
	link := newPath(t)
	require.NoError(t, os.Symlink(real, link))
	copied, err := os.ReadFile(real)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "state.db")
	require.NoError(t, os.WriteFile(path, copied, 0o600))
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink(path, link))
	s, err := onefile.Open(link, onefile.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	require.NoError(t, put(s, "a", "1"))
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink(real, link))
	require.ErrorIs(t, put(s, "a", "2"), store.ErrCommit)
	wantEnded(t, s, "store_lost")
}
