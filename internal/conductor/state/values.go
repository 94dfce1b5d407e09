package state

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/system/jsonobject"
)

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
	raw, err := jsonobject.Bytes(func(w *jsonobject.Writer) { r.writeNamed(w, registry) })
	sum := sha256.Sum256(raw)
	id := sum[:8]
	if r.Number != 0 {
		binary.BigEndian.PutUint32(id, uint32(r.Number))
	}
	r.ID = hex.EncodeToString(id)
	return err
}
