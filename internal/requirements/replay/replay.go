// Package replay decides the records of requirements again and works out the tables that they amount to: an accepted
// change must be legal for its actor at that moment, a refusal must be one, and what was chosen must go on from what
// was chosen before. An export can be held against the state at the size of the log that it names.
//
// The verdicts are those of package decision, by which the service decides too.
package replay

import (
	"bytes"
	"crypto/sha256"
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

// Replay is the state that the records so far amount to. It is a ledger.Replay.
type Replay struct {
	states  *states
	answers map[string]answered // by the key of record.TableIdempotency; nil before the first
	seen    seenRuns
	claims  claimBook
	rules   lifecycle.Rules        // the newest that decided, from lifecycle.Rules3 on
	tokens  []record.Credential    // in force, by their id; nil before the first
	owners  map[string]audit.Actor // of all tokens that ever were in force, by their id
	project projection.Project
	keeps   bool // what only fills tables

	refusals pastRefusals
	keys     []record.ChosenKey          // oldest first
	root     audit.Hash                  // of the log so far
	restores struct{ first, end uint64 } // the latest records of restores that stand one after the other

	export     projection.ExportFile
	exportSize uint64
	exportErr  error // said after the tables were compared: the store may be what is wrong
}

// New returns a Replay that has seen no record. The export, unless it is nil, will be held against the state at the
// size of the log that it names.
func New(export projection.ExportFile) (*Replay, error) {
	r := &Replay{states: newStates(maxHot, maxResting), owners: map[string]audit.Actor{}}
	if export == nil {
		return r, nil
	}
	log, err := export.Log()
	if err != nil {
		return nil, err
	}
	r.export, r.exportSize = export, log.Size
	return r, nil
}

// Keep makes the replay keep what Tables needs to show the entries of its tables. It is called before the first record.
func (r *Replay) Keep() { r.keeps = true }

// Reached takes over how far the log has come. It is called after each record of any subsystem.
func (r *Replay) Reached(head audit.Head) {
	r.root = head.Root
	if head.Size == r.exportSize {
		r.exportErr = r.compareExport(head)
	}
}

// Requirements returns how many requirements there are.
func (r *Replay) Requirements() int { return len(r.states.byID) }

// Keys returns the keys that the log was signed with, oldest first.
func (r *Replay) Keys() []record.ChosenKey { return r.keys }

// Rollbacks returns the parts of the log that were given up.
func (r *Replay) Rollbacks() []projection.Rollback { return r.project.Rollbacks }

func (r *Replay) put(req lifecycle.Requirement) error {
	_, err := r.states.put(req)
	return err
}

// answered is a first answer, as far as decisions need it and the table can be compared.
type answered struct {
	at     time.Time
	size   int // of the answer, as encoded
	sum    ledger.Sum
	packed []byte // the answer, compressed; only when the replay keeps it
}

func (r *Replay) remember(key string, answer record.FirstAnswer) error {
	raw, err := answer.Encode()
	if err != nil {
		return err
	}
	if r.answers == nil {
		r.answers = map[string]answered{}
	}
	a := answered{at: answer.At, size: len(raw), sum: sha256.Sum256(raw)}
	if r.keeps {
		a.packed = r.states.pack(raw)
	}
	r.answers[key] = a
	return nil
}

// Tables makes Replay a ledger.Replay.
func (r *Replay) Tables() ([]ledger.Contents, error) {
	reports, err := ledger.ContentsOf(record.TableReports, r.seen.reports)
	if err != nil {
		return nil, err
	}
	runs, err := ledger.ContentsOf(record.TableRuns, r.seen.runs)
	if err != nil {
		return nil, err
	}
	var inForce map[string][]record.Credential
	if r.tokens != nil {
		inForce = map[string][]record.Credential{record.KeyTokens: r.tokens}
	}
	tokens, err := ledger.ContentsOf(record.TableTokens, inForce)
	if err != nil {
		return nil, err
	}
	project, err := projectTable(r.project)
	if err != nil {
		return nil, err
	}
	claimed, err := r.claims.table()
	return []ledger.Contents{r.states.table(), r.answersTable(), reports, runs, tokens, claimed, project}, err
}

func (r *Replay) answersTable() ledger.Contents {
	return ledger.Contents{
		Table: record.TableIdempotency.Name,
		Sums:  sumsOf(r.answers, func(a answered) ledger.Sum { return a.sum }),
		Entry: func(key string) []byte { return r.states.unpack(r.answers[key].packed, r.answers[key].size) },
	}
}

// projectTable returns the table of the project, which was never written to while nothing is known of it.
func projectTable(p projection.Project) (ledger.Contents, error) {
	now, err := ledger.Encode(p)
	if err != nil {
		return ledger.Contents{}, err
	}
	never, err := ledger.Encode(projection.Project{})
	if err != nil {
		return ledger.Contents{}, err
	}
	var entries map[string][]byte
	if !bytes.Equal(now, never) {
		entries = map[string][]byte{projection.KeyProject: now}
	}
	return ledger.StoredContents(projection.TableProject.Name, entries), nil
}

func sumsOf[V any](entries map[string]V, sum func(V) ledger.Sum) map[string]ledger.Sum {
	if entries == nil {
		return nil
	}
	sums := make(map[string]ledger.Sum, len(entries))
	for key, value := range entries {
		sums[key] = sum(value)
	}
	return sums
}
