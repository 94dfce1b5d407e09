package feed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/feed"
	"orchestrator/internal/ledger/thread"
)

// Verifies: ORC-301
func TestAFilterCombinesWithAnd(t *testing.T) {
	changed := feed.Record{Number: 7, Kind: "requirement.changed", Subject: "REQ-1", Role: "pm"}
	renamed := []thread.Thread{{Subject: "REQ-0", Until: 5}, {Subject: "REQ-1", From: 5}}
	for _, c := range []struct {
		name   string
		filter feed.Filter
		record feed.Record
		passes bool
	}{
		{"nothing is asked", feed.Filter{}, changed, true},
		{"one of the kinds", feed.Filter{Kinds: []string{"x.y", "requirement.changed"}}, changed, true},
		{"none of the kinds", feed.Filter{Kinds: []string{"x.y"}}, changed, false},
		{"one of the roles", feed.Filter{Roles: []string{"coder", "pm"}}, changed, true},
		{"none of the roles", feed.Filter{Roles: []string{"coder"}}, changed, false},
		{"the kind, not the role", feed.Filter{Kinds: []string{"requirement.changed"}, Roles: []string{"coder"}}, changed, false},
		{"about the requirement", feed.Filter{Threads: renamed}, changed, true},
		{"about another one", feed.Filter{Threads: []thread.Thread{{Subject: "REQ-2"}}}, changed, false},
		{"under the id it had then", feed.Filter{Threads: renamed}, feed.Record{Number: 4, Subject: "REQ-0"}, true},
		{"under an id that is another's now", feed.Filter{Threads: renamed}, feed.Record{Number: 5, Subject: "REQ-0"}, false},
		{"the role, not the requirement", feed.Filter{Roles: []string{"pm"}, Threads: renamed[:1]}, changed, false},
	} {
		require.Equal(t, c.passes, c.filter.Passes(c.record), c.name)
	}
}
