package requirements

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

// fold is the state that the log amounts to so far.
type fold struct {
	states  *states
	answers map[string]answered        // by the key of record.TableIdempotency; nil before the first
	reports map[string]record.ReportAt // by the digest of the report; nil before the first
	tokens  []record.Credential        // in force, by their id; nil before the first
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

// newFold starts with nothing. The export, unless it is nil, will be held against the state at the size of the log that
// it names.
func newFold(export projection.ExportFile) (*fold, error) {
	f := &fold{states: newStates(maxHot)}
	if export == nil {
		return f, nil
	}
	head, err := export.Head()
	if err != nil {
		return nil, err
	}
	f.export, f.exportSize = export, head.Log.Size
	return f, nil
}

// Keep makes the replay keep what Tables needs to show the entries of its tables. It is called before the first record.
func (f *fold) Keep() { f.keeps = true }

// Reached tells how far the log has come, after each record of any wing.
func (f *fold) Reached(head audit.Head) {
	f.root = head.Root
	if head.Size == f.exportSize {
		f.exportErr = f.compareExport(head)
	}
}

// Requirements returns how many requirements there are.
func (f *fold) Requirements() int { return len(f.states.byID) }

// Keys returns the keys that the log was signed with, oldest first.
func (f *fold) Keys() []record.ChosenKey { return f.keys }

// Rollbacks returns the parts of the log that were given up.
func (f *fold) Rollbacks() []projection.Rollback { return f.project.Rollbacks }

func (f *fold) put(req lifecycle.Requirement) error {
	_, err := f.states.put(req)
	return err
}

// answered is a first answer, as far as decisions need it and the table can be compared.
type answered struct {
	at     time.Time
	size   int // of the answer, as encoded
	sum    ledger.Sum
	packed []byte // the answer, compressed; only when the replay keeps it
}

func (f *fold) remember(key string, answer record.FirstAnswer) error {
	raw, err := ledger.Encode(answer)
	if err != nil {
		return err
	}
	if f.answers == nil {
		f.answers = map[string]answered{}
	}
	a := answered{at: answer.At, size: len(raw), sum: sha256.Sum256(raw)}
	if f.keeps {
		a.packed = f.states.pack(raw)
	}
	f.answers[key] = a
	return nil
}

// Tables makes fold a ledger.Replay.
func (f *fold) Tables() ([]ledger.Contents, error) {
	reports, err := ledger.ContentsOf(record.TableReports, f.reports)
	if err != nil {
		return nil, err
	}
	var inForce map[string][]record.Credential
	if f.tokens != nil {
		inForce = map[string][]record.Credential{record.KeyTokens: f.tokens}
	}
	tokens, err := ledger.ContentsOf(record.TableTokens, inForce)
	if err != nil {
		return nil, err
	}
	project, err := f.projectTable()
	if err != nil {
		return nil, err
	}
	return []ledger.Contents{f.requirementsTable(), f.answersTable(), reports, tokens, project}, nil
}

func (f *fold) requirementsTable() ledger.Contents {
	return ledger.Contents{
		Table: projection.TableRequirements.Name,
		Sums:  sumsOf(f.states.byID, func(s *replayed) ledger.Sum { return s.sum }),
		Entry: f.states.raw,
	}
}

func (f *fold) answersTable() ledger.Contents {
	return ledger.Contents{
		Table: record.TableIdempotency.Name,
		Sums:  sumsOf(f.answers, func(a answered) ledger.Sum { return a.sum }),
		Entry: func(key string) []byte { return f.states.unpack(f.answers[key].packed, f.answers[key].size) },
	}
}

// projectTable returns the table of the project, which was never written to while nothing is known of it.
func (f *fold) projectTable() (ledger.Contents, error) {
	now, err := ledger.Encode(f.project)
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
