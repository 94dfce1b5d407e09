package baseline

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
	"orchestrator/internal/ledger/store/pgstore/postgres"
)

func TestFiles(t *testing.T) {
	files, err := Files([]string{"A", "B"}, []byte("{}"), []byte(`{"records":[{"n":1},{"n":2}]}`))
	require.NoError(t, err)
	require.Equal(
		t,
		map[string][]byte{FileIDs: []byte("A\nB\n"), FileRequirement: []byte("{}"), FileRecord: []byte(`{"n":2}`)},
		files,
	)
	for _, page := range []string{`{"records":[]}`, `{`} {
		_, err := Files(nil, nil, []byte(page))
		require.Error(t, err, page)
	}
}

var example = stored{[]string{"REQ-1", "REQ-2"}, []byte(`{"id": "REQ",  "x":1}`), []byte(`{"record":1}`)}

// patch sends two changes of one requirement, and returns how each was answered.
func patch(handler http.Handler, id string) (statuses []int) {
	for range 2 {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodPatch, "/requirements/"+id, strings.NewReader("{}")))
		statuses = append(statuses, w.Code)
	}
	return statuses
}

// The floor commits a requirement and a record for every change.
func TestTheFloorCommits(t *testing.T) {
	db, err := boltstore.Open(t.TempDir()+"/state.db", boltstore.Options{})
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, seed(t.Context(), db, example))
	require.Equal(t, []int{204, 204}, patch(commitHandler(db, example), "REQ-2"))
	records := 0
	require.NoError(t, db.View(t.Context(), func(r store.Reader) error {
		return r.Scan("audit", "", "", func(_ string, record []byte) error {
			records++
			require.Equal(t, example.record, record)
			return nil
		})
	}))
	require.Equal(t, 2, records)
}

// The peer stores the same bytes, updates one row and inserts one for every change, and what it refuses leaves nothing.
func TestThePeerCommits(t *testing.T) {
	parent, err := os.MkdirTemp("", "peer-test-") // t.TempDir is closed to the user that runs the server
	require.NoError(t, err)
	defer os.RemoveAll(parent)
	require.NoError(t, os.Chmod(parent, 0o755))
	database, err := postgres.Start(t.Context(), parent, 4)
	if errors.Is(err, postgres.ErrMissing) {
		t.Skip(err)
	}
	require.NoError(t, err)
	defer func() { require.NoError(t, database.Stop()) }()
	lax, err := pgxpool.New(t.Context(), database.Address(4)+" synchronous_commit=off")
	require.NoError(t, err)
	defer lax.Close()
	require.ErrorIs(t, prepare(t.Context(), lax, example), errLax, "one that does not wait for the disk is no peer")
	pool, err := pgxpool.New(t.Context(), database.Address(4))
	require.NoError(t, err)
	defer pool.Close()
	require.NoError(t, prepare(t.Context(), pool, example))
	web := chi.NewRouter()
	web.Patch("/requirements/{id}", updateHandler(pool, example))
	require.Equal(t, []int{204, 204}, patch(web, "REQ-2"))
	require.Equal(t, []int{404, 404}, patch(web, "REQ-3"))

	var revision, records int
	var document, record string
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT revision, document FROM requirements WHERE id = 'REQ-2'").
		Scan(&revision, &document))
	require.Equal(t, 3, revision)
	require.Equal(t, string(example.requirement), document)
	require.NoError(
		t,
		pool.QueryRow(t.Context(), "SELECT count(*), min(record) FROM audit WHERE requirement = 'REQ-2'").
			Scan(&records, &record),
	)
	require.Equal(t, 2, records)
	require.Equal(t, string(example.record), record)
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM audit").Scan(&records))
	require.Equal(t, 2, records)
}

// The floor that groups, and the handler that does not, put the same.
//
// Verifies: ORC-387
func TestBothHandlersPutTheSame(t *testing.T) {
	pool, err := pgxpool.New(t.Context(), pgtest.Shared(t).Address(4))
	require.NoError(t, err)
	defer pool.Close()
	puts := []Put{
		{[]byte("audit"), []byte("12345678"), []byte("record"), OfChange},
		{[]byte("requirements"), []byte("REQ-1"), []byte("state"), OfRequirement},
		{[]byte("meta"), []byte("head"), []byte("root"), OfAll},
	}
	for _, groups := range []bool{true, false} {
		_, err = pool.Exec(t.Context(), "DROP TABLE IF EXISTS head, added, kept")
		require.NoError(t, err)
		_, err = pool.Exec(t.Context(), entries, pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err)
		p := &putter{puts: puts, pool: pool}
		g := &grouper{p, make(chan grouped, most)}
		commit := p.commit
		if groups {
			commit = g.commit
		}
		var clients sync.WaitGroup
		for i := range 8 {
			clients.Go(func() {
				id := fmt.Sprintf("REQ-%d", i%2)
				if answers := patch(p.handler(commit), id); !slices.Equal(answers, []int{204, 204}) {
					t.Error(answers)
				}
			})
		}
		if groups {
			require.Eventually(t, func() bool { return len(g.queue) == 8 }, time.Minute, time.Millisecond)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go g.run(ctx)
		}
		clients.Wait()
		var added, kept, rev int
		require.NoError(t, pool.QueryRow(
			t.Context(),
			"SELECT (SELECT count(*) FROM added), (SELECT count(*) FROM kept), rev FROM head",
		).Scan(&added, &kept, &rev))
		require.Equal(t, []int{16, 3}, []int{added, kept}, "groups: %v", groups)
		require.Equal(t, groups, rev < 16, "%d transactions, groups: %v", rev, groups)
	}
}
