package review_test

import (
	"bytes"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/review/reviewtest"
	"orchestrator/internal/rules/lifecycle"
)

// counted counts how often a requirement is read.
type counted struct {
	req   lifecycle.Requirement
	reads *int
}

func (c *counted) Requirement() lifecycle.Requirement {
	*c.reads++
	return c.req
}

func TestOnlyWhatChangedIsReadAgain(t *testing.T) {
	in, reads := reviewtest.Everything(t), 0
	var sources []*counted
	for req := range in.Requirements {
		sources = append(sources, &counted{req, &reads})
	}
	all := func() iter.Seq2[string, review.Source] {
		return func(yield func(string, review.Source) bool) {
			for _, s := range sources {
				if !yield(s.req.ID, s) {
					return
				}
			}
		}
	}
	var rows review.Rows
	full := func() int {
		t.Helper()
		reads = 0
		encoded := rows.Full(in, all(), func([]string) map[string]bool { return in.Dirty })
		read := reads
		in.Requirements = func(yield func(lifecycle.Requirement) bool) {
			for _, s := range sources {
				if !yield(s.req) {
					return
				}
			}
		}
		var want, got bytes.Buffer
		require.NoError(t, review.Full(in).JSON(&want))
		require.NoError(t, encoded.JSON(&got))
		require.Equal(t, want.String(), got.String())
		return read
	}
	require.GreaterOrEqual(t, full(), len(sources))
	require.Zero(t, full())

	changed := sources[1].req
	changed.Title += ` and "more",\"ok\":`
	sources[1] = &counted{changed, &reads}
	require.LessOrEqual(t, full(), 2, "once, and again where its files are dirty")
	sources[0], sources[len(sources)-1] = sources[len(sources)-1], sources[0]
	require.Zero(t, full(), "another order")
	in.Workflow = lifecycle.Rework
	require.GreaterOrEqual(t, full(), len(sources), "another workflow")
	rows.Keep(1)
	require.GreaterOrEqual(t, full(), len(sources), "there was no room for any")
	require.Zero(t, full())
}
