package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAGeneratedClient compiles the client that oapi-codegen makes of openapi.json, and takes a requirement through
// its life with it. make check-contract gives it the generator and the service; it downloads what the client imports.
func TestAGeneratedClient(t *testing.T) {
	generator, service := os.Getenv("OAPI_CODEGEN"), os.Getenv("ORCHESTRATOR")
	if generator == "" || service == "" {
		t.Skip("make check-contract runs it")
	}
	contract, err := filepath.Abs("../../api/openapi.json")
	require.NoError(t, err)
	project := t.TempDir()
	client := generated(t, generator, contract)
	env := append(tokensOf(t, served(t, service, project)), "COMMIT="+run(t, project, nil, "git", "rev-parse", "HEAD"))
	out := run(t, client, env, "go", "run", ".")
	require.Contains(t, out, "REQ-001 is done after")
	t.Log(out)
}

// generated returns the folder of a module with the client and the program that uses it.
func generated(t *testing.T, generator, contract string) string {
	t.Helper()
	folder := t.TempDir()
	program, err := os.ReadFile("testdata/client/main.go")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "orchestrator"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "main.go"), program, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module client\n\ngo 1.26\n"), 0o600))
	run(t, folder, nil, generator, "-generate", "types,client", "-package", "orchestrator", "-o", "orchestrator/client.go", contract)
	run(t, folder, nil, "go", "get", "github.com/oapi-codegen/runtime@v1.8.0")
	run(t, folder, nil, "go", "mod", "tidy")
	run(t, folder, nil, "go", "vet", "./...")
	return folder
}

// served starts the service on a small repository, until the test ends.
func served(t *testing.T, service, project string) string {
	t.Helper()
	document := "# Sample\n\n## REQ-001: Log in\n\nA user logs in with a password.\n"
	require.NoError(t, os.WriteFile(filepath.Join(project, "REQUIREMENTS.md"), []byte(document), 0o600))
	run(t, project, nil, "git", "init", "-q")
	run(t, project, nil, "git", "add", ".")
	run(t, project, nil, "git", "-c", "user.name=check", "-c", "user.email=check@example.org", "commit", "-q", "-m", "Begin")
	serve := exec.Command(service, "serve", "--addr", "127.0.0.1:0", "--demo-tokens")
	serve.Dir = project
	require.NoError(t, serve.Start())
	t.Cleanup(func() {
		require.NoError(t, serve.Process.Signal(os.Interrupt))
		_ = serve.Wait()
	})
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(project, ".orchestrator/addr"))
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	return filepath.Join(project, ".orchestrator")
}

// tokensOf returns the address of a service and its tokens as variables.
func tokensOf(t *testing.T, data string) []string {
	t.Helper()
	address, err := os.ReadFile(filepath.Join(data, "addr"))
	require.NoError(t, err)
	env := []string{"SERVICE=http://" + strings.TrimSpace(string(address))}
	for _, role := range []string{"pm", "architect", "coder", "tester", "viewer"} {
		secret, err := os.ReadFile(filepath.Join(data, "tokens", role+".token"))
		require.NoError(t, err)
		env = append(env, strings.ToUpper(role)+"="+strings.TrimSpace(string(secret)))
	}
	return env
}

// run runs a program that must succeed, and returns what it printed.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s %s: %s", name, strings.Join(args, " "), out)
	return strings.TrimSpace(string(out))
}
