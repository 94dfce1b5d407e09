package onefile_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store/onefile"
)

func write(t *testing.T, content []byte) string {
	path := newPath(t)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

func wantRefused(t *testing.T, path, code string, opts onefile.Options) {
	t.Helper()
	before, _ := os.ReadFile(path)
	s, err := onefile.Open(path, opts)
	if err == nil {
		_ = s.Close()
	}
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.ErrorIs(t, err, fault.Unavailable)
	require.Equal(t, code, string(f.Code), "%v", err)
	require.Contains(t, f.Detail, path)
	require.NotEmpty(t, f.Fix)
	after, _ := os.ReadFile(path)
	require.True(t, bytes.Equal(before, after), "it was changed")
}

func TestBadFiles(t *testing.T) {
	good := filled(t)
	text := []byte(strings.Repeat("# Requirements\n", 2000))
	flipped := func(at ...int) []byte {
		b := bytes.Clone(good)
		for _, i := range at {
			b[i] ^= 0xFF
		}
		return b
	}
	for name, c := range map[string]struct {
		content []byte
		code    string
	}{
		"empty":                     {nil, "store_empty_file"},
		"text":                      {text, "store_foreign"},
		"short text":                {text[:20], "store_foreign"},
		"zeros":                     {make([]byte, 1<<16), "store_foreign"},
		"both magics flipped":       {flipped(16, pageSize+16), "store_foreign"},
		"both heads flipped":        {flipped(40, pageSize+40), "store_damaged"},
		"magic and head flipped":    {flipped(16, pageSize+40), "store_damaged"},
		"cut in the first head":     {good[:60], "store_foreign"},
		"cut after the first head":  {good[:pageSize], "store_damaged"},
		"cut after both heads":      {good[:2*pageSize], "store_damaged"},
		"cut in the middle":         {good[:len(good)/2], "store_damaged"},
		"cut in the last page":      {good[:len(good)-1], "store_damaged"},
		"cut before the last page":  {good[:len(good)-pageSize], "store_damaged"},
		"zeros after the two heads": {append(bytes.Clone(good[:2*pageSize]), make([]byte, len(good))...), "store_damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			wantRefused(t, write(t, c.content), c.code, onefile.Options{})
			wantRefused(t, write(t, c.content), c.code, onefile.Options{ReadOnly: true})
		})
	}
	t.Run("directory", func(t *testing.T) { wantRefused(t, t.TempDir(), "store_not_file", onefile.Options{}) })
	t.Run("no folder", func(t *testing.T) {
		wantRefused(t, filepath.Join(t.TempDir(), "no", "state.db"), "store_missing", onefile.Options{})
	})
	t.Run("missing", func(t *testing.T) {
		path := newPath(t)
		wantRefused(t, path, "store_missing", onefile.Options{ReadOnly: true})
		require.NoFileExists(t, path)
	})
	t.Run("no permission", func(t *testing.T) {
		if os.Getuid() == 0 {
			t.Skip("nothing is forbidden to root")
		}
		path := write(t, good)
		require.NoError(t, os.Chmod(path, 0o400))
		wantRefused(t, path, "store_denied", onefile.Options{})
	})
}

func TestNewFile(t *testing.T) {
	path := newPath(t)
	var wg sync.WaitGroup
	for range 8 { // at once: one opens it, the others find it locked
		wg.Go(func() {
			s, err := onefile.Open(path, onefile.Options{LockTimeout: 200 * time.Millisecond})
			if err != nil {
				var f *fault.Error
				if !errors.As(err, &f) || f.Code != "store_locked" {
					t.Error(err)
				}
				return
			}
			time.Sleep(300 * time.Millisecond)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.NoError(t, open(t, path).Check())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing is left beside it")
}

func holdLock(path string) error {
	s, err := onefile.Open(path, onefile.Options{})
	if err != nil {
		return err
	}
	fmt.Println("held")
	time.Sleep(10 * time.Minute) // until it is killed
	return s.Close()
}

func TestLocked(t *testing.T) {
	t.Run("by this process", func(t *testing.T) {
		path := newPath(t)
		s := open(t, path)
		wantRefused(t, path, "store_locked", onefile.Options{LockTimeout: 100 * time.Millisecond})
		wantRefused(t, path, "store_locked", onefile.Options{LockTimeout: 100 * time.Millisecond, ReadOnly: true})
		require.NoError(t, put(s, "a", "still works"))
	})
	t.Run("by another process", func(t *testing.T) {
		path := newPath(t)
		cmd, lines := start(t, "hold", path)
		require.True(t, lines.Scan())
		wantRefused(t, path, "store_locked", onefile.Options{})
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		open(t, path)
	})
}

func TestReadOnly(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	require.NoError(t, put(s, "a", "1"))
	require.NoError(t, s.Close())
	for range 2 { // both at once
		s, err := onefile.Open(path, onefile.Options{ReadOnly: true})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		require.True(t, has(t, s, "a"))
		require.NoError(t, s.Check())
		err = put(s, "a", "2")
		require.ErrorIs(t, err, fault.Unavailable)
	}
	wantRefused(t, path, "store_locked", onefile.Options{LockTimeout: 100 * time.Millisecond})
}
