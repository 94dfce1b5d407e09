package filter

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/rules/lifecycle"
)

var kinds = []string{"requirement.changed", "requirement.refused"}

func valuesOf(t *testing.T, query string) url.Values {
	t.Helper()
	v, err := url.ParseQuery(query)
	require.NoError(t, err)
	return v
}

func TestRequirementsAreAskedFor(t *testing.T) {
	yes, no := true, false
	for query, want := range map[string]lookup.Query{
		"":                                      {},
		"status=blocked&role=pm&q=log&kind=x":   {Status: lifecycle.Blocked, Role: lifecycle.PM, Text: "log", Kind: "x"},
		"waiting_for=operator&suspect=true":     {WaitingFor: lifecycle.Operator, Suspect: &yes},
		"stale=false&retired=true&claimed=true": {Stale: &no, Retired: &yes, Claimed: &yes},
		"sort=age&order=desc":                   {Sort: lookup.ByAge, Desc: true},
		"sort=id&order=asc":                     {Sort: lookup.ByID},
		"older_than=90m":                        {OlderThan: 90 * time.Minute},
		"older_than=3d":                         {OlderThan: 72 * time.Hour},
	} {
		got, err := Requirements(valuesOf(t, query))
		require.NoError(t, err, query)
		require.Equal(t, want, got, query)
	}
	for query, valid := range map[string]string{
		"status=open": "tested_pass", "role=boss": "architect", "waiting_for=viewer": "document", "sort=name": "changed", "order=up": "desc",
		"older_than=": "72h", "older_than=0d": "72h", "older_than=-1h": "72h", "older_than=soon": "72h", "stale=1": "stale=true", "status=": "blocked",
	} {
		_, err := Requirements(valuesOf(t, query))
		require.True(t, fault.As(err) != nil && fault.As(err).Kind == fault.Malformed, query)
		require.Contains(t, fault.As(err).Fix, valid, query)
	}
}

func TestRecordsAreAskedFor(t *testing.T) {
	nine := time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)
	for query, want := range map[string]lookup.Records{
		"":                                  {},
		"from=7&limit=2":                    {At: 7, Limit: 2},
		"kind=requirement.refused":          {Kinds: kinds[1:]},
		"kind=" + kinds[1] + "," + kinds[0]: {Kinds: []string{kinds[1], kinds[0]}},
		"actor=cody&requirement=R+1&code=gate_unmet": {Actor: "cody", Requirement: "R 1", Code: "gate_unmet"},
		"since=12":                   {Since: 12},
		"since=2026-01-31T09:00:00Z": {SinceTime: nine},
		"order=desc&before=9":        {Newest: true, At: 9},
		"before=9":                   {Newest: true, At: 9},
	} {
		if want.Limit == 0 {
			want.Limit = DefaultPage
		}
		got, err := Records(valuesOf(t, query), kinds)
		require.NoError(t, err, query)
		require.Equal(t, want, got, query)
		require.Equal(t, query != "" && !valuesOf(t, query).Has("from"), Searches(valuesOf(t, query)), query)
		require.Equal(t, map[bool]string{false: "from", true: "before"}[got.Newest], CursorOf(got))
	}
	for query, valid := range map[string]string{
		"kind=": "leave it out", "kind=refused": "requirement.changed, requirement.refused", "kind=requirement.changed,": "with commas",
		"code=GateUnmet": "gate_unmet", "code=": "leave it out", "actor=": "leave it out", "requirement=": "leave it out",
		"since=yesterday": "2026-01-31T09:00:00Z", "since=-1": "number", "since=": "leave it out", "order=newest": "asc, desc",
		"order=asc&before=3": "order=desc", "order=desc&from=3": "order=desc", "from=x": "range", "limit=0": "range", "limit=1001": "range",
	} {
		_, err := Records(valuesOf(t, query), kinds)
		require.True(t, fault.As(err) != nil && fault.As(err).Kind == fault.Malformed, query)
		require.Contains(t, fault.As(err).Fix, valid, query)
	}
}
