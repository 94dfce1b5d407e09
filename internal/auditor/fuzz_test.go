package auditor

import (
	"bytes"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzOpenBundle reads whatever somebody calls a bundle. What passes under the right key is the log that was signed.
func FuzzOpenBundle(f *testing.F) {
	l := short(f)
	good := packed(f, l.copy().lay(f))
	root, key := l.ledger.Head().Root, l.signer.Key
	f.Add(good)
	f.Add(good[:len(good)-30])
	f.Fuzz(func(t *testing.T, content []byte) {
		r, err := verifyFile(t, content, Options{Key: key})
		if err == nil {
			require.Equal(t, root, r.Root)
		}
	})
}

// FuzzVerify replaces one file of a log: the checksums of the ZIP file do not keep the fuzzer out.
func FuzzVerify(f *testing.F) {
	l := short(f)
	good := l.copy().lay(f)
	paths := slices.Sorted(maps.Keys(good))
	for i, path := range paths {
		f.Add(uint8(i), good[path])
		f.Add(uint8(i), good[path][:len(good[path])/2])
	}
	f.Fuzz(func(t *testing.T, which uint8, content []byte) {
		log := maps.Clone(good)
		path := paths[int(which)%len(paths)]
		log[path] = content
		_, err := Verify(t.Context(), log, Options{})
		if same := bytes.Equal(content, good[path]); err == nil && !same {
			require.Contains(t, []string{pathCheckpoint, pathState}, path, "foreign signatures, or another moment")
		} else if same {
			require.NoError(t, err)
		}
		_, _ = WriteBundle(t.Context(), io.Discard, log, nil)
	})
}

// TestFlippedBytesOfABundle flips single bytes of the ZIP file itself. What passes all the same has every file as it
// was: the byte said nothing of the log, as the date of an entry does.
func TestFlippedBytesOfABundle(t *testing.T) {
	good := wholeWorld(t).log.lay(t)
	var zipped bytes.Buffer
	_, err := WriteBundle(t.Context(), &zipped, good, nil)
	require.NoError(t, err)
	found := 0
	for i := range cases() {
		rnd := rand.New(rand.NewPCG(uint64(i), 1))
		spoiled := flip(rnd, zipped.Bytes())
		if i%2 == 0 { // the directory of the ZIP file is small, and has its share
			spoiled = bytes.Clone(zipped.Bytes())
			end := len(spoiled) - 1200
			spoiled = append(spoiled[:end:end], flip(rnd, spoiled[end:])...)
		}
		if _, err := verifyFile(t, spoiled, Options{}); err != nil {
			found++
			continue
		}
		path := filepath.Join(t.TempDir(), "log.zip")
		require.NoError(t, os.WriteFile(path, spoiled, 0o600))
		b, err := OpenBundle(path)
		require.NoError(t, err)
		require.Equal(t, slices.Sorted(maps.Keys(good)), b.Files(), "case %d", i)
		for path, content := range good {
			got, err := b.Read(t.Context(), path)
			require.NoError(t, err)
			require.Equal(t, content, got, "case %d, %s", i, path)
		}
		require.NoError(t, b.Close())
	}
	t.Logf("%d of %d flipped bytes were found; the others changed no file", found, cases())
	require.Greater(t, found, cases()/2)
}
