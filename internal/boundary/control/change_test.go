package control_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// A switch that cannot be noted is not made.
func TestASwitchThatCannotBeNotedIsNotMade(t *testing.T) {
	dir := boundarytest.Project(t)
	journal := filepath.Join(dir.Path(), "journal")
	require.NoError(t, os.RemoveAll(journal))
	require.NoError(t, os.WriteFile(journal, nil, 0o600))
	_, err := control.SetMode(dir, boundary.Enforce, "o", boundarytest.By("r", boundarytest.Day0),
		report.FromFiles(dir))
	boundarytest.RequireCode(t, err, "boundary_unwritable")
	_, err = control.Bypass(dir, time.Hour, "", boundarytest.By("r", boundarytest.Day0))
	boundarytest.RequireCode(t, err, "boundary_unwritable")
	p, err := dir.Policy()
	require.NoError(t, err)
	require.Equal(t, boundary.Validate, p.Mode)
	grants, err := dir.Grants()
	require.NoError(t, err)
	require.Empty(t, grants)
}

// Verifies: ORC-067
func TestABypassHasAnEnd(t *testing.T) {
	dir := boundarytest.Project(t)
	for name, c := range map[string]struct {
		lasting      time.Duration
		reason, code string
	}{
		"no time":   {0, "r", "bypass_duration"},
		"backwards": {-time.Second, "r", "bypass_duration"},
		"for ever":  {24*time.Hour + 1, "r", "bypass_duration"},
		"no reason": {time.Hour, "", "reason_required"},
		"a day":     {24 * time.Hour, "r", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := control.Bypass(dir, c.lasting, "s1", boundarytest.By(c.reason, boundarytest.Day0))
			if c.code != "" {
				boundarytest.RequireCode(t, err, fault.Code(c.code))
				return
			}
			require.NoError(t, err)
			grants, err := dir.Grants()
			require.NoError(t, err)
			require.Equal(t, []boundary.Grant{g}, grants)
			require.Equal(t, boundarytest.Day0.Add(c.lasting), g.Until)
			noted := boundarytest.History(t, dir).Bypasses
			require.Equal(t, &g, noted[0].Grant)
		})
	}
	_, err := control.Bypass(folder.In(t.TempDir()), time.Hour, "", boundarytest.By("r", boundarytest.Day0))
	boundarytest.RequireCode(t, err, "no_boundary")
	_, err = control.SetMode(folder.In(t.TempDir()), boundary.Off, "", boundarytest.By("r", boundarytest.Day0),
		report.FromFiles(dir))
	boundarytest.RequireCode(t, err, "no_boundary")
}

// Of several who switch at once each starts from what the one before left.
func TestSwitchesAtOnceFollowOneAnother(t *testing.T) {
	dir := boundarytest.Project(t)
	to := []boundary.Mode{boundary.Off, boundary.Validate, boundary.Enforce}
	var running sync.WaitGroup
	for i := range 12 {
		c := boundarytest.By("r", boundarytest.Day0.Add(time.Duration(i)))
		running.Go(func() {
			if _, err := control.SetMode(dir, to[i%3], "o", c, report.FromFiles(dir)); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	p, err := dir.Policy()
	require.NoError(t, err)
	was := boundary.Mode("")
	for _, m := range boundarytest.History(t, dir).Modes {
		require.Equal(t, was, m.From)
		was = m.Mode
	}
	require.Equal(t, was, p.Mode)
	require.Equal(t, p.Mode == boundary.Enforce, dir.IsMarked())
}

// Verifies: ORC-234
func TestABypassIsEnded(t *testing.T) {
	dir := boundarytest.Project(t)
	give := func(id, session string, at time.Time) {
		c := boundarytest.By("r", at)
		c.ID = id
		_, err := control.Bypass(dir, time.Hour, session, c)
		require.NoError(t, err)
	}
	n := 0
	newID := func() string { n++; return fmt.Sprintf("%016d", n) }
	end := func(id string) ([]boundary.Grant, error) {
		c := boundarytest.By("", boundarytest.Day0.Add(30*time.Minute))
		c.ID = newID()
		return control.EndBypass(dir, id, c, newID)
	}
	_, err := end(control.AllBypasses)
	boundarytest.RequireCode(t, err, "unknown_bypass")
	give("aaaa000000000000", "", boundarytest.Day0.Add(-time.Hour)) // its time is over
	give("bbbb100000000000", "s1", boundarytest.Day0)
	give("bbbb200000000000", "", boundarytest.Day0)
	give("cccc000000000000", "", boundarytest.Day0)
	for id, code := range map[string]fault.Code{"aaaa000000000000": "unknown_bypass", "": "unknown_bypass",
		"bbb": "unknown_bypass", "bbbb": "ambiguous_bypass"} {
		_, err = end(id)
		boundarytest.RequireCode(t, err, code)
		require.Contains(t, fault.As(err).Fix, "bbbb100000000000", id)
		require.NotContains(t, fault.As(err).Fix, "aaaa", id)
	}
	ended, err := end("bbbb1")
	require.NoError(t, err)
	require.Len(t, ended, 1)
	require.Equal(t, boundarytest.Day0.Add(30*time.Minute), ended[0].Until)
	ended, err = end(control.AllBypasses)
	require.NoError(t, err)
	require.Len(t, ended, 2)
	policy, err := dir.Policy()
	require.NoError(t, err)
	status, err := report.StatusOf(dir, &policy, boundarytest.Day0.Add(40*time.Minute))
	require.NoError(t, err)
	require.Empty(t, status.Bypasses)
	require.Len(t, status.Ended, 3)
	status, err = report.StatusOf(dir, &policy, boundarytest.Day0.Add(48*time.Hour))
	require.NoError(t, err)
	require.Empty(t, status.Ended)
	h, err := report.Read(dir)
	require.NoError(t, err)
	require.Len(t, h.Bypasses, 7, "what was given and what was ended")
}

// An end that cannot be noted is none.
func TestAnEndThatCannotBeNoted(t *testing.T) {
	dir := boundarytest.Project(t)
	g, err := control.Bypass(dir, time.Hour, "", boundarytest.By("r", boundarytest.Day0))
	require.NoError(t, err)
	journal := filepath.Join(dir.Path(), "journal")
	require.NoError(t, os.RemoveAll(journal))
	require.NoError(t, os.WriteFile(journal, nil, 0o600))
	ended, err := control.EndBypass(dir, g.ID, boundarytest.By("", boundarytest.Day0), func() string { return "i" })
	boundarytest.RequireCode(t, err, "boundary_unwritable")
	require.Empty(t, ended)
	grants, err := dir.Grants()
	require.NoError(t, err)
	require.Equal(t, []boundary.Grant{g}, grants)
}
