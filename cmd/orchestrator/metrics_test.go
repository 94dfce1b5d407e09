package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// metricRow is a row of the table of metrics in docs/operations.md.
var metricRow = regexp.MustCompile("(?m)(^\\| `orchestrator_[a-z_]+` \\|.*\n)+")

// TestEveryMetricIsDocumented: the table of docs/operations.md is what the service says of its metrics.
func TestEveryMetricIsDocumented(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	p := startServer(t, dir)
	out, code := orchestrate(t, dir, "webhook", "add", "http://127.0.0.1:1", "--name", "ops") // whose metrics it has then
	require.Zero(t, code, out)
	_, err := p.call(request{role: "-", method: "GET", path: "/no/such/path"}) // a code is counted once it was given
	require.NoError(t, err)
	got, err := p.call(request{role: "-", method: "GET", path: "/metrics"})
	require.NoError(t, err)
	var rows []string
	for _, found := range regexp.MustCompile(`(?m)^# HELP (orchestrator_[a-z_]+) (.*)$`).FindAllStringSubmatch(got.body, -1) {
		rows = append(rows, "| `"+found[1]+"` | "+found[2]+" |\n")
	}
	slices.Sort(rows)
	require.Greater(t, len(rows), 20)
	const path = "../../docs/operations.md"
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	if *update {
		head, rest, found := strings.Cut(string(page), "| metric | what it is |\n| --- | --- |\n")
		require.True(t, found)
		written := head + "| metric | what it is |\n| --- | --- |\n" + strings.Join(rows, "") + metricRow.ReplaceAllString(rest, "")
		require.NoError(t, os.WriteFile(path, []byte(written), 0o644))
		return
	}
	require.Equal(t, strings.Join(rows, ""), metricRow.FindString(string(page)), "go test -run EveryMetric -update ./cmd/orchestrator")
	require.NoError(t, p.stop(0))
}
