// Package state keeps what the conductor knows and does, the IR of the specification: entities, relations, assertions,
// events, sources, obligations, runs of tools, evidence of verification, requests and traces. It is kept in the ledger:
// each step is one record with the rows that it writes, so that all of it can be rebuilt from the log.
//
// Keys written: ir/<kind of row>/<id>, and ir/run/<run>/<kind of row>/<id> for what belongs to a run. The log names all
// rows as the former; placeOf says where they are.
package state

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// KindStepped is the kind of the conductor's records.
const KindStepped = "conductor.stepped"

// Stepped is the data of a record: one step of a run, and the rows that it wrote.
type Stepped struct {
	Run  string `json:"run"`
	Step string `json:"step"` // what was done: known, tool started, tool ended, ended; the first one has the request as well
	Rows []Row  `json:"rows"` // at least one; by ascending key

	Values map[string]jsontext.Value `json:"values,omitempty"` // large values that rows name, by the SHA-256 of their bytes
}

// Row is the value of a row from this step on.
type Row struct {
	Key   string         `json:"key"`
	Value jsontext.Value `json:"value"`
}

// encoded returns what ledger.Encode does. The rows are encoded already, and are not read again.
func (s Stepped) encoded() (b ledger.Encoded, err error) {
	quoted := func(before, text string) {
		if err == nil {
			b, err = jsontext.AppendQuote(append(b, before...), text)
		}
	}
	quoted(`{"run":`, s.Run)
	quoted(`,"step":`, s.Step)
	before := `,"rows":[{"key":`
	for _, row := range s.Rows {
		quoted(before, row.Key)
		b = append(append(append(b, `,"value":`...), row.Value...), '}')
		before = `,{"key":`
	}
	b = append(b, ']')
	before = `,"values":{`
	for _, digest := range slices.Sorted(maps.Keys(s.Values)) {
		quoted(before, digest)
		b = append(append(b, ':'), s.Values[digest]...)
		before = ","
	}
	if len(s.Values) > 0 {
		b = append(b, '}')
	}
	return append(b, '}'), err
}

// Table holds the rows.
var Table = ledger.Table[jsontext.Value]{Name: "ir"}

// Apply checks the rows of a record, and puts each.
func (s Stepped) Apply(record audit.Record, put func(key string, value jsontext.Value)) error {
	if s.Run == "" || s.Step == "" || len(s.Rows) == 0 {
		return fmt.Errorf("a step of the conductor without a run, a name or rows")
	}
	if want := SubjectOf(s.Run); record.Subject != want {
		return fmt.Errorf("a step of %s is about %q", want, record.Subject)
	}
	for i, row := range s.Rows {
		if i > 0 && row.Key <= s.Rows[i-1].Key {
			return fmt.Errorf("the rows of a step are not in order: %q", row.Key)
		}
		if !strings.Contains(row.Key, "/") || amongRuns(row.Key) || !row.Value.IsValid() {
			return fmt.Errorf("the row %q cannot be", row.Key)
		}
		put(row.Key, row.Value)
	}
	for digest, value := range s.Values {
		if ledger.Digest(value) != digest {
			return fmt.Errorf("the value %q of a step has another digest", digest)
		}
	}
	return nil
}

// SubjectOf returns the subject of the records of a run.
func SubjectOf(run string) string { return subjectPrefix + run }

// RunOf returns the run that a record of a step is about, by its subject.
func RunOf(subject string) string { return strings.TrimPrefix(subject, subjectPrefix) }

const subjectPrefix = "conductor/"

// Store reads and writes the conductor's state.
type Store struct{ ledger *ledger.Ledger }

// New returns the store in a ledger.
func New(l *ledger.Ledger) *Store { return &Store{l} }

// CheckBudget refuses a caller who has spent what may be added to the log on a day. Steps of a run that has begun are
// not refused.
func (s *Store) CheckBudget(ctx context.Context, caller audit.Actor) error {
	return s.ledger.CheckBudget(ctx, caller)
}

// Err returns why a View would fail that reads nothing: ctx has ended, or the ledger has failed.
func (s *Store) Err(ctx context.Context) error { return cmp.Or(ctx.Err(), s.ledger.Err()) }

// View reads the state at one moment.
func (s *Store) View(ctx context.Context, read func(View) error) error {
	size := s.ledger.Head().Size
	return s.ledger.View(ctx, func(r store.Reader) error { return read(View{from: r, size: size}) })
}
