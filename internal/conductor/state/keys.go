package state

import (
	"fmt"
	"net/url"
	"strings"

	"orchestrator/internal/ledger"
)

// The kinds of rows.
const (
	kindAssertion  = "assertion"
	kindEntity     = "entity"
	kindRelation   = "relation"
	kindSource     = "source"
	kindEvent      = "event"
	kindObligation = "obligation"
	kindToolRun    = "toolrun"
	kindEvidence   = "evidence"
	kindRequest    = "request"
	kindTrace      = "trace"
	kindKey        = "key"
	kindCount      = "count"
	kindNumber     = "number" // the run of a number
	kindOpen       = "open"   // the runs that have not ended
	kindHeld       = "held"   // which assertions on a subject and a predicate are held
	kindQuestion   = "question"
	kindLarge      = "large" // the record that has a large value, by its digest
)

// key names a row: its kind, and the parts of its id, which may hold anything.
func key(kind string, parts ...string) string {
	for _, p := range parts {
		p = url.PathEscape(p)
		if len(p) > maxKeyPart { // the row itself says what it is of
			p = p[:maxKeyPart/2] + "~" + ledger.Digest([]byte(p))
		}
		kind += "/" + p
	}
	return kind
}

// maxKeyPart bounds the bytes of a part of a key.
const maxKeyPart = 1000

// RunPrefix begins the subjects of assertions on what runs resulted in.
const RunPrefix = "run:"

// numberKey writes a number as keys have it, in the order of numbers.
func numberKey(n uint64) string { return fmt.Sprintf("%016x", n) }

// highDigits are those of a number that an id of a run has no room for.
const highDigits = "00000000"

// The places of the rows of runs begin with placeRuns; those that begin with afterRuns are next to the last of them.
const (
	placeRuns = "run/"
	afterRuns = "run0/"
)

// placeOf returns where a row is in the table, by its key, which is its name in the log. The rows of a run stand
// together, runs in the order of their numbers, and after them what is written with each run. So a step changes few
// pages of the database:
//
//	number/000000000000002a    run/0000002a
//	toolrun/<run>/o1%2F1       run/<run>/toolrun/o1%2F1
//	source/<run>%2Fo1%2F1      run/<run>/source%2Fo1%2F1
//	held/run:<run>/o1          run/<run>/held/o1
//	count/request              run0/count/request
//
// Everything else is at its key. No two keys have the same place.
func placeOf(key string) string {
	kind, id, _ := strings.Cut(key, "/")
	switch {
	case id == kindRequest && (kind == kindCount || kind == kindOpen):
		return afterRuns + key
	case kind == kindNumber && isNumber(id):
		return placeRuns + id[len(highDigits):]
	}
	if run, rest, is := splitRun(kind, id); is {
		return placeRuns + run + "/" + kind + rest
	}
	return key
}

// isNumber reports whether an id has the form of a run's number: sixteen characters without a slash, first eight zeros.
func isNumber(id string) bool {
	return len(id) == 2*len(highDigits) && strings.HasPrefix(id, highDigits) && !strings.Contains(id, "/")
}

// splitRun splits the id of a row of a run into the run and what follows it; is is false for other rows. The run ends
// at a slash, which is escaped within a part of an id.
func splitRun(kind, id string) (run, rest string, is bool) {
	switch kind {
	case kindAssertion, kindSource, kindEvent, kindObligation, kindToolRun, kindEvidence, kindQuestion, kindRequest,
		kindTrace:
	case kindEntity, kindRelation, kindHeld:
		if id, is = strings.CutPrefix(id, RunPrefix); !is {
			return "", "", false
		}
	default:
		return "", "", false
	}
	end := 0
	for end < len(id) && id[end] != '/' && !strings.HasPrefix(id[end:], "%2F") {
		end++
	}
	return id[:end], id[end:], true
}

// amongRuns reports whether a key looks like a place that placeOf gives to others. No row has such a key.
func amongRuns(key string) bool {
	return strings.HasPrefix(key, placeRuns) || strings.HasPrefix(key, afterRuns)
}
