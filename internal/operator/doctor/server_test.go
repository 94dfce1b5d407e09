package doctor

import (
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store/pgstore/inspect"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
	"orchestrator/internal/ledger/store/pgstore/postgres"
	"orchestrator/internal/operator/moving"
	"orchestrator/internal/operator/storage"
)

// onDatabase is a project whose log was moved to a server.
func onDatabase(t *testing.T, url string) Options {
	t.Helper()
	o := newProject(t)
	place, err := storage.Find(t.Context(), o.Data, storage.Given{URL: url})
	require.NoError(t, err)
	_, err = moving.Move(t.Context(), moving.InFolder(o.Data), moving.At(place), moving.Options{Now: time.Now})
	require.NoError(t, err)
	o.Store = place
	return o
}

// said returns all that was found about something, in one text.
func said(all []Finding) string {
	var text strings.Builder
	for _, f := range all {
		text.WriteString(string(f.Level) + " " + f.What + "; " + f.Advice + "\n")
	}
	return text.String()
}

// Verifies: ORC-380
func TestTheDoctorLooksAtTheServer(t *testing.T) {
	primary := pgtest.Start(t, "fsync=on")
	url := pgtest.With(t, primary.URL(""), "search_path", "shop")
	o := onDatabase(t, url)
	r := examine(t, o)
	require.Empty(t, found(r, "server"))
	require.Empty(t, found(r, "database"))
	all := said(r.Findings)
	require.Contains(t, all, "PostgreSQL ")
	require.Contains(t, all, "nobody is on duty")
	require.Contains(t, all, "no synchronous standby")
	require.Contains(t, all, "tables: entries_hot")

	pgtest.Exec(t, primary, "", "ALTER SYSTEM SET autovacuum = off",
		"ALTER SYSTEM SET synchronous_commit = off", "SELECT pg_reload_conf()")
	require.Eventually(t, func() bool { return len(found(examine(t, o), "server")) == 2 }, 10*time.Second, time.Second)
	text := said(found(examine(t, o), "server"))
	require.Contains(t, text, "problem synchronous_commit is off")
	require.Contains(t, text, "problem autovacuum is off")
}

// Verifies: ORC-380
func TestTheDoctorLooksAtStandbys(t *testing.T) {
	primary := pgtest.Start(t, "fsync=on")
	standby := pgtest.Standby(t, primary, postgres.StandbyOptions{Name: "second", Synchronous: true})
	schema := func(s *postgres.Server) string { return pgtest.With(t, s.URL(""), "search_path", "shop") }
	o := onDatabase(t, schema(primary))
	r := examine(t, o)
	require.Empty(t, found(r, "server"))
	require.Contains(t, said(r.Findings), "synchronous standbys: ")

	at := func(url string) Options {
		moved := o
		var err error
		moved.Store, err = storage.Find(t.Context(), o.Data, storage.Given{URL: url})
		require.NoError(t, err)
		return moved
	}
	require.Eventually(t, func() bool {
		text := said(found(examine(t, at(schema(standby))), "server"))
		return strings.Contains(text, "is a standby")
	}, 30*time.Second, time.Second)
	require.NoError(t, standby.Halt())
	require.Eventually(t, func() bool {
		text := said(found(examine(t, o), "server"))
		return strings.Contains(text, "problem no synchronous standby is connected")
	}, 30*time.Second, time.Second)
}

// A server that cannot be reached, a schema without a log, and a role that may not write are findings.
//
// Verifies: ORC-380
func TestTheDoctorFindsADatabaseThatCannotBeUsed(t *testing.T) {
	o := newProject(t)
	require.NoError(t, os.Remove(o.Data.Database()))
	look := func(url string) string {
		t.Helper()
		var err error
		o.Store, err = storage.Find(t.Context(), o.Data, storage.Given{URL: url})
		require.NoError(t, err)
		text := said(append(found(examine(t, o), "server"), found(examine(t, o), "database")...))
		require.Contains(t, text, "problem")
		require.NotContains(t, text, "secret")
		return text
	}
	require.Contains(t, look("postgres://ada:secret@127.0.0.1:1/shop"), "127.0.0.1:1")
	at := pgtest.URL(t)
	require.Contains(t, look(at), "there is no log in schema")

	server := pgtest.Shared(t)
	used := onDatabase(t, at)
	address, err := url.Parse(at)
	require.NoError(t, err)
	schema := address.Query().Get("search_path")
	pgtest.Exec(t, server, "", "CREATE ROLE looker LOGIN PASSWORD 'secret'", "GRANT USAGE ON SCHEMA "+schema+" TO looker",
		"GRANT SELECT ON ALL TABLES IN SCHEMA "+schema+" TO looker")
	t.Cleanup(func() { pgtest.Exec(t, server, "", "DROP OWNED BY looker", "DROP ROLE looker") })
	o = used
	text := look(pgtest.With(t, at, "user", "looker"))
	require.Contains(t, text, "the role looker lacks")
	require.Contains(t, text, "cannot be seen")
	require.Contains(t, text, "fsync is off")
}

// Verifies: ORC-380
func TestWhatAServerShows(t *testing.T) {
	good := map[string]string{"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "autovacuum": "on"}
	for want, s := range map[string]inspect.Server{
		"":                         {SeesAll: true},
		"warning ada has had a":    {SeesAll: true, Snapshot: 2 * time.Minute, By: "ada"},
		"problem ada has had a":    {SeesAll: true, Snapshot: time.Hour, By: "ada"},
		"warning standby b":        {SeesAll: true, Standbys: []inspect.Standby{{Name: "b", Lag: time.Minute}}},
		"warning standby c":        {SeesAll: true, Standbys: []inspect.Standby{{Name: "c", Behind: 1 << 30}}},
		"problem nobody reads the": {SeesAll: true, Slots: []inspect.Slot{{Name: "old", Kept: 1 << 30}}},
		"warning table t has":      {SeesAll: true, Tables: []inspect.Table{{Name: "t", Live: 1, Dead: 1 << 20}}},
		"warning transactions and": {},
	} {
		s.Settings = good
		e := &examination{notes: &notes{}}
		serverNotes{e.notes}.judgeServer(s)
		text := said(found(e.report, "server"))
		require.Equal(t, want == "", text == "", text)
		require.Contains(t, text, want)
	}
	local := map[string]string{"fsync": "on", "full_page_writes": "off", "synchronous_commit": "local",
		"synchronous_standby_names": "b", "autovacuum": "on"}
	e := &examination{notes: &notes{}}
	serverNotes{e.notes}.judgeServer(inspect.Server{SeesAll: true, Settings: local,
		Standbys: []inspect.Standby{{Name: "b", Sync: "sync"}}})
	text := said(found(e.report, "server"))
	require.Contains(t, text, "full_page_writes is off")
	require.Contains(t, text, "synchronous_commit is local")
}

// A database file whose log was moved away is no database any more.
func TestTheDoctorFindsALogThatMoved(t *testing.T) {
	o := onDatabase(t, pgtest.URL(t))
	o.Store = storage.Place{}
	text := said(found(examine(t, o), "database"))
	require.Contains(t, text, "problem")
	require.Contains(t, text, "was moved to postgres://")
}
