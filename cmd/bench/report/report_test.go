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
	require.Equal(t, []string{
		"| a\\|b \\`c\\` \\*d\\* e\\_f &lt;g> \\[h] \\\\   i | `--only get` | 10.0 /s | 5.000 /s | 0.500 x | [0.500, 0.500] | " +
			">= 0.80, misses |",
		"| start | `--only start` | | 2.000 s | | [1.000, 3.000] | |",
	}, lines)
	for _, line := range append(lines, strings.Split(strings.TrimSuffix(MarkdownHead, "\n"), "\n")...) {
		require.Equal(t, 8, strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"), line)
	}
}

// A curve is a line of a table of its own, whatever is between its points.
func TestMarkdownOfCurves(t *testing.T) {
	r := newReport()
	var points []Row
	for _, name := range []string{"a_b", "c"} {
		for i, n := range []int{100, 1000} {
			p := NewRow(name, "ms", nil, []float64{float64(i + 1)}, nil, nil)
			p.At = n
			points = append(points, p)
		}
	}
	r.Add("curve", points, nil)
	r.Add("get", []Row{getRow()}, nil)
	var page, table bytes.Buffer
	require.NoError(t, r.WriteMarkdown(&page))
	_, tables, found := strings.Cut(page.String(), MarkdownHead)
	require.True(t, found)
	require.Equal(t, "| GET | `--only get` | 10.0 /s | 5.000 /s | 0.500 x | [0.500, 0.500] | >= 0.80, misses |\n\n"+
		"| by the number of requirements | command | 100 | 1000 |\n| --- | --- | --- | --- |\n"+
		"| a\\_b | `--only curve` | 1.000 ms [1.000, 1.000] | 2.000 ms [2.000, 2.000] |\n"+
		"| c | `--only curve` | 1.000 ms [1.000, 1.000] | 2.000 ms [2.000, 2.000] |\n", tables)
	require.NoError(t, r.WriteTable(&table))
	require.Contains(t, table.String(), "a_b, 1000 requirements  ")
}
