package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestVerdicts(t *testing.T) {
	sound := tally{Asked: 2, Runs: 2, counts: counts{Changes: 9, Acknowledged: 7, Unacknowledged: 1}}
	for _, c := range []struct {
		name   string
		change func(*tally)
		want   string
		exit   int
	}{
		{"sound", func(*tally) {}, "holds", 0},
		{"lost", func(t *tally) { t.Lost = 1 }, "FAILS", 1},
		{"wrong", func(t *tally) { t.Wrong = 1 }, "FAILS", 1},
		{"a start was refused", func(t *tally) { t.StartsRefused = 1 }, "FAILS", 1},
		{"verify failed", func(t *tally) { t.VerifyFailed = 1 }, "FAILS", 1},
		{"misbehaved", func(t *tally) { t.Misbehaved = 1 }, "FAILS", 1},
		{"nothing was acknowledged", func(t *tally) { t.Acknowledged = 0 }, "FAILS: nothing was acknowledged", 1},
		{"cut short", func(t *tally) { t.Runs = 1 }, "FAILS: not finished", 1},
		{"failed", func(t *tally) { t.Failed = "no disk" }, "FAILS: not finished", 1},
		{"skipped", func(t *tally) { *t = tally{Asked: 2, Skipped: "needs root"} }, "skipped: needs root", 0},
		{"control", func(t *tally) { t.Control, t.Lost, t.VerifyFailed, t.StartsRefused = true, 7, 1, 1 }, "loses, as it must", 0},
		{"control that loses nothing", func(t *tally) { t.Control = true }, "FAILS: the control lost nothing", 1},
		{"control without changes", func(t *tally) { t.Control, t.Acknowledged = true, 0 }, "FAILS: nothing was acknowledged", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			row := sound
			c.change(&row)
			require.Equal(t, c.want, row.verdict())
			require.Equal(t, c.exit, (&report{Rows: []*tally{&sound, &row}}).exitCode())
		})
	}
}

func TestReport(t *testing.T) {
	row := &tally{Name: "kill", What: "kill -9", Asked: 2, Runs: 2, counts: counts{9, 7, 1, 2, 0}, StartsRefused: 3, VerifyFailed: 4, Misbehaved: 5, Seconds: 6}
	row.note("seen")
	row.note("seen")
	for range 2 * mostFindings {
		row.find("m-%d: lost", 1)
	}
	require.Len(t, row.Findings, mostFindings)
	r := &report{Seed: 42, FileSystem: "ext4", Rows: []*tally{row}}
	var table, machine bytes.Buffer
	require.NoError(t, r.write(&table, false))
	require.Regexp(t, `kill +2 +9 +7 +1 +2 +0 +3 +4 +5 +6 s +FAILS\n`, table.String())
	require.Contains(t, table.String(), "seed 42, on ext4")
	require.Contains(t, table.String(), "  seen: 2\n")
	require.Contains(t, table.String(), "  m-1: lost\n")
	require.NoError(t, r.write(&machine, true))
	var read struct {
		Rows []struct{ Acknowledged, Lost int }
	}
	require.NoError(t, json.Unmarshal(machine.Bytes(), &read))
	require.Equal(t, 7, read.Rows[0].Acknowledged)
	require.Equal(t, 1, read.Rows[0].Lost)
}

func TestOptions(t *testing.T) {
	o, err := parseOptions(nil)
	require.NoError(t, err)
	require.Len(t, o.rows, len(rows()))
	require.NotZero(t, o.seed)
	require.True(t, o.rows[len(o.rows)-1].control)
	o, err = parseOptions([]string{"--only", "lie,kill", "--runs", "3", "--seed", "9", "--longest", "1m", "--json"})
	require.NoError(t, err)
	require.Len(t, o.rows, 2)
	require.Equal(t, "kill", o.rows[0].name)
	require.Equal(t, 3, o.rows[1].runs)
	require.Equal(t, options{rows: o.rows, seed: 9, longest: time.Minute, json: true}, o)
	for _, args := range [][]string{{"--only", "x"}, {"--runs", "-1"}, {"--longest", "0s"}, {"more"}, {"--unknown"}} {
		_, err := parseOptions(args)
		require.Error(t, err, "%v", args)
	}
}

func TestWhatARowLacks(t *testing.T) {
	require.Empty(t, row{}.lacks())
	t.Setenv("PATH", t.TempDir())
	want := "needs mount, xfs_io"
	if os.Geteuid() != 0 {
		want = "needs root"
	}
	require.Equal(t, want, row{tools: []string{"mount", "xfs_io"}}.lacks())
}

func TestExportBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "project_status.json")
	require.NoError(t, exportBehind(path, 3), "there is none yet")
	for content, wrong := range map[string]string{
		`{"log":{"size":3}}`: "", `{"log":{"size":2}}`: "", `{"log":{"size":4}}`: "shows 4 records, and the log has 3", `{"log":{"si`: "not whole", ``: "not whole",
	} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		if err := exportBehind(path, 3); wrong == "" {
			require.NoError(t, err, content)
		} else {
			require.ErrorContains(t, err, wrong, content)
		}
	}
}
