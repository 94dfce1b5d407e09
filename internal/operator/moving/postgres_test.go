package moving

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
)

// at is the place with a URL.
func at(t *testing.T, url string) Place {
	t.Helper()
	p, err := Find(t.Context(), Given{Flag: "to", Text: url})
	require.NoError(t, err)
	return p
}

// openAt is the store with a URL, until the test has ended.
func openAt(t *testing.T, url string) store.Store {
	t.Helper()
	s, err := pgstore.Open(t.Context(), url, pgstore.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// A log is moved from bbolt to PostgreSQL and back. Records, root and all tables are the same bytes.
//
// Verifies: ORC-375
func TestALogIsMovedToPostgreSQLAndBack(t *testing.T) {
	url := pgtest.URL(t)
	data := lived(t, 1100)
	before := heldIn(t, data)
	require.Greater(t, len(before["audit"]), 1000)

	var turn sync.Mutex
	told := map[string]int{} // how often each step was through with all records
	of := func(step string) func(done, total int) {
		return func(done, total int) {
			turn.Lock()
			defer turn.Unlock()
			if done == total {
				told[step]++
			}
		}
	}
	o := plain
	o.Verified, o.Copied, o.Compared = of("verified"), of("copied"), of("compared")
	done, err := Move(t.Context(), InFolder(data), at(t, url), o)
	require.NoError(t, err)
	require.Equal(t, len(before["audit"]), int(done.Records))
	require.Equal(t, map[string]int{"verified": 2, "copied": 1, "compared": 1}, told)
	s := openAt(t, url)
	requireSame(t, before, held(t, s))
	require.Equal(t, done.Root, requireOrder(t, s).Root)
	again, err := Move(t.Context(), InFolder(data), at(t, url), plain)
	require.NoError(t, err)
	require.True(t, again.Already)
	changeIn(t, s, 20)
	grown := held(t, s)

	_, err = Move(t.Context(), at(t, url), InFolder(data), plain)
	require.NoError(t, err)
	requireSame(t, grown, heldIn(t, data))
	_, err = ledger.Open(t.Context(), s, time.Now)
	requireFault(t, err, moved.Code)
	change(t, data, 1)
}

// A process that moves a log to PostgreSQL, or from there, is killed at every step and in the middle of tables. Nothing
// is half visible, and the same move goes on.
//
// Verifies: ORC-376
func TestAMoveToPostgreSQLThatIsKilledGoesOn(t *testing.T) {
	steps := []string{"noted", "checked", "left"}
	for range 4 {
		steps = append(steps, fmt.Sprint(1+rand.IntN(10)))
	}
	for _, step := range steps {
		url := pgtest.URL(t)
		data, to := lived(t, 40), datadir.Dir(filepath.Join(t.TempDir(), "to"))
		before := heldIn(t, data)
		killed(t, child(t, "bbolt:"+string(data), url, step))
		_, err := ledger.OpenReadOnly(t.Context(), openAt(t, url))
		requireFault(t, err, moved.CodeUnfinished)
		done, err := Move(t.Context(), InFolder(data), at(t, url), plain)
		require.NoError(t, err, step)
		require.True(t, done.Resumed, step)
		requireSame(t, before, held(t, openAt(t, url)))

		killed(t, child(t, url, "bbolt:"+string(to), step))
		require.NoFileExists(t, to.Database())
		_, err = Move(t.Context(), at(t, url), InFolder(to), plain)
		require.NoError(t, err, step)
		requireSame(t, before, heldIn(t, to))
	}
}

// killed runs a process that is killed.
func killed(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	require.ErrorContains(t, err, "signal: killed", "%s", out)
}

// A replica that is on duty is named. One that is not writes no more once the log was moved.
//
// Verifies: ORC-376 ORC-377
func TestAReplicaKeepsItsLog(t *testing.T) {
	url := pgtest.URL(t)
	s := openAt(t, url)
	changeIn(t, s, 1)
	lease, err := s.(store.Leaser).Acquire(t.Context(), leaseName, "http://10.0.0.7:8080", time.Minute)
	require.NoError(t, err)
	to := InFolder(datadir.Dir(filepath.Join(t.TempDir(), "to")))
	_, err = Move(t.Context(), at(t, url), to, plain)
	require.ErrorContains(t, requireFault(t, err, codeInUse), "http://10.0.0.7:8080")
	_, err = Move(t.Context(), InFolder(lived(t, 1)), at(t, url), plain)
	requireFault(t, err, codeInUse)
	require.NoError(t, s.(store.Leaser).Release(t.Context(), lease))

	running, err := ledger.Open(t.Context(), s, time.Now)
	require.NoError(t, err)
	_, err = Move(t.Context(), at(t, url), to, plain)
	require.NoError(t, err)
	err = running.Update(t.Context(), func(tx *ledger.Tx) error {
		return tx.Append(ledger.Event{Kind: "late", Actor: ledger.System()})
	})
	require.ErrorContains(t, err, to.String())
}

// What is no log, or another's, is refused.
func TestADatabaseThatIsNoLog(t *testing.T) {
	url := pgtest.URL(t)
	to := InFolder(datadir.Dir(filepath.Join(t.TempDir(), "to")))
	_, err := Move(t.Context(), at(t, url), to, plain)
	requireFault(t, err, store.CodeMissing)
	openAt(t, url)
	_, err = Move(t.Context(), at(t, url), to, plain)
	requireFault(t, err, ledger.CodeEmpty)
}

// A replica that only reads learns that its log was moved, and ends. One that is older than the log writes nothing where
// it was moved to.
//
// Verifies: ORC-377
func TestAReplicaThatOnlyReadsEnds(t *testing.T) {
	url := pgtest.URL(t)
	_, err := Move(t.Context(), InFolder(lived(t, 5)), at(t, url), plain)
	require.NoError(t, err)
	s := openAt(t, url)
	older, err := ledger.Open(t.Context(), s, time.Now)
	require.NoError(t, err)
	older.Understand(1, []string{ledger.KindCreated})
	err = older.Update(t.Context(), func(tx *ledger.Tx) error {
		return tx.Append(ledger.Event{Kind: ledger.KindCreated, Actor: ledger.System()})
	})
	requireFault(t, err, "replica_older")

	running, err := ledger.Open(t.Context(), s, time.Now)
	require.NoError(t, err)
	require.NoError(t, running.CatchUp(t.Context()))
	to := InFolder(datadir.Dir(filepath.Join(t.TempDir(), "to")))
	_, err = Move(t.Context(), at(t, url), to, plain)
	require.NoError(t, err)
	require.Error(t, running.CatchUp(t.Context()))
	<-running.Failed()
	require.ErrorContains(t, running.Err(), to.String())
}
