package token

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
)

func TestBootstrapMakesWorkingTokens(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	f := NewFile(datadir.Dir(dir))
	created, err := f.Bootstrap(roles, noon)
	require.NoError(t, err)
	require.Len(t, created, len(roles))
	requireMode(t, 0o700, dir)
	requireMode(t, 0o700, filepath.Join(dir, "tokens"))

	a, err := NewAuthenticator(f, Limit{})
	require.NoError(t, err)
	for _, role := range roles {
		path := created[role]
		require.Equal(t, filepath.Join(dir, "tokens", role+".token"), path)
		requireMode(t, 0o600, path)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		secret, newline := strings.CutSuffix(string(data), "\n")
		require.True(t, newline)
		got, err := a.Authenticate(secret, noon)
		require.NoError(t, err)
		require.Equal(t, role, got.Role)
		require.Equal(t, role, got.Name)
		require.True(t, got.Expires.IsZero())
	}
}

func TestBootstrapDoesNothingTwice(t *testing.T) {
	f := newFile(t)
	created, err := f.Bootstrap(roles, noon)
	require.NoError(t, err)
	require.NoError(t, os.Remove(created["pm"])) // people move the secret elsewhere
	before, err := f.List()
	require.NoError(t, err)

	created, err = f.Bootstrap(roles, noon)
	require.NoError(t, err)
	require.Nil(t, created)
	require.NoFileExists(t, filepath.Join(string(f.dir), "tokens", "pm.token"))
	after, err := f.List()
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestBootstrapLeavesABrokenFileAlone(t *testing.T) {
	f := newFile(t)
	require.NoError(t, os.WriteFile(f.Path(), nil, 0o600))
	created, err := f.Bootstrap(roles, noon)
	require.NoError(t, err)
	require.Nil(t, created)
}

// A folder in the place of the last secret stops Bootstrap half way, as a crash would.
func TestBootstrapStartsAnewAfterAFailure(t *testing.T) {
	f := newFile(t)
	obstacle := filepath.Join(string(f.dir), "tokens", "viewer.token")
	require.NoError(t, os.MkdirAll(obstacle, 0o755))
	_, err := f.Bootstrap(roles, noon)
	require.ErrorContains(t, err, obstacle)
	require.NoFileExists(t, f.Path())
	require.FileExists(t, filepath.Join(string(f.dir), "tokens", "pm.token"))

	require.NoError(t, os.Remove(obstacle))
	require.NoError(t, os.Chmod(filepath.Dir(obstacle), 0o755))
	created, err := f.Bootstrap(roles, noon)
	require.NoError(t, err)
	require.Len(t, created, len(roles))
	requireMode(t, 0o700, filepath.Dir(obstacle))
	secret, err := os.ReadFile(created["pm"])
	require.NoError(t, err)
	tokens, err := f.List()
	require.NoError(t, err)
	require.Equal(t, tokens[0].SHA256, digest(strings.TrimSpace(string(secret))))
}

func TestBootstrapRefusesAnUnknownRole(t *testing.T) {
	f := NewFile(datadir.Dir(filepath.Join(t.TempDir(), "data")))
	_, err := f.Bootstrap([]string{"pm", "../boss"}, noon)
	requireFault(t, err, fault.Invalid, "token_role")
	require.NoDirExists(t, string(f.dir))
}

// TestSupplyAddsWhatIsMissing: a role has a token where one bears its name, or where its file holds one that works.
func TestSupplyAddsWhatIsMissing(t *testing.T) {
	f := newFile(t)
	_, err := f.Supply(roles, noon)
	requireFault(t, err, fault.NotFound, "tokens_missing")

	first, err := f.Bootstrap([]string{"pm", "viewer"}, noon)
	require.NoError(t, err)
	require.NoError(t, os.Remove(first["pm"])) // people move the secret elsewhere
	ada, _ := add(t, f, "ada", "coder")
	require.NoError(t, os.WriteFile(f.secretPath("coder"), []byte(ada+"\n"), 0o600))
	require.NoError(t, os.WriteFile(f.secretPath("tester"), []byte("orc_tester_left_by_a_crash\n"), 0o600))
	before, err := f.List()
	require.NoError(t, err)

	created, err := f.Supply(roles, noon)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"architect": f.secretPath("architect"), "tester": f.secretPath("tester")}, created)
	require.NoFileExists(t, f.secretPath("pm"))
	after, err := f.List()
	require.NoError(t, err)
	require.Equal(t, before, after[:len(before)])
	a := authenticator(t, f, Limit{})
	for role, name := range map[string]string{"viewer": "viewer", "coder": "ada", "tester": "tester", "architect": "architect"} {
		held, err := os.ReadFile(f.secretPath(role))
		require.NoError(t, err)
		got, err := a.Authenticate(strings.TrimSpace(string(held)), noon)
		require.NoError(t, err)
		require.Equal(t, []string{name, role}, []string{got.Name, got.Role})
	}

	created, err = f.Supply(roles, noon)
	require.NoError(t, err)
	require.Empty(t, created)
	again, err := f.List()
	require.NoError(t, err)
	require.Equal(t, after, again)
}
