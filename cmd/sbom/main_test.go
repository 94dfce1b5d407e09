package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScriptsOfOthersAreNamed, in the versions that are embedded, each with its licence.
func TestScriptsOfOthersAreNamed(t *testing.T) {
	scripts, err := scriptsOf("../../internal/httpapi/web/asset/third-party/manifest.json")
	require.NoError(t, err)
	require.Len(t, scripts, 2)
	for i, want := range []struct{ name, licence string }{{"htmx.org", "0BSD"}, {"uplot", "MIT"}} {
		require.Equal(t, "pkg:npm/"+want.name+"@"+scripts[i].Version, scripts[i].PackageURL)
		require.NotEmpty(t, scripts[i].Version)
		require.Equal(t, want.licence, (*scripts[i].Licenses)[0].License.ID)
		require.Regexp(t, "^sha512-", (*scripts[i].Properties)[0].Value)
	}
}

func TestAManifestThatCannotBeReadIsAnError(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "manifest.json")
	require.NoError(t, os.WriteFile(broken, []byte("[{"), 0o600))
	for _, path := range []string{broken, broken + ".missing"} {
		_, err := scriptsOf(path)
		require.ErrorContains(t, err, path)
	}
	none, err := scriptsOf("")
	require.NoError(t, err)
	require.Empty(t, none)
}
