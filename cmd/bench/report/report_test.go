package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestVerdicts(t *testing.T) {
	least, most := &Goal{AtLeast: 0.8}, &Goal{AtMost: 1.5}
	require.Equal(t, "meets", least.verdict(0.8))
	require.Equal(t, misses, least.verdict(0.79))
	require.Equal(t, "meets", most.verdict(1.5))
	require.Equal(t, misses, most.verdict(1.51))
	require.Empty(t, (*Goal)(nil).verdict(0))
}

func newReport() Report { return New(time.Date(2026, 11, 24, 1, 2, 3, 0, time.UTC), "ext4", 5) }

func getRow() Row {
	return NewRow("GET", "/s", []float64{10}, []float64{5}, []float64{0.5}, &Goal{AtLeast: 0.8})
}

// A failure leaves no figure behind, and outweighs a missed goal.
//
// Verifies: ORC-044
func TestReport(t *testing.T) {
	r := newReport()
	r.Add("get", []Row{getRow()}, nil)
	require.Zero(t, r.ExitCode(false))
	require.Equal(t, 2, r.ExitCode(true))
	r.Add("patch", []Row{{Name: "PATCH"}}, context.DeadlineExceeded)
	require.Equal(t, 1, r.ExitCode(true))
	require.Len(t, r.Rows, 1)

	var table, machine bytes.Buffer
	require.NoError(t, r.WriteTable(&table))
	require.Regexp(t, `GET +10\.0 /s +5\.000 /s +0\.500 x +\[0\.500, 0\.500\] +>= 0\.80 +misses`, table.String())
	require.Contains(t, table.String(), "patch: no result")
	require.NoError(t, r.WriteJSON(&machine))
	require.True(t, json.Valid(machine.Bytes()))
}

// What a machine lacks is no failure, and takes no figure away.
func TestASectionThatIsSkipped(t *testing.T) {
	r := newReport()
	r.Add("device", []Row{getRow()}, fmt.Errorf("xfs: %w", Skipped("needs mkfs.xfs")))
	require.Zero(t, r.ExitCode(true)&1)
	require.Len(t, r.Rows, 1)
	require.Equal(t, "device", r.Rows[0].Section)
	var table, page bytes.Buffer
	require.NoError(t, r.WriteTable(&table))
	require.Contains(t, table.String(), "device: skipped: needs mkfs.xfs\n")
	require.NoError(t, r.WriteMarkdown(&page))
	require.Contains(t, page.String(), "|\n\ndevice: skipped: needs mkfs.xfs\n", "a table ends at an empty line")
}

// Every line of the table has the same number of cells, whatever is in them.
func TestMarkdown(t *testing.T) {
	r := newReport()
	odd := getRow()
	odd.Name = "a|b `c` *d* e_f <g> [h] \\ \n i"
	bare := NewRow("start", "s", nil, []float64{1, 2, 3}, nil, nil)
	r.Add("get", []Row{odd}, nil)
	r.Add("start", []Row{bare}, nil)
	var page bytes.Buffer
	require.NoError(t, r.WriteMarkdown(&page))
	before, table, found := strings.Cut(page.String(), MarkdownHead)
	require.True(t, found)
	require.Regexp(t, `^Measured on 2026-11-24, go1\.[^,]+, \d+ CPUs, ext4; medians of 5 rounds, .*\.\n\n$`, before)
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	require.Len(t, lines, 2)
	require.Equal(t, "| a\\|b \\`c\\` \\*d\\* e\\_f &lt;g> \\[h] \\\\   i | `--only get` | 10.0 /s | 5.000 /s | 0.500 x | "+
		"[0.500, 0.500] | >= 0.80 | misses |", lines[0])
	require.Equal(t, "| start | `--only start` |  | 2.000 s |  | [1.000, 3.000] |  |  |", lines[1])
	for _, line := range append(lines, strings.Split(strings.TrimSuffix(MarkdownHead, "\n"), "\n")...) {
		require.Equal(t, len(columns)+1, strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"), line)
	}
}
