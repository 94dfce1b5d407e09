package ledger

import (
	"slices"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// CodeOlderReplica is the code of an update by a program that is older than the log.
const CodeOlderReplica fault.Code = "replica_older"

// needs is what a program must know to write to a log: it grows with the log, and never shrinks.
type needs struct {
	Rules int      `json:"rules"` // the newest version by which any process decides
	Kinds []string `json:"kinds"` // of the records, sorted
}

// knowledge is what this program knows; no kinds are all kinds.
type knowledge struct {
	rules int
	kinds []string
}

func decodeNeeds(raw []byte) (n needs, err error) {
	if raw == nil {
		return n, nil
	}
	if err := decode(raw, &n); err != nil {
		return n, damaged("table %s, key %q cannot be read", tableMeta, keyNeeds).Because(err)
	}
	return n, nil
}

func putNeeds(to store.Tx, n needs) error {
	raw, err := Encode(n)
	if err != nil {
		return err
	}
	return to.Put(tableMeta, keyNeeds, raw)
}

// with returns the needs after records by a program of some rules; grown is false if they are as they were.
func (n needs) with(rules int, records []audit.Record) (after needs, grown bool) {
	after = needs{max(n.Rules, rules), n.Kinds}
	grown = after.Rules != n.Rules
	for _, r := range records {
		at, known := slices.BinarySearch(after.Kinds, r.Kind)
		if !known {
			after.Kinds, grown = slices.Insert(slices.Clone(after.Kinds), at, r.Kind), true
		}
	}
	return after, grown
}

// check refuses a program that knows less than the log needs.
//
// Implements: ORC-352
func (k knowledge) check(n needs) error {
	what := ""
	if n.Rules > k.rules && k.kinds != nil {
		what = "decisions by newer rules"
	}
	for _, kind := range n.Kinds {
		if k.kinds != nil && kind != KindCreated && !slices.Contains(k.kinds, kind) {
			what = "records of the kind " + kind
		}
	}
	if what == "" {
		return nil
	}
	return fault.New(fault.Unavailable, CodeOlderReplica,
		"this replica is older than the log, which has %s: it reads, and writes nothing", what).
		WithFix("nothing was changed: send the change to a replica of the newer version; an operator updates this one").
		ForClients()
}
