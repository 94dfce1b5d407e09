package token

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
)

// Tokens of a file are those of a store when the log moves there, and back; minted ones end.
//
// Verifies: ORC-375
func TestTokensMoveWithTheLog(t *testing.T) {
	dir := datadir.Dir(t.TempDir())
	f := NewFile(dir)
	now := time.Now()
	_, ada, err := f.Add("ada", "coder", now.Add(time.Hour), now)
	require.NoError(t, err)
	_, _, err = f.Add("paula", "pm", time.Time{}, now)
	require.NoError(t, err)
	content, err := os.ReadFile(f.Path())
	require.NoError(t, err)

	raw, err := SharedOf(f.Path(), content)
	require.NoError(t, err)
	back, err := FileOf(raw)
	require.NoError(t, err)
	require.Equal(t, string(content), string(back))

	set, err := decodeShared(raw)
	require.NoError(t, err)
	set.Tokens[0].Minted = &Bound{}
	raw, err = encodeShared(set)
	require.NoError(t, err)
	back, err = FileOf(raw)
	require.NoError(t, err)
	left, err := decode("", back)
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.NotEqual(t, ada.ID, left[0].ID)

	_, err = SharedOf("tokens.json", []byte("{}x"))
	requireFault(t, err, "malformed", "tokens_malformed")
	_, err = FileOf([]byte("[]"))
	requireFault(t, err, "malformed", "tokens_malformed")
}
