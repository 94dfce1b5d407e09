package auditor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
)

func TestAKeyIsGivenAsItIsOrInAFile(t *testing.T) {
	private, err := audit.GenerateKey(strings.NewReader(strings.Repeat("a", 64)), "example.org/shop")
	require.NoError(t, err)
	signer, err := audit.ParseSigner(private)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "audit.pub")
	require.NoError(t, os.WriteFile(file, []byte(signer.Key+"\n"), 0o600))
	for given, want := range map[string]string{"": "", signer.Key: signer.Key, " " + signer.Key + "\n": signer.Key,
		file: signer.Key} {
		key, err := ReadKey(t.Context(), given)
		require.NoError(t, err, given)
		require.Equal(t, want, key)
	}
	require.NoError(t, os.WriteFile(file, []byte("no key"), 0o600))
	for _, given := range []string{file, file + ".none", "example.org/shop+00000000+AAAA"} {
		_, err := ReadKey(t.Context(), given)
		require.ErrorIs(t, err, fault.Invalid, given)
	}
}

func TestKeptCheckpointsAreReadByTheirNames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "last-week.checkpoint")
	require.NoError(t, os.WriteFile(file, []byte("note"), 0o600))
	kept, err := ReadKept(t.Context(), []string{file})
	require.NoError(t, err)
	require.Equal(t, []Kept{{Name: file, Signed: []byte("note")}}, kept)
	_, err = ReadKept(t.Context(), []string{file, file + ".none"})
	require.True(t, fault.Is(err, CodeCheckpointUnreadable))
}
