package apiclient

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
)

// Verifies: ORC-156
func TestATokenGoesWhereItWasSavedFor(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	require.NoError(t, os.Mkdir(data.TokenDir(), 0o700))
	file := data.Token("shop")
	require.NoError(t, os.WriteFile(file, []byte("orc_viewer_1\n"), 0o600))
	try := func(server string) error {
		_, err := New(Options{Server: server, TokenIn: string(data), TokenFile: file, Saved: data})
		return err
	}
	require.ErrorContains(t, try("https://shop.example.org"), "was not saved for it")
	require.NoError(t, SaveToken(data, file, "https://shop.example.org"))
	require.NoError(t, SaveToken(data, file, "https://shop.example.org:443/"))
	require.NoError(t, try("https://SHOP.example.org/"))
	for _, other := range []string{"http://shop.example.org", "https://shop.example.org:444", "https://shop.example.org/x",
		"https://evil.example.org"} {
		require.ErrorContains(t, try(other), "was not saved for it", other)
	}
	_, err := New(Options{Server: "https://shop.example.org", Token: "orc_viewer_2", Saved: data})
	require.ErrorContains(t, err, "was not saved for it", "another token")
	require.NotContains(t, err.Error(), "orc_viewer_2")

	require.Error(t, SaveToken(data, data.Token("gone"), "https://shop.example.org"))
	require.Error(t, SaveToken(data, file, "https://"))
	require.NoError(t, os.Remove(savedPath(data)))
	require.NoError(t, os.Symlink(filepath.Join(t.TempDir(), "x"), savedPath(data)))
	require.Error(t, try("https://shop.example.org"))
}

func TestFewOfTheSavedAddressesAreForgotten(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	require.NoError(t, os.Mkdir(data.TokenDir(), 0o700))
	require.NoError(t, os.WriteFile(data.Token("shop"), []byte("orc_viewer_1\n"), 0o600))
	lines := make([]byte, 0, 2*maxSavedLines)
	for range maxSavedLines {
		lines = append(lines, "a\n"...)
	}
	require.NoError(t, os.WriteFile(savedPath(data), lines, 0o600))
	require.NoError(t, SaveToken(data, data.Token("shop"), "https://shop.example.org"))
	kept, err := savedLines(data)
	require.NoError(t, err)
	require.Len(t, kept, maxSavedLines)
	require.NotEqual(t, "a", kept[maxSavedLines-1])
}
