package moving

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/operator/storage"
)

// Verifies: ORC-375
func TestWhatNamesAPlace(t *testing.T) {
	t.Chdir(t.TempDir())
	folder, err := os.Getwd()
	require.NoError(t, err)
	for text, want := range map[string]string{
		"bbolt:data":                        filepath.Join(folder, "data", "state.db"),
		"bbolt:data/state.db":               filepath.Join(folder, "data", "state.db"),
		"bbolt:/data":                       "/data/state.db",
		"postgres://ada@db/shop":            "postgres://db/shop?search_path=orchestrator",
		"postgres://db/shop?search_path=s1": "postgres://db/shop?search_path=s1",
	} {
		p, err := Find(t.Context(), Given{Flag: "from", Text: text, Typed: true})
		require.NoError(t, err, text)
		require.Equal(t, want, p.String())
	}
	require.NoError(t, os.WriteFile("url", []byte("postgres://ada:secret@db/shop\n"), 0o600))
	p, err := Find(t.Context(), Given{Flag: "from", File: "url"})
	require.NoError(t, err)
	require.Equal(t, "postgres://db/shop?search_path=orchestrator", p.String())
}

func TestWhatNamesNoPlace(t *testing.T) {
	password := "postgres://ada:secret@db/shop"
	for _, c := range []struct {
		given Given
		code  fault.Code
		fix   string
	}{
		{Given{}, fault.CodeUsage, "bbolt:.orchestrator"},
		{Given{Text: "bbolt:"}, fault.CodeUsage, "its path"},
		{Given{Text: "state.db"}, storage.CodePlace, "bbolt:"},
		{Given{Text: "mysql://db/shop"}, storage.CodePlace, "postgres://"},
		{Given{Text: password, Typed: true}, storage.CodePassword, "ORCHESTRATOR_TO"},
		{Given{Text: password, File: "url"}, fault.CodeUsage, "one of them"},
		{Given{File: "there is none"}, storage.CodePlace, "one line"},
	} {
		c.given.Flag = "to"
		_, err := Find(t.Context(), c.given)
		f := requireFault(t, err, c.code)
		require.Contains(t, f.Fix, c.fix)
		require.NotContains(t, f.Error()+f.Fix, "secret")
		require.NotContains(t, f.Error()+f.Fix, "--store")
	}
	_, err := Find(t.Context(), Given{Flag: "to", Text: password})
	require.NoError(t, err, "a variable may have a password")
}
