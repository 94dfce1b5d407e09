package storage

import (
	"context"

	"orchestrator/internal/ledger/store/pgstore"
)

// openPostgres opens a schema of a PostgreSQL database.
func openPostgres(ctx context.Context, url string, o Options) (Store, error) {
	opened, err := pgstore.Open(ctx, url, pgstore.Options{ReadOnly: o.ReadOnly, Migrate: o.Migrate})
	if err != nil {
		return nil, err
	}
	return database{opened}, nil
}

// database is a store in a schema of a database.
type database struct{ *pgstore.Store }

// Stats implements Store.
func (d database) Stats() Stats {
	s := d.Store.Stats()
	return Stats{Batches: s.Batches, Updates: s.Updates, Failed: s.Failed, Trips: s.Trips}
}
