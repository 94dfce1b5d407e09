// Package inspect asks a PostgreSQL server how it fares as the store of a log. It changes nothing.
package inspect

import (
	"context"
	"strconv"
	"time"

	"orchestrator/internal/ledger/store/pgstore/schema"
	"orchestrator/internal/ledger/store/pgstore/session"
)

// patience is how long one question may take.
const patience = 5 * time.Second

// Server is what was found.
type Server struct {
	Place    string
	Version  string
	Standby  bool              // it follows another server, and takes no commit
	Settings map[string]string // those of Asked, as they are in force on this connection

	SeesAll  bool          // the role sees what other roles do; without that, what follows is of its own sessions
	Snapshot time.Duration // age of the oldest open snapshot
	By       string        // who has it

	Standbys []Standby
	Slots    []Slot
	Tables   []Table
	Writable error  // why the role may not write the log; nil where it may
	Holder   string // who is on duty; "" if nobody is
}

// Asked are the names of the settings that are asked for.
var Asked = []string{"fsync", "full_page_writes", "synchronous_commit", "synchronous_standby_names", "autovacuum"}

// Standby is a server that follows this one.
type Standby struct {
	Name   string
	State  string        // streaming, catchup, …
	Sync   string        // sync, quorum, potential or async
	Behind int64         // bytes of WAL that it has not flushed
	Lag    time.Duration // until it flushed what was written last, as far as it is known
}

// Slot is a replication slot, which keeps WAL until it was read.
type Slot struct {
	Name   string
	Active bool
	Kept   int64 // bytes of WAL
}

// Table is a table of the log, with its indexes.
type Table struct {
	Name       string
	Bytes      int64
	Live, Dead int64 // rows, as the server estimates them
}

// Look asks the server at a connection string. The error is why it, or the schema, cannot be used.
func Look(ctx context.Context, connection, lease string) (s Server, err error) {
	config, err := session.Parse(connection)
	if err != nil {
		return s, err
	}
	s.Place = config.Place()
	c, err := config.Connect(ctx, session.Options{ReadOnly: true, Statement: patience, Idle: patience})
	if err != nil {
		return s, err
	}
	defer c.Close()
	defer c.Limit(8 * patience)()
	q := &questions{c: c, schema: config.Schema()}
	if err := schema.Prepare(c, config.Schema(), schema.Look); err != nil {
		return s, err
	}
	s.Settings = map[string]string{}
	s.ask(q, lease)
	if q.err == nil && !s.Standby {
		s.Writable = schema.Prepare(c, config.Schema(), schema.Create) // it is there: only the rights are looked at
	}
	return s, q.err
}

// ask asks everything.
func (s *Server) ask(q *questions, lease string) {
	s.Version = q.one("SHOW server_version")
	s.Standby = q.one("SELECT pg_is_in_recovery()") == "t"
	for _, name := range Asked {
		s.Settings[name] = q.one("SELECT current_setting($1)", name)
	}
	s.SeesAll = q.one("SELECT pg_has_role('pg_read_all_stats', 'usage')") == "t"
	for _, row := range q.all("SELECT extract(epoch FROM now() - xact_start), usename || ' (' || application_name || " +
		"')' FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid() AND datname = " +
		"current_database() AND xact_start IS NOT NULL ORDER BY xact_start LIMIT 1") {
		s.Snapshot, s.By = seconds(row[0]), string(row[1])
	}
	if !s.Standby {
		s.askStandbys(q)
	}
	for _, row := range q.all("SELECT relname, pg_total_relation_size(relid), n_live_tup, n_dead_tup FROM "+
		"pg_stat_user_tables WHERE schemaname = $1 ORDER BY relname", q.schema) {
		s.Tables = append(s.Tables, Table{string(row[0]), number(row[1]), number(row[2]), number(row[3])})
	}
	for _, row := range q.all("SELECT holder FROM "+q.schema+".leases WHERE name = $1 AND until > now()", lease) {
		s.Holder = string(row[0])
	}
}

// askStandbys asks who follows the server, and who keeps WAL.
func (s *Server) askStandbys(q *questions) {
	for _, row := range q.all("SELECT application_name, coalesce(state, ''), coalesce(sync_state, ''), " +
		"coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn), 0)::bigint, " +
		"coalesce(extract(epoch FROM flush_lag), 0) FROM pg_stat_replication ORDER BY application_name") {
		s.Standbys = append(s.Standbys, Standby{string(row[0]), string(row[1]), string(row[2]), number(row[3]),
			seconds(row[4])})
	}
	for _, row := range q.all("SELECT slot_name, active, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), " +
		"restart_lsn), 0)::bigint FROM pg_replication_slots ORDER BY slot_name") {
		s.Slots = append(s.Slots, Slot{string(row[0]), string(row[1]) == "t", number(row[2])})
	}
}

// questions asks until one fails.
type questions struct {
	c      *session.Conn
	schema string
	err    error
}

func (q *questions) all(sql string, params ...string) []session.Row {
	if q.err != nil {
		return nil
	}
	var rows []session.Row
	rows, q.err = q.c.Ask(sql, params...)
	return rows
}

func (q *questions) one(sql string, params ...string) string {
	rows := q.all(sql, params...)
	if len(rows) == 0 || len(rows[0]) == 0 {
		return ""
	}
	return string(rows[0][0])
}

func number(column []byte) int64 {
	n, _ := strconv.ParseInt(string(column), 10, 64)
	return n
}

func seconds(column []byte) time.Duration {
	n, _ := strconv.ParseFloat(string(column), 64)
	return time.Duration(n * float64(time.Second))
}
