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
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
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

// Entity is something that assertions are about.
type Entity struct {
	ID   string `json:"id"`
	Type string `json:"type"` // what the id begins with: user of user:ada, run of run:1f2e; thing where it has no colon
}

// Relation is an assertion whose object is an entity as well.
type Relation struct {
	From string `json:"from"`
	Name string `json:"name"`
	To   string `json:"to"`
}

// Assertion is something that is held true, with its source and since when.
type Assertion struct {
	ID         string    `json:"id"`
	Subject    string    `json:"subject"`
	Predicate  string    `json:"predicate"`
	Object     any       `json:"object"`
	Confidence float64   `json:"confidence"` // above 0, at most 1
	Since      time.Time `json:"since"`
	Until      time.Time `json:"until,omitzero"` // from when on it is not held any more
	Source     string    `json:"source"`         // the id of a source

	Scope string `json:"scope,omitempty"` // ScopeOwn, ScopeProject; "" is the former for what is about a caller
}

// Source is where assertions come from.
type Source struct {
	ID   string    `json:"id"`
	Kind string    `json:"kind"` // SourceTool, SourceCaller, SourceAnswer
	Name string    `json:"name"` // of the tool, of the caller, of who gave the answer
	Run  string    `json:"run"`  // of the conductor
	At   time.Time `json:"at"`

	From []string `json:"from,omitempty"` // ids of the obligations of the run whose results it was given

	Words []string `json:"words,omitempty"` // tools: it was given what these said, and nothing has confirmed that
}

// The kinds of sources.
const (
	SourceTool   = "tool"   // a tool found it out
	SourceCaller = "caller" // the caller stated it in the request
	SourceAnswer = "answer" // it was given as the answer to a question
)

// Event is something that happened in a run.
type Event struct {
	ID   string    `json:"id"`
	Run  string    `json:"run"`
	Kind string    `json:"kind"` // utterance, agent.admitted, tool.succeeded, tool.failed, answered
	What string    `json:"what"`
	At   time.Time `json:"at"`
}

// Obligation is an obligation of a run, and how far it is.
type Obligation struct {
	ID     string              `json:"id"` // o1, o2 of a request; o1.1 what o1 gave rise to
	Run    string              `json:"run"`
	Status planning.Status     `json:"status"`
	Of     planning.Obligation `json:"obligation"`
	Why    string              `json:"why,omitempty"` // it is not resolved
}

// The statuses of a run of a tool.
const (
	RunStarted = "started" // what became of it is not known
	RunDone    = "done"
	RunFailed  = "failed"
	RunRefused = "refused" // it did what it did, and that is not what its contract promises
)

// ToolRun is one run of a tool. Its inputs and its result are values that schemas of its contract allow.
type ToolRun struct {
	ID         string         `json:"id"` // o1/1: the first run for o1
	Run        string         `json:"run"`
	Tool       string         `json:"tool"`
	Version    string         `json:"version"`
	Inputs     map[string]any `json:"inputs"`
	Result     map[string]any `json:"result,omitempty"`
	Status     string         `json:"status"`
	Error      *Failure       `json:"error,omitempty"`
	At         time.Time      `json:"at"`
	DurationMS float64        `json:"duration_ms"`
	Usage      *usage.Usage   `json:"usage,omitempty"` // that an agent reported; nil where it reported none

	Agent       bool   `json:"agent,omitempty"`       // it is the run of an agent
	Requirement string `json:"requirement,omitempty"` // agents: that it is for
}

// Evidence is what the second evaluation of an answer found.
type Evidence struct {
	ID       string `json:"id"`
	Run      string `json:"run"`
	By       string `json:"by"` // again: it was evaluated again; facts: it was held against what is known
	Verified bool   `json:"verified"`
	Why      string `json:"why,omitempty"`

	With []string `json:"with,omitempty"` // again: the built-in tool; facts: the ids of the sources

	Finding jsontext.Value `json:"finding,omitempty"` // the whole of it, until the run has ended
}

// Request is a run as it was asked for.
type Request struct {
	ID      string           `json:"id"`
	Number  uint64           `json:"number"` // runs are counted from 1
	Caller  audit.Actor      `json:"caller"`
	Request planning.Request `json:"request"`
	Ended   bool             `json:"ended"`
	Token   string           `json:"token,omitempty"` // the id of the token that it was asked with
}

// Name derives the id of a run from its request, its caller, the tools and the number of runs before. It begins with
// the number, so that ids are in the order of runs. A run without a number is not kept.
func (r *Request) Name(registry string) error {
	raw, err := ledger.Encode([]any{r.Number, r.Caller, r.Request, registry})
	sum := sha256.Sum256(raw)
	id := sum[:8]
	if r.Number != 0 {
		binary.BigEndian.PutUint32(id, uint32(r.Number))
	}
	r.ID = hex.EncodeToString(id)
	return err
}

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
