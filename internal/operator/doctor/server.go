package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store/pgstore/inspect"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/storage"
)

// Bounds beyond which the database server is not as it should be.
const (
	oldSnapshot  = time.Minute
	agedSnapshot = 10 * time.Minute
	muchBehind   = 256 << 20 // bytes of WAL
	longBehind   = 10 * time.Second
	manyDead     = 100_000 // rows
)

// lookAtServer looks at a log that lies in a database, and at the server.
//
// Implements: ORC-380
func (e records) lookAtServer(ctx context.Context) {
	place := e.Store.In(e.Data)
	if place.URL() != "" {
		s, err := inspect.Look(ctx, place.URL(), database.DutyLease)
		if err != nil {
			e.fail("server", Problem, err)
			return
		}
		serverNotes{e.notes}.judgeServer(s)
	}
	if e.known.served {
		e.say("database", OK, "", "the service has it open: %s", place)
		return
	}
	s, err := place.Open(ctx, storage.Options{ReadOnly: true})
	if err == nil {
		err = e.read(ctx, s)
		err = errors.Join(err, s.Close())
	}
	switch {
	case fault.Is(err, ledger.CodeEmpty):
		e.say("database", Warning, e.orchestrator("up"), "there is no log in %s yet; the first start makes it", place)
	case err != nil:
		e.fail("database", Problem, err)
	}
}

// serverNotes takes what is found about a server.
type serverNotes struct{ *notes }

// judgeServer says what follows from what a server answered.
func (e serverNotes) judgeServer(s inspect.Server) {
	if s.Standby {
		e.advise("server", Problem, "name the primary in the URL, or all of them with target_session_attrs=read-write",
			"%s is a standby, which takes no change", s.Place)
		return
	}
	holder := "nobody is on duty"
	if s.Holder != "" {
		holder = s.Holder + " is on duty"
	}
	e.say("server", OK, "", "PostgreSQL %s, %s; %s", s.Version, s.Place, holder)
	if s.Writable != nil {
		e.fail("server", Problem, s.Writable)
	}
	e.judgeSettings(s.Settings)
	e.judgeSnapshots(s)
	e.judgeStandbys(s)
	e.judgeTables(s.Tables)
}

// judgeSettings looks for settings by which a commit that was acknowledged can be lost.
func (e serverNotes) judgeSettings(has map[string]string) {
	for _, name := range []string{"fsync", "full_page_writes"} {
		if has[name] != "on" {
			e.advise("server", Problem, "ALTER SYSTEM SET "+name+" = on; SELECT pg_reload_conf()",
				"%s is %s: a crash of the machine can lose or damage what was acknowledged", name, has[name])
		}
	}
	const commitOn = "ALTER SYSTEM SET synchronous_commit = on; SELECT pg_reload_conf(); see also ALTER ROLE"
	standbys := has["synchronous_standby_names"]
	switch commit := has["synchronous_commit"]; {
	case commit == "off":
		e.advise("server", Problem, commitOn,
			"synchronous_commit is off: changes are acknowledged before they are on the disk")
	case standbys == "":
		e.say("server", OK, "", "no synchronous standby: what was acknowledged is on the disk of one server; a standby "+
			"that is promoted may lack the last of it")
	case commit == "local":
		e.advise("server", Problem, commitOn,
			"synchronous_commit is local: the standbys %s are not waited for", standbys)
	default:
		e.say("server", OK, "", "synchronous standbys: %s", standbys)
	}
	if has["autovacuum"] != "on" {
		e.advise("server", Problem, "ALTER SYSTEM SET autovacuum = on; SELECT pg_reload_conf()",
			"autovacuum is off: old versions of rows stay, and every change gets slower")
	}
}

// judgeSnapshots looks for transactions that keep old versions of rows.
func (e serverNotes) judgeSnapshots(s inspect.Server) {
	const advice = "end it: SELECT pg_terminate_backend(pid) FROM pg_stat_activity …; " +
		"idle_in_transaction_session_timeout ends such transactions"
	const found = "%s has had a transaction open for %s: every change gets slower meanwhile"
	switch {
	case s.Snapshot > agedSnapshot:
		e.advise("server", Problem, advice, found, s.By, s.Snapshot.Round(time.Second))
	case s.Snapshot > oldSnapshot:
		e.advise("server", Warning, advice, found, s.By, s.Snapshot.Round(time.Second))
	case !s.SeesAll:
		e.advise("server", Warning, "GRANT pg_read_all_stats to the role, or look as a superuser",
			"transactions and standbys of other roles cannot be seen")
	}
}

// judgeStandbys looks for servers that follow too slowly, and for those that have gone and are waited for.
func (e serverNotes) judgeStandbys(s inspect.Server) {
	for _, standby := range s.Standbys {
		if standby.Behind > muchBehind || standby.Lag > longBehind {
			e.advise("server", Warning, "see why it is slow: its disk, its network, or a query that conflicts",
				"standby %s (%s, %s) is %d MiB and %s behind", standby.Name, standby.State, standby.Sync,
				standby.Behind>>mebibytes, standby.Lag.Round(time.Millisecond))
		}
	}
	if names := s.Settings["synchronous_standby_names"]; names != "" && s.SeesAll && !anySync(s.Standbys) {
		e.advise("server", Problem, "start a standby that synchronous_standby_names names, or take it out of that list",
			"no synchronous standby is connected (%s): every change waits for one", names)
	}
	for _, slot := range s.Slots {
		if !slot.Active && slot.Kept > muchBehind {
			e.advise("server", Problem, "start who reads it, or SELECT pg_drop_replication_slot('"+slot.Name+"')",
				"nobody reads the replication slot %s, which keeps %d MiB of WAL: the disk will fill", slot.Name,
				slot.Kept>>mebibytes)
		}
	}
}

func anySync(all []inspect.Standby) bool {
	for _, standby := range all {
		if standby.Sync == "sync" || standby.Sync == "quorum" {
			return true
		}
	}
	return false
}

// judgeTables says how large the tables are, and which are not vacuumed.
func (e serverNotes) judgeTables(all []inspect.Table) {
	var sizes []string
	for _, table := range all {
		if table.Bytes > 0 { // one that is only made of others has none
			sizes = append(sizes, fmt.Sprintf("%s %.1f MB", table.Name, float64(table.Bytes)/1e6))
		}
		if table.Dead > manyDead && table.Dead > 4*table.Live {
			e.advise("server", Warning, "VACUUM "+table.Name+"; then see why autovacuum does not come to it",
				"table %s has %d old versions of %d rows", table.Name, table.Dead, table.Live)
		}
	}
	e.say("server", OK, "", "tables: %s", strings.Join(sizes, ", "))
}
