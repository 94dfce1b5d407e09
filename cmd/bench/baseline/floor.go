package baseline

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"path"
	"sync/atomic"

	"orchestrator/internal/datadir"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
)

// bytesHandler returns the floor of GET.
func bytesHandler(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // the client would see it
	}
}

// serveFloor serves the floor of PATCH from a new database, with a write-ahead log or without.
func serveFloor(ctx context.Context, bytes stored, wal bool) error {
	db, err := boltstore.Open(datadir.Dir(datadir.Default).Database(), boltstore.Options{WAL: wal})
	if err != nil {
		return err
	}
	if err := seed(ctx, db, bytes); err != nil {
		return errors.Join(err, db.Close())
	}
	return errors.Join(serve(ctx, commitHandler(db, bytes)), db.Close())
}

// seed fills the store with as many requirements as the product has.
func seed(ctx context.Context, db *boltstore.Store, bytes stored) error {
	return db.Update(ctx, func(tx store.Tx) error {
		for _, id := range bytes.ids {
			if err := tx.Put("requirements", id, bytes.requirement); err != nil {
				return err
			}
		}
		return nil
	})
}

// commitHandler returns the floor of PATCH: it reads the body and commits the requirement and the record, with the
// product's sizes, through the product's store.
func commitHandler(db *boltstore.Store, bytes stored) http.HandlerFunc {
	var last atomic.Uint64
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPatch {
			return
		}
		_, err := io.ReadAll(r.Body)
		if err == nil {
			err = db.Update(r.Context(), func(tx store.Tx) error {
				if err := tx.Put("requirements", path.Base(r.URL.Path), bytes.requirement); err != nil {
					return err
				}
				return tx.Put("audit", string(binary.BigEndian.AppendUint64(nil, last.Add(1))), bytes.record)
			})
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}
