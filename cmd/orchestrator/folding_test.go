package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Refusals that are only counted are on record when the service has stopped in order. One that was killed has lost the
// counts of the open minute, and nothing else.
func TestFoldedRefusalsOutliveAStop(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	repeat := func(p *process) {
		for range 25 {
			got, err := p.call(request{role: "coder", method: "PATCH", path: "/requirements/REQ-001", body: note("n")})
			require.NoError(t, err)
			require.Equal(t, 403, got.status)
		}
	}
	p := startServer(t, dir)
	repeat(p)
	require.NoError(t, p.stop(0))
	require.Equal(t, 1, strings.Count(p.log.String(), "the same is refused again and again"))
	require.Regexp(t, `"level":"warn".*"actor":"coder","role":"coder","request":"PATCH /requirements/\{id\}","subject":"REQ-001","code":"field_forbidden"`, p.log.String())
	require.Contains(t, requireInOrder(t, dir), "export matches")

	p = startServer(t, dir)
	repeat(p)
	p.kill()
	requireInOrder(t, dir)

	p = startServer(t, dir)
	got, err := p.call(request{role: "viewer", method: "GET", path: "/audit"})
	require.NoError(t, err)
	require.Equal(t, 40, strings.Count(got.body, `"kind":"requirement.refused"`))
	require.Equal(t, 1, strings.Count(got.body, `"kind":"refusals.folded"`))
	require.Regexp(t, `"kind":"refusals.folded","actor":\{"name":"orchestrator","role":"system"\},"subject":"REQ-001".*"count":5,`, got.body)
	got, err = p.call(request{role: "viewer", method: "GET", path: "/project/review"})
	require.NoError(t, err)
	require.Regexp(t, `"name":"coder","role":"coder","accepted":0,"refused":45`, got.body)
	require.NoError(t, p.stop(0))
}
