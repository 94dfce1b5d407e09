package child

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuild(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(source, []byte("package main\n\nfunc main() { print(\"built\") }\n"), 0o600))
	require.NoError(t, Build(t.Context(), source, program))
	said, err := exec.Command(program).CombinedOutput()
	require.NoError(t, err)
	require.Equal(t, "built", string(said))
	require.ErrorContains(t, Build(t.Context(), source+"x", program), "main.gox was not built")
}
