package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

const unjournalled = "it is refused where it was typed, before it reaches the journal"

// journalling runs a command that notes what it does in the boundary's journal, which the service records a moment later.
func journalling(accepted, refused []string) door {
	return door{
		accepted: func(w *walker) { w.run(0, accepted...); w.awaitRecord() },
		refused:  func(w *walker) { w.run(1, refused...) },
		records:  []string{"boundary.recorded"}, unrecorded: unjournalled,
	}
}

// edit is what a client sends before its main session edits a file.
const edit = `{"hook_event_name":"PreToolUse","session_id":"s1","tool_use_id":"u1","tool_name":"Edit","tool_input":{"file_path":"main.go"}}`

const older = `{"timestamp":"2025-01-02T03:04:05Z","file":"main.go","tool":"Edit","source":"main"}` + "\n"

// hook has the hook judge what a client sends.
func (w *walker) hook(code int, call string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program(), "hook", "claude", "--root", w.dir)
	cmd.Dir, cmd.Stdin = w.dir, strings.NewReader(call)
	out, _ := cmd.CombinedOutput()
	require.Equal(w.t, code, cmd.ProcessState.ExitCode(), "%s: %s", w.name, out)
}

// violation is the id of one.
func (w *walker) violation() string {
	w.t.Helper()
	var page struct {
		Decisions []struct {
			ID string `json:"id"`
		} `json:"decisions"`
	}
	require.NoError(w.t, json.Unmarshal([]byte(w.ask("viewer", "GET", "/boundary/decisions?violations=true", "", 200).body), &page))
	require.NotEmpty(w.t, page.Decisions)
	return page.Decisions[0].ID
}

// boundary gives the project a boundary, in validate.
func (w *walker) boundary() {
	_, err := folder.In(w.dir).Make(boundary.DefaultPolicy())
	require.NoError(w.t, err)
}

func (w *walker) file(name, text string) {
	require.NoError(w.t, os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600))
}
