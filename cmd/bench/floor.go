package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path"
	"sync/atomic"

	"orchestrator/internal/datadir"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
)

// The floors, and the files in their folder with the bytes of the product.
const (
	floorGet    = "floor-get"
	floorPatch  = "floor-patch"
	floorVerify = "floor-verify"

	fileRequirement = "requirement.json"
	fileRecord      = "record.json"
)

func isFloor(name string) bool { return name == floorGet || name == floorPatch || name == floorVerify }

// runFloor serves a floor from the current folder until ctx ends; that of verification ends by itself.
func runFloor(ctx context.Context, name string) error {
	if name == floorVerify {
		return readHashes(ctx)
	}
	requirement, err := os.ReadFile(fileRequirement)
	if err != nil {
		return err
	}
	if name == floorGet {
		return serveFloor(ctx, bytesHandler(requirement))
	}
	record, err := os.ReadFile(fileRecord)
	if err != nil {
		return err
	}
	db, err := boltstore.Open(datadir.Dir(datadir.Default).Database(), boltstore.Options{})
	if err != nil {
		return err
	}
	if err := seed(ctx, db, requirement); err != nil {
		return errors.Join(err, db.Close())
	}
	return errors.Join(serveFloor(ctx, commitHandler(db, requirement, record)), db.Close())
}

// bytesHandler returns the floor of GET.
func bytesHandler(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // the client would see it
	}
}

// seed fills the store with as many requirements as the product has.
func seed(ctx context.Context, db *boltstore.Store, requirement []byte) error {
	return db.Update(ctx, func(tx store.Tx) error {
		for i := range patched {
			if err := tx.Put("requirements", requirementID(i), requirement); err != nil {
				return err
			}
		}
		return nil
	})
}

// commitHandler returns the floor of PATCH: it reads the body and commits the requirement and the record, with the
// product's sizes, through the product's store.
func commitHandler(db *boltstore.Store, requirement, record []byte) http.HandlerFunc {
	var last atomic.Uint64
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPatch {
			return
		}
		_, err := io.ReadAll(r.Body)
		if err == nil {
			err = db.Update(r.Context(), func(tx store.Tx) error {
				if err := tx.Put("requirements", path.Base(r.URL.Path), requirement); err != nil {
					return err
				}
				return tx.Put("audit", string(binary.BigEndian.AppendUint64(nil, last.Add(1))), record)
			})
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// serveFloor listens, says where in the same file as the product, and serves.
func serveFloor(ctx context.Context, handler http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	web := &http.Server{Handler: handler}
	context.AfterFunc(ctx, func() { _ = web.Close() })
	if err := os.WriteFile(datadir.Dir(datadir.Default).Address(), fmt.Appendln(nil, listener.Addr()),
		0o600); err != nil {
		return err
	}
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
