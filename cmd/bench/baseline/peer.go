package baseline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// tables are those of the peer. Its documents are text: PostgreSQL would parse jsonb, and store other bytes.
const tables = `
CREATE TABLE requirements (id text PRIMARY KEY, document text NOT NULL, revision bigint NOT NULL DEFAULT 1);
CREATE TABLE audit (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL DEFAULT now(),
	requirement text NOT NULL, record text NOT NULL)`

var (
	errUnknown = errors.New("there is no such requirement")
	errLax     = errors.New("PostgreSQL does not wait for the disk; the comparison would mean nothing")
)

// connect returns a pool of connections to the database that FileDatabase names.
func connect(ctx context.Context) (*pgxpool.Pool, error) {
	database, err := os.ReadFile(FileDatabase)
	if err != nil {
		return nil, err
	}
	return pgxpool.New(ctx, strings.TrimSpace(string(database)))
}

// servePeer serves the peer from a database that is empty.
func servePeer(ctx context.Context, bytes stored) error {
	pool, err := connect(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := prepare(ctx, pool, bytes); err != nil {
		return err
	}
	web := chi.NewRouter()
	web.Get("/", func(http.ResponseWriter, *http.Request) {})
	web.Patch("/requirements/{id}", updateHandler(pool, bytes))
	return serve(ctx, web)
}

// prepare fills the database, and makes sure that its commits are durable.
func prepare(ctx context.Context, pool *pgxpool.Pool, bytes stored) error {
	for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		var value string
		if err := pool.QueryRow(ctx, "SELECT current_setting($1)", setting).Scan(&value); err != nil {
			return err
		}
		if value != "on" {
			return fmt.Errorf("%w: %s is %s", errLax, setting, value)
		}
	}
	// A script of several statements has no parameters, and runs without being prepared.
	if _, err := pool.Exec(ctx, tables, pgx.QueryExecModeSimpleProtocol); err != nil {
		return err
	}
	rows := pgx.CopyFromSlice(len(bytes.ids), func(i int) ([]any, error) {
		return []any{bytes.ids[i], string(bytes.requirement)}, nil
	})
	if _, err := pool.CopyFrom(ctx, pgx.Identifier{"requirements"}, []string{"id", "document"}, rows); err != nil {
		return err
	}
	_, err := pool.Exec(ctx, "ANALYZE") // a plan made on an empty table would stay
	return err
}

// updateHandler returns the peer of PATCH: one transaction that replaces the document and inserts the record.
func updateHandler(pool *pgxpool.Pool, bytes stored) http.HandlerFunc {
	requirement, record := string(bytes.requirement), string(bytes.record)
	return func(w http.ResponseWriter, r *http.Request) {
		id := chi.URLParam(r, "id")
		_, err := io.ReadAll(r.Body)
		if err == nil {
			err = pgx.BeginFunc(r.Context(), pool, func(tx pgx.Tx) error {
				const update = "UPDATE requirements SET document = $2, revision = revision + 1 WHERE id = $1"
				done, err := tx.Exec(r.Context(), update, id, requirement)
				if err == nil && done.RowsAffected() != 1 {
					err = errUnknown
				}
				if err != nil {
					return err
				}
				_, err = tx.Exec(r.Context(), "INSERT INTO audit (requirement, record) VALUES ($1, $2)", id, record)
				return err
			})
		}
		switch {
		case errors.Is(err, errUnknown):
			http.Error(w, err.Error(), http.StatusNotFound)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}
}
