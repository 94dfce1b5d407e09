package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/cmd/checkclients/check"
	"orchestrator/cmd/checkclients/client"
)

// Nothing that was not checked counts as checked.
//
// Verifies: ORC-230
func TestWhatDidNotRunFails(t *testing.T) {
	with := func(state check.State) []column {
		return []column{{Client: "x", Findings: []check.Finding{{Check: "a", State: check.OK}, {Check: "b", State: state}}}}
	}
	require.False(t, failed(with(check.Gap)))
	require.False(t, failed(with(check.NotRun)), "the client does not offer the tool")
	require.True(t, failed(with(check.Failed)))
	require.True(t, failed([]column{{Client: "x"}, {Client: "y", Why: "npm is missing"}}))
}

// A client whose sessions cannot be prepared fails in every mode, and the table says why.
//
// Verifies: ORC-230
func TestASessionThatCannotRunFails(t *testing.T) {
	c := client.All()[0]
	version := c.Versions[0]
	tools := t.TempDir()
	o := options{}
	bed := &check.Bed{Programs: t.TempDir(), Clients: tools, Work: t.TempDir(), Limit: time.Minute}
	one := c.Title() + "@" + version
	col := o.column(t.Context(), bed, one)
	require.NotEmpty(t, col.Why, "it is not installed")
	require.True(t, failed([]column{col}))

	start := c.Start(filepath.Join(tools, c.Name+"@"+version))
	program := start[len(start)-1]
	require.NoError(t, os.MkdirAll(filepath.Dir(program), 0o700))
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700))
	col = o.column(t.Context(), bed, one)
	require.Empty(t, col.Why)
	require.Len(t, col.Broken, len(check.Modes(c)))
	require.True(t, failed([]column{col}))
	var table bytes.Buffer
	writeTable(&table, check.Checks(), []column{col})
	require.Contains(t, table.String(), "no session in "+check.Enforce)
}
