package datadir_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
)

func TestPathsLieInTheDataFolder(t *testing.T) {
	d := datadir.Dir("/srv/shop/.orchestrator")
	for want, got := range map[string]string{
		"state.db": d.Database(), "audit.key": d.Key(), "audit.pub": d.PublicKey(), "tokens.json": d.Tokens(),
		"tokens": d.TokenDir(), "tokens/pm.token": d.Token("pm"), "addr": d.Address(), "tools": d.Tools(),
		"prompts": d.Prompts(), ".gitignore": d.GitIgnore(),
	} {
		require.Equal(t, filepath.Join(string(d), want), got)
	}
}

func TestTheProjectOfADataFolder(t *testing.T) {
	require.Equal(t, "/srv/shop", datadir.Dir("/srv/shop/.orchestrator").Project())
	require.Equal(t, ".", datadir.Dir("/var/lib/shop").Project())
}
