package gitindex

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// An index as git itself writes it, in each version and with each digest.
func TestIndexOfGit(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		for format, digest := range map[string]int{"sha1": 20, "sha256": 32} {
			dir := t.TempDir()
			git := func(args ...string) {
				cmd := exec.Command("git", args...)
				cmd.Dir = dir
				said, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", said)
			}
			git("init", "-q", "--object-format="+format)
			for i := range 40 {
				name := filepath.Join(dir, "bin", fmt.Sprintf("%0*d", i+1, i))
				require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
				require.NoError(t, os.WriteFile(name, nil, 0o600))
			}
			git("add", ".")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "later"), nil, 0o600))
			git("add", "-N", "later") // sets a flag that version 2 has not
			if version != "3" {
				git("update-index", "--force-remove", "later")
			}
			git("update-index", "--index-version", version)
			index, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
			require.NoError(t, err)
			require.EqualValues(t, version[0]-'0', index[7], "the version that is meant is tested")
			for name, want := range map[string]bool{"bin/0": true, "bin/01": true, fmt.Sprintf("bin/%040d", 39): true,
				"bin": true, "bi": false, "bin/": false, "0": false, "bin/011": false, "later": version == "3"} {
				got, err := has(index, name, digest)
				require.NoError(t, err)
				require.Equal(t, want, got, "%s in version %s of %s", name, version, format)
			}
			for cut := range len(index) {
				_, err := has(index[:cut], "none", digest)
				require.ErrorIs(t, err, errUnreadable, "cut at %d", cut)
			}
			_, err = has(index, "none", 52-digest)
			require.ErrorIs(t, err, errUnreadable, "the other digest")
		}
	}
}

func has(index []byte, name string, digest int) (bool, error) {
	all, err := Have(index, []string{"no such file", name}, digest)
	return err == nil && all[1] && !all[0], err
}

// However many files and names there are, an index is gone through once, and nothing is kept of its entries.
func TestAnIndexIsReadOnce(t *testing.T) {
	const files = 1000
	for _, packed := range []bool{false, true} {
		index := indexOf(files, packed)
		names := []string{"src/file000999", "src", "src/file0009", "bin"}
		var got []bool
		most := testing.AllocsPerRun(5, func() {
			var err error
			got, err = Have(index, names, 20)
			require.NoError(t, err)
		})
		require.Equal(t, []bool{true, true, false, false}, got)
		require.Less(t, most, 10.0)
	}
}

// indexOf returns an index with so many files, of version 2, or of version 4 with packed names.
func indexOf(files int, packed bool) []byte {
	index := []byte("DIRC\x00\x00\x00\x02")
	if packed {
		index[7] = 4
	}
	index = binary.BigEndian.AppendUint32(index, uint32(files))
	for i := range files {
		name := fmt.Sprintf("src/file%06d", i)
		entry := make([]byte, stat+20+2)
		if packed && i > 0 {
			entry, name = append(entry, 6), name[len(name)-6:]
		} else if packed {
			entry = append(entry, 0)
		}
		entry = append(append(entry, name...), 0)
		for !packed && len(entry)%8 != 0 {
			entry = append(entry, 0)
		}
		index = append(index, entry...)
	}
	return append(index, make([]byte, 20)...)
}

func BenchmarkHave(b *testing.B) {
	index, names := indexOf(100_000, false), []string{"bin/app", "out/a", "out/b", "dist"}
	for b.Loop() {
		if _, err := Have(index, names, 20); err != nil {
			b.Fatal(err)
		}
	}
}

func TestIndexThatIsNotRead(t *testing.T) {
	head := func(version byte, n byte, rest ...byte) []byte {
		return append([]byte{'D', 'I', 'R', 'C', 0, 0, 0, version, 0, 0, 0, n}, rest...)
	}
	entry := make([]byte, 62)
	for name, index := range map[string][]byte{
		"nothing":               nil,
		"another file":          []byte("not an index, but long"),
		"version 1":             head(1, 0),
		"version 5":             head(5, 0),
		"no entry":              head(2, 1),
		"no name":               head(2, 1, entry...),
		"no padding":            head(2, 1, append(entry, 'a', 0)...),
		"no packed name":        head(4, 1, entry...),
		"cuts more than it has": head(4, 1, append(entry, 5, 'a', 0)...),
		"a number without end":  head(4, 1, append(entry, 0x80, 0x80)...),
		"a huge number":         head(4, 1, append(entry, 0xff, 0xff, 0xff, 0xff, 0)...),
		"no digest":             head(2, 0),
		"a split index":         append(head(2, 0, 'l', 'i', 'n', 'k', 0, 0, 0, 0), make([]byte, 20)...),
		"a huge extension":      append(head(2, 0, 'T', 'R', 'E', 'E', 0xff, 0, 0, 0), make([]byte, 20)...),
	} {
		_, err := has(index, "a", 20)
		require.ErrorIs(t, err, errUnreadable, name)
	}
	empty, err := has(head(2, 0, make([]byte, 20)...), "a", 20)
	require.NoError(t, err)
	require.False(t, empty)
}

func FuzzHave(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01"), "a")
	f.Fuzz(func(t *testing.T, index []byte, name string) {
		if is, err := has(index, name, 20); err != nil {
			require.False(t, is)
		}
	})
}
