package orchestrator

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"

	"orchestrator/internal/audit"
	"orchestrator/internal/ledger"
	"orchestrator/internal/projection"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/store"
)

// fold is the state that the log amounts to. It is a store.Getter, so that replayed decisions read it.
type fold struct {
	requirements map[string]lifecycle.Requirement
	raw          entries
	answers      entries
	reports      entries
	tokens       entries
	refusals     pastRefusals
	project      projection.Project
	keys         []ChosenKey                 // oldest first
	root         audit.Hash                  // of the log so far
	restores     struct{ first, end uint64 } // the latest records of restores that stand one after the other
	export       []byte
	exportSize   uint64
	exportErr    error // said after the tables were compared: the store may be what is wrong
}

func newFold() *fold {
	return &fold{requirements: map[string]lifecycle.Requirement{}}
}

// entries are the bytes of a table by key; nil is a table that was never written to, which is not the same to the
// ledger as one that was emptied.
type entries map[string][]byte

func (e *entries) set(key string, raw []byte) {
	if *e == nil {
		*e = entries{}
	}
	(*e)[key] = raw
}

func (e entries) sorted() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, key := range slices.Sorted(maps.Keys(e)) {
			if !yield(key, e[key]) {
				return
			}
		}
	}
}

// Get makes the fold readable as the tables it stands for.
func (f *fold) Get(table, key string) ([]byte, error) {
	switch table {
	case projection.TableRequirements.Name:
		return f.raw[key], nil
	case tableIdempotency.Name:
		return f.answers[key], nil
	case tableTokens.Name:
		return f.tokens[key], nil
	}
	return nil, nil
}

func (f *fold) find(id string) (lifecycle.Requirement, int, error) {
	req, _, err := projection.TableRequirements.Get(f, id)
	return req, len(f.raw[id]), err
}

func (f *fold) put(req lifecycle.Requirement) error {
	raw, err := ledger.Encode(req)
	f.requirements[req.ID] = req
	f.raw.set(req.ID, raw)
	return err
}

// table is one table that the log amounts to.
type table struct {
	name    string
	entries entries
}

// tables are all tables that the log amounts to; one that it never wrote to has nil entries.
func (f *fold) tables() ([]table, error) {
	never, err := ledger.Encode(projection.Project{})
	if err != nil {
		return nil, err
	}
	raw, err := ledger.Encode(f.project)
	if err != nil {
		return nil, err
	}
	var project entries
	if !bytes.Equal(raw, never) {
		project.set(projection.KeyProject, raw)
	}
	return []table{
		{projection.TableRequirements.Name, f.raw}, {tableIdempotency.Name, f.answers}, {tableReports.Name, f.reports},
		{tableTokens.Name, f.tokens},
		{projection.TableProject.Name, project},
	}, nil
}

// compare holds the stored tables against the fold.
func (f *fold) compare(r store.Reader) error {
	all, err := f.tables()
	for _, t := range all {
		if err == nil {
			err = compareTable(r, t.name, t.entries)
		}
	}
	return err
}

// fill gives the tables to a builder that has the records of the log.
func (f *fold) fill(ctx context.Context, b *ledger.Builder) error {
	all, err := f.tables()
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.entries == nil {
			continue
		}
		if err := b.Fill(ctx, t.name, t.entries.sorted()); err != nil {
			return err
		}
	}
	return nil
}

func compareTable(r store.Reader, table string, want entries) error {
	left := maps.Clone(want)
	err := r.Scan(table, "", "", func(key string, raw []byte) error {
		expected, found := left[key]
		switch {
		case !found:
			return projection.Disagreement("table %s has %q, which the log does not account for", table, key)
		case !bytes.Equal(expected, raw):
			return projection.Disagreement("table %s, %q is not what the log amounts to", table, key)
		}
		delete(left, key)
		return nil
	})
	if err == nil && len(left) > 0 {
		err = projection.Disagreement("table %s lacks %q, which the log accounts for", table, slices.Sorted(maps.Keys(left))[0])
	}
	return err
}
