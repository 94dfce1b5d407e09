package moving

import (
	"context"
	"maps"
	"slices"

	"orchestrator/internal/ledger/store"
)

// tableMeta is the table of a log that says where it stands: without it nobody opens the log.
const tableMeta = "meta"

// hidden is a store that has all of a log but the table meta, as it will be with that table: so that the log can be
// verified before anybody else can open it. It is only read.
type hidden struct {
	store.Store

	meta map[string][]byte
}

// View makes hidden read as a store does.
func (h hidden) View(ctx context.Context, fn func(store.Reader) error) error {
	return h.Store.View(ctx, func(r store.Reader) error { return fn(shown{r, h.meta}) })
}

// shown is a Reader with the table meta.
type shown struct {
	store.Reader

	meta map[string][]byte
}

func (s shown) Get(table, key string) ([]byte, error) {
	if table == tableMeta {
		return s.meta[key], nil
	}
	return s.Reader.Get(table, key)
}

// GetMany makes shown a store.ManyGetter.
func (s shown) GetMany(places []store.Place) ([][]byte, error) {
	values, err := store.GetMany(s.Reader, places)
	for i, at := range places {
		if err == nil && at.Table == tableMeta {
			values[i] = s.meta[at.Key]
		}
	}
	return values, err
}

func (s shown) Scan(table, from, to string, visit func(key string, value []byte) error) error {
	if table != tableMeta {
		return s.Reader.Scan(table, from, to, visit)
	}
	for _, key := range slices.Sorted(maps.Keys(s.meta)) {
		if key < from || to != "" && key >= to {
			continue
		}
		if err := visit(key, s.meta[key]); err != nil {
			return err
		}
	}
	return nil
}
