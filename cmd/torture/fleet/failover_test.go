package fleet

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store/pgstore/postgres"
	"orchestrator/internal/system/child"
)

// How many times the long form strikes, and how long it may take.
const (
	longKills   = 100
	longStrikes = 40
	longest     = 40 * time.Minute
)

// newFleet starts replicas on a database of their own.
func newFleet(t *testing.T, o StandbyOptions, replicas int) *Fleet {
	t.Helper()
	d, p := newDatabase(t, o), newProject(t)
	f, err := New(t.Context(), p, d, replicas, 25, t.Logf)
	require.NoError(t, err)
	return f
}

// run runs strikes, and judges.
func (f *Fleet) runAndJudge(t *testing.T, strikes ...Strike) Judgement {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	require.NoError(t, f.Run(ctx, 8, strikes...))
	j, err := f.Judge(5 * time.Minute)
	require.NoError(t, err)
	require.NotZero(t, j.Acknowledged)
	t.Logf("%+v", j)
	return j
}

// Nothing that was acknowledged is lost when the primary is killed and its synchronous standby promoted, and work goes
// on soon after it.
//
// Verifies: ORC-384, ORC-386
func TestPromotionsLoseNothing(t *testing.T) {
	kills := longKills
	if testing.Short() {
		kills = 2
	}
	f := newFleet(t, StandbyOptions{Synchronous: true}, 2)
	f.runAndJudge(t, slices.Repeat([]Strike{Promotion}, kills)...)
	require.Len(t, f.Silences, kills)
	slices.Sort(f.Silences)
	t.Logf("%d promotions, silence after them %v in the middle and %v at most", kills, f.Silences[kills/2],
		f.Silences[kills-1])
	require.NoError(t, f.Project.Close())
	require.NoError(t, f.Project.Replicas()[0].Command(t.Context(), "verify"))
}

// Three replicas answer as one service while they are killed, stopped and cut off, and the primary is replaced.
//
// Verifies: ORC-385, ORC-386
func TestAFleetUnderStrikesIsLinearizable(t *testing.T) {
	f := newFleet(t, StandbyOptions{Synchronous: true}, 3)
	strikes := []Strike{Partition, Kill, Pause, Promotion}
	if !testing.Short() {
		strikes = slices.Repeat(strikes, longStrikes/len(strikes))
	}
	f.runAndJudge(t, strikes...)
}

// The control: a standby that is behind has not all that was acknowledged. The replicas find that out by themselves and
// stop, no start goes on from there by itself, and one that is given leave to says so in the log.
//
// Verifies: ORC-384
func TestALateStandbyLosesAndIsFound(t *testing.T) {
	f := newFleet(t, StandbyOptions{Behind: 300 * time.Millisecond}, 2)
	f.Load.Begin(8, 1)
	require.NoError(t, f.goesOn(t.Context()))
	time.Sleep(time.Second)
	require.NoError(t, f.goesOn(t.Context()))
	_, err := f.Database.FailOver(t.Context())
	require.NoError(t, err)
	for _, r := range f.Project.Replicas() {
		select {
		case <-r.Ended():
			require.Positive(t, r.ExitCode(), r.LastLog())
			require.Contains(t, r.LastLog(), "the database has lost commits")
		case <-time.After(patience):
			require.Fail(t, "a replica goes on from a database that has lost commits", r.LastLog())
		}
	}
	require.NoError(t, f.Load.End())
	for _, r := range f.Project.Replicas() {
		require.ErrorIs(t, r.Start(t.Context()), child.ErrEnded)
		require.Contains(t, r.LastLog(), "--accept-rollback")
	}
	for _, r := range f.Project.Replicas() {
		require.NoError(t, r.Start(t.Context(), "--accept-rollback", "the standby was behind"))
	}
	j, err := f.Load.Judge(f.Project.Replicas()[0])
	require.NoError(t, err)
	require.Positive(t, j.Lost)
	t.Logf("%d of %d acknowledged changes are lost", j.Lost, j.Acknowledged)
}

// readiness is what a replica says of itself.
type readiness struct {
	Replica struct {
		OnDuty bool `json:"on_duty"`
	} `json:"replica"`
}

// onDuty returns the replica that is on duty, other than one, as soon as there is one.
func (f *Fleet) onDuty(t *testing.T, but *Replica) (duty *Replica) {
	t.Helper()
	require.Eventually(t, func() bool {
		for _, r := range f.Project.Replicas() {
			if r == but {
				continue
			}
			c := newCaller(r.Addr, f.Project.secret)
			page, err := c.get("/readyz?verbose")
			c.close()
			var said readiness
			if err == nil && json.Unmarshal(page, &said) == nil && said.Replica.OnDuty {
				duty = r
				return true
			}
		}
		return false
	}, time.Minute, 50*time.Millisecond)
	return duty
}

// A replica that is cut off from the database answers nothing old, and takes no change; healed, it goes on.
//
// Verifies: ORC-385
func TestAReplicaThatIsCutOffAnswersNothingOld(t *testing.T) {
	f := newFleet(t, StandbyOptions{}, 2)
	cut, whole := newCaller(
		f.Project.Replicas()[1].Addr,
		f.Project.secret,
	), newCaller(
		f.Project.Replicas()[0].Addr,
		f.Project.secret,
	)
	defer cut.close()
	defer whole.close()
	change := func(c *caller, mark string) (answer, error) {
		return c.do(http.MethodPatch, "/requirements/REQ-001", `{"implementation":{"summary":"`+mark+
			`","files":[],"commits":["00000000000a"]}}`)
	}
	for _, breaks := range []func(*postgres.Proxy){(*postgres.Proxy).Hold, (*postgres.Proxy).Cut} {
		breaks(f.networks[1])
		got, err := change(whole, "made elsewhere")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, got.status)
		for _, ask := range []func() (answer, error){
			func() (answer, error) { return cut.do(http.MethodGet, "/requirements/REQ-001", "") },
			func() (answer, error) { return change(cut, "made here") },
		} {
			got, err := ask()
			require.NoError(t, err)
			require.Equal(t, http.StatusServiceUnavailable, got.status, "%s", got.body)
			require.NotEmpty(t, got.header.Get("Retry-After"))
		}
		f.networks[1].Heal()
		require.Eventually(t, func() bool {
			got, err := cut.do(http.MethodGet, "/requirements/REQ-001", "")
			note, _ := got.note()
			return err == nil && got.status == http.StatusOK && note == "made elsewhere"
		}, time.Minute, 20*time.Millisecond)
	}
}

// A replica that is stopped while it is on duty is relieved. When it wakes, it does not import the document that was
// changed meanwhile, and does not write the export over that of who relieved it.
//
// Verifies: ORC-385
func TestAReplicaThatWakesDoesNoDuty(t *testing.T) {
	f := newFleet(t, StandbyOptions{}, 2)
	first := f.onDuty(t, nil)
	require.NoError(t, first.Pause())
	changed := "# Fleet\n\n### REQ-001: What a sleeper would import\n\nThe service keeps decision 1.\n"
	require.NoError(t, os.WriteFile(filepath.Join(first.dir, "REQUIREMENTS.md"), []byte(changed), 0o600))
	second := f.onDuty(t, first)
	require.NotSame(t, first, second)
	export := filepath.Join(first.dir, "project_status.json")
	before, err := os.Stat(export)
	require.NoError(t, err)
	require.NoError(t, first.Resume())
	f.Load.Target(first, second)
	f.Load.Begin(4, 1)
	require.NoError(t, f.goesOn(t.Context()))
	time.Sleep(2 * time.Second)
	require.NoError(t, f.Load.End())
	for _, r := range f.Project.Replicas() {
		c := newCaller(r.Addr, f.Project.secret)
		page, err := c.get("/audit?kind=requirements.imported")
		c.close()
		require.NoError(t, err)
		require.NotContains(t, string(page), "What a sleeper would import")
	}
	after, err := os.Stat(export)
	require.NoError(t, err)
	require.Equal(t, before.ModTime(), after.ModTime(), "the export of who was relieved stays as it was")
	j, err := f.Load.Judge(second)
	require.NoError(t, err)
	require.NoError(t, j.Err())

	// The control: on duty again, it imports that document.
	second.Kill()
	require.Same(t, first, f.onDuty(t, second))
	c := newCaller(first.Addr, f.Project.secret)
	defer c.close()
	require.Eventually(t, func() bool {
		page, err := c.get("/audit?kind=requirements.imported")
		return err == nil && strings.Contains(string(page), "What a sleeper would import")
	}, time.Minute, 50*time.Millisecond)
}

// Where the connection string names both hosts, the replicas find the one that was promoted by themselves.
//
// Verifies: ORC-384
func TestBothHostsAreNamed(t *testing.T) {
	d, p := newDatabase(t, StandbyOptions{Synchronous: true}), newProject(t)
	both, err := url.Parse(d.Primary.URL(""))
	require.NoError(t, err)
	query := both.Query()
	query.Set("host", filepath.Dir(d.Primary.Socket())+","+filepath.Dir(d.Standby.Socket()))
	query.Set("target_session_attrs", "read-write")
	both.RawQuery = query.Encode()
	f := &Fleet{Project: p, Database: d, Load: NewLoad(p), rng: rand.New(rand.NewPCG(1, 0)), say: t.Logf}
	for range 2 {
		_, err := p.Join(t.Context(), both.String())
		require.NoError(t, err)
	}
	f.Load.Target(p.Replicas()...)
	f.runAndJudge(t, Promotion)
}
