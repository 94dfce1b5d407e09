package following

import (
	"bytes"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// CodeOlder is the code of an update by a program that is older than the log.
const CodeOlder fault.Code = "replica_older"

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
	if err := jsonv2.Unmarshal(raw, &n); err != nil {
		return n, store.Damaged("table %s, key %q cannot be read", tableMeta, keyNeeds).Because(err)
	}
	return n, nil
}

func (n needs) put(to store.Tx) error {
	raw, err := jsonv2.Marshal(n, jsonv2.Deterministic(true))
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

// Kinds gathers what a program must know to write to a log that is built or copied: the kinds of its records, and the
// rules that decided them.
type Kinds struct{ needs needs }

// Add takes a record over.
func (k *Kinds) Add(r audit.Record) { k.needs, _ = k.needs.with(rulesOf(r), []audit.Record{r}) }

// rulesOf returns the version of the rules that decided a record, as far as the record itself says so.
func rulesOf(r audit.Record) int {
	if !bytes.Contains(r.Data, []byte(`"rules":`)) {
		return 0
	}
	var decided struct {
		Rules int `json:"rules"`
	}
	if jsonv2.Unmarshal(r.Data, &decided) != nil {
		return 0 // it has another shape
	}
	return decided.Rules
}

// Put writes what the log needs into a store that several processes share, and nothing into any other.
func (k *Kinds) Put(in store.Store, to store.Tx) error {
	if _, is := in.(store.Shared); !is {
		return nil
	}
	return k.needs.put(to)
}

// Understand sets which kinds of records this program knows, and by which version of the rules it decides.
func (p *Pursuit) Understand(rules int, kinds []string) { p.knows = knowledge{rules, kinds} }

// Check refuses a program that knows less than the log needs where it stands.
//
// Implements: ORC-352
func (p *Pursuit) Check(t Trail) error {
	what := ""
	if t.needs.Rules > p.knows.rules {
		what = "decisions by newer rules"
	}
	for _, kind := range t.needs.Kinds {
		if !slices.Contains(p.knows.kinds, kind) {
			what = "records of the kind " + kind
		}
	}
	if what == "" || p.knows.kinds == nil {
		return nil
	}
	return fault.New(fault.Unavailable, CodeOlder,
		"this replica is older than the log, which has %s: it reads, and writes nothing", what).
		WithFix("nothing was changed: send the change to a replica of the newer version; an operator updates this one").
		ForClients()
}
