package since

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/review"
)

// pages answers with one page of a log after another.
type pages struct {
	next  map[string]string // from path to body
	asked int
}

func (p *pages) Get(context.Context, string, string) ([]byte, error) {
	return nil, errors.New("not now")
}

func (p *pages) GetJSON(_ context.Context, path string, v any) ([]byte, error) {
	p.asked++
	body, known := p.next[path]
	if !known {
		return nil, errors.New("no page " + path)
	}
	return nil, json.Unmarshal([]byte(body), v)
}

func TestRefusalsAreCountedOverAllPages(t *testing.T) {
	const first = "/audit?kind=requirement.refused,request.refused,refusals.folded&since=7&limit=500"
	p := &pages{next: map[string]string{
		first:   `{"records":[{"data":{}},{"data":{"count":30}}],"next":"/more"}`,
		"/more": `{"records":[],"next":"/last"}`, "/last": `{"records":[{"data":{}}],"next":null}`,
		"/again": `{"records":[{"data":{}}],"next":"/again"}`,
	}}
	found, err := refused(t.Context(), p, 7)
	require.NoError(t, err)
	require.Equal(t, &review.RefusedSince{Count: 32}, found)
	p.next[first], p.asked = `{"records":[],"next":"/again"}`, 0
	found, err = refused(t.Context(), p, 7)
	require.NoError(t, err)
	require.Equal(t, &review.RefusedSince{Count: maxPages - 1, More: true}, found)
	require.Equal(t, maxPages, p.asked, "a log without end is not read without end")
	_, err = refused(t.Context(), p, 8)
	require.Error(t, err)
}

func TestWhatCannotBeABase(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		request Request
		kind    error
	}{
		{Request{Ref: "HEAD"}, fault.Invalid},
		{Request{Ref: "HEAD", Export: "project_status.json"}, fault.NotFound}, // no repository
	} {
		_, err := Gate(t.Context(), c.request, review.GateOptions{Require: review.RequireDone})
		require.ErrorIs(t, err, c.kind)
		require.NotEmpty(t, fault.As(err).Fix)
	}
	_, err := snapshotIn(strings.NewReader("{}"))
	require.ErrorIs(t, err, fault.Invalid)
	_, err = Request{Service: &pages{}}.snapshot(t.Context())
	require.ErrorContains(t, err, "not now")
	_, err = Request{Export: "none.json"}.snapshot(t.Context())
	require.ErrorIs(t, err, fault.NotFound)
}

func TestABaseIsAnEarlierStateOfTheSameLog(t *testing.T) {
	state := func(key string, size uint64, root byte) *projection.Snapshot {
		s, err := projection.New(projection.Project{AuditKey: key}, nil, audit.Head{Size: size, Root: audit.Hash{root}})
		require.NoError(t, err)
		return s
	}
	base := state("one", 7, 1)
	for _, c := range []struct {
		now  *projection.Snapshot
		says string
	}{
		{state("one", 7, 1), ""},
		{state("one", 8, 2), ""},
		{state("two", 8, 2), "different keys"},
		{state("one", 6, 1), "the log has 6 records now, and 7 there"},
		{state("one", 7, 2), "not the same ones"},
	} {
		err := continues(base, c.now, Request{Ref: "main"})
		if c.says == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, fault.Conflict)
		require.ErrorContains(t, err, c.says)
	}
}
