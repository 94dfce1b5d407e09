package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// Nobody may read a token or change the boundary, so no agent has to be named for that.
func TestWhatNobodyMayDoNeedsNoDelegate(t *testing.T) {
	dir := boundarytest.Project(t)
	var lines []folder.Line
	for i, call := range []boundarytest.Call{
		{Tool: "Edit", File: "f.go"},
		{Tool: "Edit", File: "g.txt"},
		{Tool: "Edit", File: ".orchestrator/boundary/policy.json"},
		{Tool: "Read", File: ".orchestrator/tokens/pm.token"},
	} {
		call.ID, call.Session, call.Actor = boundarytest.ID(i), "s", boundary.Main
		call.At = boundarytest.Day0.Add(time.Duration(i) * time.Hour)
		lines = append(lines, boundarytest.Judged(t, dir, call))
		require.True(t, lines[i].Verdict.Violation(), call.File)
	}
	boundarytest.Add(t, dir, lines...)
	p, err := dir.Policy()
	require.NoError(t, err)
	for i := range p.Agents {
		p.Agents[i].MayWrite = []string{"*.go"}
	}
	f := boundarytest.History(t, dir).Figures(&p, boundarytest.Day0.Add(day))
	require.Equal(t, []string{"Edit on g.txt"}, f.Uncovered)
}
