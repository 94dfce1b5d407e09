package conductor

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/system/outbound"
)

// outsideTool is a contract of an outside tool.
func outsideTool(name string, i planning.Implementation) fake {
	return named(name, "REPORT(k.x)", func(f *fake) { f.contract.Implementation, f.contract.TimeoutMS = i, 60_000 })
}

// script puts a program into the project.
func (b bench) script(name, text string) {
	require.NoError(b.t, os.WriteFile(filepath.Join(b.Root, name), []byte("#!/bin/sh\n"+text), 0o755))
}

// Verifies: ORC-281
func TestPrograms(t *testing.T) {
	t.Setenv("LEAKED", "not-for-traces")
	run := func(text string) Trace {
		b := conductorOf(t, store.NewMemory(), outsideTool("t.a", planning.Implementation{Means: planning.Exec, Argv: []string{"./tool"}, Env: []string{"LEAKED"}}))
		b.script("tool", text)
		return b.conduct(ob(planning.Report, "k.x", "n", 7))
	}
	trace := run(`printf '{"said":%s}' "$(cat)"`)
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
	said := trace.Answers[0].Result["said"].(map[string]any)
	require.Equal(t, map[string]any{"name": "ada", "role": "coder"}, said["caller"], "it is told who asks")
	require.Equal(t, trace.ID+"/o1/1", said["run"], "and by what to tell one run from another")
	require.Equal(t, map[string]any{"type": "REPORT", "payload": map[string]any{"kind": "k.x", "n": 7.0}}, said["obligation"])

	failed := run(`echo "the key is $LEAKED" >&2; exit 3`).Obligations[0].Runs[0].Error
	require.Contains(t, failed.Detail, "the key is <LEAKED>", "what a tool was given to use is not told")
	require.NotEmpty(t, failed.Fix)
	for name, answer := range map[string]string{"no JSON": `echo hello`, "no object": `echo '[1]'`, "more than one": `echo '{} {}'`, "what looks whole": `echo '{"a":1}]]'`, "nothing": `true`} {
		require.Equal(t, "tool_answer", string(run(answer).Obligations[0].Runs[0].Error.Code), name)
	}
}

func TestHTTPTools(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"value":"over the wire"}`))
	}))
	defer server.Close()
	trace := conductorOf(t, store.NewMemory(), outsideTool("t.a", planning.Implementation{Means: planning.HTTP, URL: server.URL})).conduct(ob(planning.Report, "k.x"))
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
	require.Equal(t, "over the wire", trace.Answers[0].Result["value"])
	require.False(t, outbound.NamesLoopback("http://example.org"))
	require.True(t, outbound.NamesLoopback("http://[::1]:80/x"))
	require.False(t, outbound.NamesLoopback("http://%zz"))
}

// TestWhoWaitsSaysSo: what a run holds back from others it gives up before it waits for a program, and not for a tool of the box.
func TestWhoWaitsSaysSo(t *testing.T) {
	b := conductorOf(t, store.NewMemory(), outsideTool("t.a", planning.Implementation{Means: planning.Exec, Argv: []string{"./tool"}}))
	b.script("tool", `printf '{"value":1}'`)
	waited := 0
	ask := func(o planning.Obligation) {
		_, err := b.Ask(t.Context(), ada, Asked{Request: planning.Request{Obligations: []planning.Obligation{o}}, OnWait: func() { waited++ }})
		require.NoError(t, err)
	}
	ask(ob(planning.Report, "status.name", "name", "Ada"))
	require.Zero(t, waited)
	ask(ob(planning.Report, "k.x"))
	require.Positive(t, waited)
}
