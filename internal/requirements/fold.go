package requirements

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"orchestrator/internal/requirements/record"

	boundary "orchestrator/internal/boundary/record"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// fold is the state that the log amounts to so far.
type fold struct {
	states   *states
	answers  map[string]answered        // by the key of table idempotency; nil before the first
	reports  map[string]record.ReportAt // by the digest of the report; nil before the first
	tokens   []record.Credential        // in force, by their id; nil before the first
	project  projection.Project
	boundary map[string]boundary.Position // by the file of the journal; nil before the first
	ir       map[string][]byte            // what the conductor knows, by key; nil before the first
	keeps    bool                         // what only fill needs

	refusals pastRefusals
	keys     []ChosenKey                 // oldest first
	root     audit.Hash                  // of the log so far
	restores struct{ first, end uint64 } // the latest records of restores that stand one after the other

	export     ExportFile
	exportSize uint64
	exportErr  error // said after the tables were compared: the store may be what is wrong
}

func newFold() *fold { return &fold{states: newStates(maxHot)} }

func (f *fold) put(req lifecycle.Requirement) error {
	_, err := f.states.put(req)
	return err
}

// answered is a first answer, as far as decisions need it and the table can be compared.
type answered struct {
	at     time.Time
	size   int // of the answer, as encoded
	sum    digest
	packed []byte // the answer, compressed; only when the fold keeps it
}

type digest = [sha256.Size]byte

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

// table is one table that the log amounts to.
type table struct {
	name string
	// of the entries; nil is a table that was never written to, which is not the same as one that was emptied
	sums map[string]digest
	raw  func(key string) []byte // an entry
}

// tables are all tables that the log amounts to.
func (f *fold) tables() ([]table, error) {
	reports, err := encoded(f.reports)
	if err != nil {
		return nil, err
	}
	var inForce map[string][]record.Credential
	if f.tokens != nil {
		inForce = map[string][]record.Credential{record.KeyTokens: f.tokens}
	}
	tokens, err := encoded(inForce)
	if err != nil {
		return nil, err
	}
	journal, err := encoded(f.boundary)
	if err != nil {
		return nil, err
	}
	project, err := encoded(map[string]projection.Project{projection.KeyProject: f.project})
	if err != nil {
		return nil, err
	}
	never, err := ledger.Encode(projection.Project{})
	if err != nil {
		return nil, err
	}
	if bytes.Equal(project[projection.KeyProject], never) {
		project = nil
	}
	return []table{
		{projection.TableRequirements.Name, sumsOf(f.states.byID, func(s *replayed) digest { return s.sum }), f.states.raw},
		{record.TableIdempotency.Name, sumsOf(f.answers, func(a answered) digest { return a.sum }), func(key string) []byte {
			return f.states.unpack(f.answers[key].packed, f.answers[key].size)
		}},
		{record.TableReports.Name, sumsOf(reports, sum), func(key string) []byte { return reports[key] }},
		{boundary.Table.Name, sumsOf(journal, sum), func(key string) []byte { return journal[key] }},
		{state.Table.Name, sumsOf(f.ir, sum), func(key string) []byte { return f.ir[key] }},
		{record.TableTokens.Name, sumsOf(tokens, sum), func(key string) []byte { return tokens[key] }},
		{projection.TableProject.Name, sumsOf(project, sum), func(key string) []byte { return project[key] }},
	}, nil
}

func sum(raw []byte) digest { return sha256.Sum256(raw) }

func encoded[V any](values map[string]V) (map[string][]byte, error) {
	if values == nil {
		return nil, nil
	}
	all := make(map[string][]byte, len(values))
	for key, value := range values {
		raw, err := ledger.Encode(value)
		if err != nil {
			return nil, err
		}
		all[key] = raw
	}
	return all, nil
}

func sumsOf[V any](entries map[string]V, sum func(V) digest) map[string]digest {
	if entries == nil {
		return nil
	}
	sums := make(map[string]digest, len(entries))
	for key, value := range entries {
		sums[key] = sum(value)
	}
	return sums
}

// compare holds the stored tables against the fold.
func (f *fold) compare(r store.Reader) error {
	all, err := f.tables()
	for _, t := range all {
		if err == nil {
			err = t.compare(r)
		}
	}
	return err
}

func (t table) compare(r store.Reader) error {
	left := t.sums
	err := r.Scan(t.name, "", "", func(key string, raw []byte) error {
		expected, found := left[key]
		switch {
		case !found:
			return projection.Disagreement("table %s has %q, which the log does not account for", t.name, key)
		case sum(raw) != expected:
			return projection.Disagreement("table %s, %q is not what the log amounts to", t.name, key)
		}
		delete(left, key)
		return nil
	})
	if err == nil && len(left) > 0 {
		err = projection.Disagreement("table %s lacks %q, which the log accounts for", t.name,
			slices.Min(slices.Collect(maps.Keys(left))))
	}
	return err
}

// fill gives the tables to a builder that has the records of the log.
func (f *fold) fill(ctx context.Context, b *ledger.Builder) error {
	if !f.keeps {
		return errors.New("orchestrator: Fill of a Replay that was not told to Keep")
	}
	all, err := f.tables()
	for _, t := range all {
		if err == nil && t.sums != nil {
			err = b.Fill(ctx, t.name, t.entries())
		}
	}
	return err
}

// entries are those of the table in the order of the keys.
func (t table) entries() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, key := range slices.Sorted(maps.Keys(t.sums)) {
			if !yield(key, t.raw(key)) {
				return
			}
		}
	}
}
