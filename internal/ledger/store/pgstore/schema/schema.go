// Package schema holds the tables of the store on PostgreSQL, as numbered migrations in plain SQL.
package schema

import (
	"embed"
	"fmt"
	"strconv"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store/pgstore/session"
)

// Version is the newest version of the schema, which this program needs.
const Version = 1

// The codes of schemas that cannot be used.
const (
	CodeForeign fault.Code = "store_foreign"      // it holds what is not of this program
	CodeOlder   fault.Code = "store_schema_older" // it lacks migrations
	CodeNewer   fault.Code = "store_schema_newer" // a newer program made it
	CodeMissing fault.Code = "store_missing"      // there is none, and it is not to be made
)

//go:embed migrations
var files embed.FS

// SQL returns the statements that bring a schema from a version to the newest one; 0 is an empty schema.
func SQL(from int) string {
	var all strings.Builder
	for v := from + 1; v <= Version; v++ {
		text, err := files.ReadFile(fmt.Sprintf("migrations/%04d.sql", v))
		if err != nil {
			panic(err) // it is embedded
		}
		all.Write(text)
	}
	return all.String()
}

// What may be done to a schema.
type Permission int

// The permissions, each with those before it.
const (
	Look    Permission = iota // only see whether it is right
	Create                    // make it where there is none
	Migrate                   // bring an older one up to date
)

// Prepare brings the schema to the version of this program as far as it may, and refuses one that it cannot use.
//
// Implements: ORC-347
func Prepare(c *session.Conn, name string, may Permission) error {
	at, err := version(c, name)
	if err != nil {
		return err
	}
	if err := judge(name, at, Version, may); err != nil {
		return err
	}
	if at < Version {
		err = apply(c, name)
	}
	if err != nil {
		return err
	}
	return checkRights(c, name, may)
}

// judge refuses a schema at a version that a program cannot use that needs another one.
func judge(name string, at, needed int, may Permission) error {
	if at > needed {
		return fault.New(fault.Unavailable, CodeNewer, "schema %s has version %d; this program knows %d", name, at,
			needed).
			WithFix("use the version of the program that made it, or a newer one")
	}
	if at > 0 && at < needed && may < Migrate {
		return fault.New(fault.Unavailable, CodeOlder, "schema %s has version %d; this program needs %d", name, at,
			needed).
			WithFix("stop all replicas, then apply the migrations: orchestrator upgrade, or as docs/postgres.md says")
	}
	if at == 0 && may == Look {
		return fault.New(fault.Unavailable, CodeMissing, "there is no log in schema %s", name).
			WithFix("name the schema of the log by search_path in the connection string")
	}
	return nil
}

// version returns the version of a schema, 0 where there is none or an empty one.
func version(c *session.Conn, name string) (int, error) {
	rows, err := c.Ask("SELECT to_regclass($1) IS NOT NULL, (SELECT count(*) FROM pg_class r "+
		"JOIN pg_namespace n ON n.oid = r.relnamespace WHERE n.nspname = $2)",
		name+".orchestrator_schema", name)
	if err != nil {
		return 0, err
	}
	if string(rows[0][0]) != "t" {
		if string(rows[0][1]) == "0" {
			return 0, nil
		}
		return 0, fault.New(fault.Unavailable, CodeForeign, "schema %s holds tables of another program", name).
			WithFix("name an empty schema, or one that does not exist, by search_path in the connection string")
	}
	if rows, err = c.Ask("SELECT coalesce(max(version), 0) FROM " + name + ".orchestrator_schema"); err != nil {
		return 0, err
	}
	at, err := strconv.Atoi(string(rows[0][0]))
	if err == nil && at == 0 {
		err = fault.New(fault.Unavailable, CodeForeign, "schema %s does not say its version", name).
			WithFix("name an empty schema, or one that does not exist, by search_path in the connection string")
	}
	return at, err
}

// needed are the rights that a role needs, by table; to look, only the first of each.
const needed = "(VALUES ('entries', 'SELECT'), ('head', 'SELECT'), ('leases', 'SELECT'), ('writers', 'SELECT'), " +
	"('entries', 'INSERT'), ('entries', 'UPDATE'), ('entries', 'DELETE'), ('head', 'UPDATE'), " +
	"('leases', 'INSERT'), ('leases', 'UPDATE'), ('writers', 'INSERT'), ('writers', 'UPDATE'), " +
	"('writers', 'DELETE')) " +
	"AS n (tbl, privilege)"

// checkRights refuses a role that lacks a right, instead of the first change that needs it.
func checkRights(c *session.Conn, name string, may Permission) error {
	rows, err := c.Ask("SELECT current_user, string_agg(privilege || ' on ' || tbl, ', ') FROM "+needed+
		" WHERE NOT has_table_privilege($1 || '.' || tbl, privilege) AND ($2 <> '0' OR privilege = 'SELECT')",
		name, strconv.Itoa(int(may)))
	if err != nil || len(rows[0][1]) == 0 {
		return err
	}
	return fault.New(fault.Unavailable, session.CodeRights, "schema %s: the role %s lacks %s", name, rows[0][0],
		rows[0][1]).WithFix("grant it the rights that docs/postgres.md lists")
}

// apply applies the missing migrations in one transaction. Of several processes that come at once one does.
func apply(c *session.Conn, name string) error {
	err := c.Script("BEGIN; SELECT pg_advisory_xact_lock(hashtext('orchestrator ' || current_database()), hashtext('" +
		name + "')); SET LOCAL client_min_messages=error")
	if err == nil {
		err = applyLocked(c, name)
	}
	if err != nil {
		if !c.Broken() {
			_ = c.Script("ROLLBACK") // the first error says more
		}
		return err
	}
	return c.Script("COMMIT")
}

func applyLocked(c *session.Conn, name string) error {
	at, err := version(c, name)
	if err != nil || at >= Version {
		return err
	}
	rows, err := c.Ask("SELECT FROM pg_namespace WHERE nspname = $1", name)
	if err != nil {
		return err
	}
	create := ""
	if len(rows) == 0 {
		create = "CREATE SCHEMA " + name + "; "
	}
	return c.Script(create + SQL(at))
}
