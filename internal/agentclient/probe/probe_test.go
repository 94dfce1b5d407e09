package probe

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient/settings"
)

// fake says how this program behaves as an MCP server.
const fake = "PROBE_FAKE"

func TestMain(m *testing.M) {
	if how := os.Getenv(fake); how != "" {
		os.Exit(serve(how))
	}
	os.Exit(m.Run())
}

// serve is a server with two tools, or one that does not work.
func serve(how string) int {
	switch how {
	case "down":
		fmt.Fprintln(os.Stderr, "orchestrator: no service answers at http://127.0.0.1:1")
		return unanswered
	case "wrong":
		fmt.Fprintln(os.Stderr, "orchestrator: unknown flag: --what")
		return 2
	case "deaf":
		child := exec.Command("sleep", "600")
		if child.Start() != nil || os.WriteFile(os.Getenv("PROBE_PIDS"),
			fmt.Appendf(nil, "%d %d", os.Getpid(), child.Process.Pid), 0o600) != nil {
			return 1
		}
		time.Sleep(time.Hour)
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			return 1
		}
		answers := map[string]string{
			"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"o","version":"1"}}`,
			"tools/list": `{"tools":[{"name":"next","inputSchema":{"type":"object"}},` +
				`{"name":"whoami","inputSchema":{"type":"object"}}]}`,
			"tools/call": `{"content":[],"structuredContent":{"name":"ada","role":"coder","fields":[]}}`,
		}
		switch answer := answers[m.Method]; {
		case len(m.ID) == 0:
		case answer == "":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", m.ID)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, answer)
		}
	}
	return 0
}

// project is a project in which the server is registered with a client, and the options that examine it.
func project(t *testing.T, client, how string, user bool) (Options, settings.ServerOptions) {
	t.Helper()
	root := t.TempDir()
	program, token := filepath.Join(root, "bin", "orchestrator"), filepath.Join(root, ".orchestrator", "pm.token")
	own, err := os.Executable()
	require.NoError(t, err)
	for _, folder := range []string{"bin", ".orchestrator", "home"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, folder), 0o700))
	}
	require.NoError(t, os.Symlink(own, program))
	require.NoError(t, os.WriteFile(token, []byte("orc_pm_x\n"), 0o600))
	so := settings.ServerOptions{Root: root, Home: filepath.Join(root, "home"), User: user, Program: program,
		TokenFile: token, Args: []string{"mcp", "--data", filepath.Join(root, ".orchestrator"), "--token-file", token}}
	_, err = settings.InstallServer(client, so)
	require.NoError(t, err)
	return Options{Root: root, Home: so.Home, Environ: append(os.Environ(), fake+"="+how)}, so
}

// Verifies: ORC-319
func TestTheRegisteredServerIsStartedAsTheClientDoes(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"claude", "codex", "qwen", "gemini", "cursor", "copilot", "opencode"} {
		for _, user := range []bool{false, true} {
			o, so := project(t, client, "works", user)
			found := Examine(t.Context(), client, o)
			require.Len(t, found, 1, client)
			require.Equal(t, Works, found[0].State, found[0].What)
			require.Equal(t, []string{"next", "whoami"}, found[0].Tools)
			require.Equal(t, "2 tools for ada, role coder", found[0].What)
			require.Equal(t, user, found[0].User)
			require.Equal(t, so.Args, found[0].Args)
			_, err := settings.UninstallServer(client, so)
			require.NoError(t, err)
			require.Empty(t, Examine(t.Context(), client, o))
		}
	}
}

// Verifies: ORC-319
func TestWhatKeepsTheServerFromWorkingIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		how    string
		spoil  func(*testing.T, settings.ServerOptions)
		state  State
		what   string
		remedy string
	}{
		"no program": {"works", func(t *testing.T, so settings.ServerOptions) {
			t.Helper()
			require.NoError(t, os.Remove(so.Program))
		}, NoProgram, "there is no program /", "orchestrator mcp install claude"},
		"no token": {"works", func(t *testing.T, so settings.ServerOptions) {
			t.Helper()
			require.NoError(t, os.Remove(so.TokenFile))
		}, NoToken, "there is no token file /", "orchestrator token add ROLE NAME --out /"},
		"no service": {"down", nil, NoService, "the service does not answer: no service answers at http://127.0.0.1:1",
			"orchestrator up"},
		"another program": {"wrong", nil, Fails, "unknown flag: --what", "start it by hand and see what it says: /"},
		"no settings": {"works", func(t *testing.T, so settings.ServerOptions) {
			t.Helper()
			require.NoError(t, os.WriteFile(filepath.Join(so.Root, ".mcp.json"), []byte("{"), 0o600))
		}, Unreadable, "is no JSON", "mend the file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, so := project(t, "claude", c.how, false)
			if c.spoil != nil {
				c.spoil(t, so)
			}
			found := Examine(t.Context(), "claude", o)
			require.Len(t, found, 1)
			require.Equal(t, c.state, found[0].State, found[0].What)
			require.Contains(t, found[0].What, c.what)
			require.Contains(t, found[0].Mend+found[0].Fix, c.remedy)
		})
	}
}

// A service elsewhere is not started here.
func TestTheRemedyForAServiceElsewhere(t *testing.T) {
	t.Parallel()
	o, so := project(t, "codex", "down", true)
	so.Args = []string{"mcp", "--server", "https://h"}
	_, err := settings.InstallServer("codex", so)
	require.NoError(t, err)
	found := Examine(t.Context(), "codex", o)
	require.Equal(t, NoService, found[0].State)
	require.Empty(t, found[0].Mend)
	require.Contains(t, found[0].Fix, "start the service at https://h")
}

// Verifies: ORC-319
func TestAServerThatDoesNotAnswerIsEnded(t *testing.T) {
	t.Parallel()
	o, so := project(t, "claude", "deaf", false)
	pids := filepath.Join(so.Root, "pids")
	o.Environ, o.Patience = append(o.Environ, "PROBE_PIDS="+pids), 2*time.Second
	found := Examine(t.Context(), "claude", o)
	require.Equal(t, Fails, found[0].State)
	require.Contains(t, found[0].What, "was not done after")
	text, err := os.ReadFile(pids)
	require.NoError(t, err)
	for _, word := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(word)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return syscall.Kill(pid, 0) != nil }, time.Minute, 10*time.Millisecond)
	}
}

// What the settings of a project name may have come with the repository: unasked, nothing else is started than this
// program for this project's service.
// Verifies: ORC-319
func TestNothingThatTheRepositoryBringsIsStartedUnasked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*settings.ServerOptions, *Own)
		why    string
	}{
		"as set up":       {func(*settings.ServerOptions, *Own) {}, ""},
		"another program": {func(_ *settings.ServerOptions, own *Own) { own.Program = "/bin/sh" }, "is not this program"},
		"another folder": {func(so *settings.ServerOptions, _ *Own) { so.Args[2] = so.Home },
			"is not the data folder of this project"},
		"another service": {func(so *settings.ServerOptions, _ *Own) {
			so.Args = append(so.Args, "--server", "https://h")
		}, "does not name the service of this project"},
		"no service": {func(so *settings.ServerOptions, _ *Own) { so.Args = []string{"mcp"} }, "does not name the service"},
		"the saved service": {func(so *settings.ServerOptions, own *Own) {
			so.Args, own.URL = []string{"mcp", "--server", "https://h"}, "https://h"
		}, ""},
		"another flag": {func(so *settings.ServerOptions, _ *Own) { so.Args = append(so.Args, "--as", "pm") },
			"it has arguments that an installation does not give it"},
		"a flag twice": {func(so *settings.ServerOptions, _ *Own) { so.Args = append(so.Args, "--data", so.Home) },
			"it has arguments"},
		"a flag without a value": {func(so *settings.ServerOptions, _ *Own) { so.Args = append(so.Args, "--server") },
			"it has arguments"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, user := range []bool{false, true} {
				o, so := project(t, "claude", "works", user)
				o.Only = &Own{Program: so.Program, Data: filepath.Join(so.Root, ".orchestrator")}
				c.change(&so, o.Only)
				_, err := settings.InstallServer("claude", so)
				require.NoError(t, err)
				found := Examine(t.Context(), "claude", o)
				if c.why == "" || user {
					require.Equal(t, Works, found[0].State, found[0].What)
					continue
				}
				require.Equal(t, NotTried, found[0].State)
				require.Contains(t, found[0].What, c.why)
				require.Contains(t, found[0].Fix, "orchestrator mcp status claude starts whatever is registered")
				o.Only = nil
				require.Equal(t, Works, Examine(t.Context(), "claude", o)[0].State, "asked for, it is started")
			}
		})
	}
}
