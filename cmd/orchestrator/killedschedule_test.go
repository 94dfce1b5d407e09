package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// scheduled makes a schedule that is due once, a moment later, and returns its id. What is due are two tools, each on
// record when it begins and when it ends.
func scheduled(t *testing.T, p *process) string {
	t.Helper()
	var made answer
	for soon := time.Second; soon < patience; soon *= 2 { // on a busy machine the time may be over when it arrives
		body := fmt.Sprintf(`{"obligations":[{"type":"SCHEDULE","payload":{"at":%q,"obligations":[
{"type":"ACHIEVE","payload":{"kind":"shop.noted","what":"first"}},
{"type":"ACHIEVE","payload":{"kind":"shop.noted","what":"second"}}]}}]}`, time.Now().Add(soon).UTC().Format(time.RFC3339Nano))
		var err error
		made, err = p.call(request{role: "coder", method: "POST", path: "/obligations", body: body})
		require.NoError(t, err)
		if made.status != http.StatusUnprocessableEntity || !strings.Contains(made.body, "schedule_time") {
			break
		}
	}
	require.Equal(t, http.StatusOK, made.status, made.body)
	var run killedState
	require.NoError(t, json.Unmarshal([]byte(made.body), &run))
	return run.ID + "-o1"
}

// keptSchedule is what is compared of a schedule.
type keptSchedule struct {
	Runs    int        `json:"runs"`
	Skipped int        `json:"skipped"`
	Next    *time.Time `json:"next"`
	Last    *struct {
		Run    string `json:"run"`
		Status string `json:"status"`
		Error  string `json:"error"`
	} `json:"last"`
}

// conducted returns a schedule when what is due has been conducted.
func conducted(t *testing.T, p *process, id string) (of keptSchedule) {
	t.Helper()
	require.NoError(t, poll(func() error {
		got, err := p.call(request{role: "coder", method: "GET", path: "/schedules/" + id})
		if err != nil {
			return err
		}
		if got.status != http.StatusOK {
			return fatal{errors.New(got.body)} // it was acknowledged
		}
		of = keptSchedule{}
		if err := json.Unmarshal([]byte(got.body), &of); err != nil || of.Last == nil {
			return errors.Join(err, errors.New("nothing has been conducted yet"))
		}
		return nil
	}))
	return of
}

// At every durable write of what a schedule has due, the service is killed. When it is back, that time has been
// conducted once: by one run, in which nothing that is on record runs again.
//
// Verifies: ORC-258
func TestKilledAtEveryWriteOfAScheduledRun(t *testing.T) {
	t.Parallel()
	dir := killedProject(t, "true")
	p := startServer(t, dir, "--deterministic")
	database := filepath.Join(dir, ".orchestrator/state.db")
	id := scheduled(t, p)
	before := commits(database)
	want := conducted(t, p, id)
	require.Equal(t, "resolved", want.Last.Status, want.Last.Error)
	require.Equal(t, 1, want.Runs)
	writes := commits(database) - before
	require.GreaterOrEqual(t, writes, uint64(6), "its time is taken, each tool has begun and ended, and the run has ended")
	require.NoError(t, p.stop(0))
	require.Equal(t, map[string]int{"shop.note first": 1, "shop.note second": 1}, ranLines(t, dir))
	for point := range writes + 1 { // at 0, before it is due
		killedWhenDue(t, point)
	}
}

func killedWhenDue(t *testing.T, point uint64) {
	dir := killedProject(t, "true")
	p := startServer(t, dir, "--deterministic")
	database := filepath.Join(dir, ".orchestrator/state.db")
	id := scheduled(t, p)
	before := commits(database)
	for end := time.Now().Add(patience); commits(database) < before+point && time.Now().Before(end); {
		time.Sleep(100 * time.Microsecond)
	}
	p.kill()
	ended, ran := endedRuns(t, dir), ranLines(t, dir)

	p = startServer(t, dir, "--deterministic")
	got := conducted(t, p, id)
	require.NoError(t, p.stop(0))
	requireInOrder(t, dir)
	require.Equal(t, "resolved", got.Last.Status, "after %d writes: %s", point, got.Last.Error)
	require.Equal(t, 1, got.Runs, "after %d writes", point)
	require.Zero(t, got.Skipped, "after %d writes", point)
	require.Nil(t, got.Next, "after %d writes: it is due once", point)
	again := 0
	for line, times := range ranLines(t, dir) {
		if ended[line] {
			require.Equal(t, ran[line], times, "after %d writes: %s is on record, and ran again", point, line)
		}
		again += times - 1
	}
	require.Len(t, ranLines(t, dir), 2, "after %d writes: both have run", point)
	require.LessOrEqual(t, again, 1, "after %d writes: only what was cut off runs again", point)
}
