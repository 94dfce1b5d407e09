// Package session makes connections to PostgreSQL for the store: where to, how they are set up, and what their errors
// mean. It sends statements that were prepared once, several in one round trip.
//
// No statement is ever cancelled. A cancelled commit that waits for a standby looks like a success, and shows rows that
// may yet be lost; so a connection that is given up is closed without a word.
package session

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"orchestrator/internal/fault"
)

// DefaultSchema is the schema of a connection string that names none by search_path.
const DefaultSchema = "orchestrator"

// connectTimeout is how long one server may take to answer, unless the connection string says otherwise by
// connect_timeout.
const connectTimeout = 5 * time.Second

// minVersion is the oldest version of PostgreSQL that is supported.
const minVersion = 15

// schemaName matches the names that need no quotes.
var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// Config says where the database is.
type Config struct {
	base   *pgconn.Config
	schema string
	turns  atomic.Uint32 // how often another host has come first
}

// Parse reads a connection string: a URL, or words as libpq takes them. No error repeats it.
func Parse(connection string) (*Config, error) {
	base, err := pgconn.ParseConfig(connection)
	if err != nil {
		return nil, fault.New(fault.Invalid, "store_url", "the connection string of the store cannot be read").
			WithFix("write it as postgres://USER@HOST:PORT/DATABASE?search_path=SCHEMA; docs/postgres.md")
	}
	c := &Config{base: base, schema: DefaultSchema}
	if path, given := base.RuntimeParams["search_path"]; given {
		c.schema = path
	}
	if !schemaName.MatchString(c.schema) {
		return nil, fault.New(fault.Invalid, "store_url", "search_path names %q, which is not the name of one schema",
			fault.Clip(c.schema, 80)).
			WithFix("name one schema in lower-case letters, digits and underscores; it holds one log")
	}
	base.RuntimeParams["search_path"] = c.schema
	if base.RuntimeParams["application_name"] == "" {
		base.RuntimeParams["application_name"] = "orchestrator"
	}
	if base.ConnectTimeout == 0 || base.ConnectTimeout > time.Minute {
		base.ConnectTimeout = connectTimeout
	}
	return c, nil
}

// Schema returns the name of the schema.
func (c *Config) Schema() string { return c.schema }

// Place returns where the log is, as people may read it.
func (c *Config) Place() string {
	hosts := []string{host(c.base.Host, c.base.Port)}
	for _, other := range c.base.Fallbacks {
		if also := host(other.Host, other.Port); also != hosts[len(hosts)-1] {
			hosts = append(hosts, also)
		}
	}
	return fmt.Sprintf("schema %s of database %s at %s", c.schema, c.base.Database, strings.Join(hosts, ", "))
}

func host(name string, port uint16) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return net.JoinHostPort(name, strconv.Itoa(int(port)))
}

// Turn makes the next connections try another of several hosts first: the one that came first answers, and takes no
// commit.
func (c *Config) Turn() { c.turns.Add(1) }

// turned returns the configuration with the hosts in the order of now.
func (c *Config) turned() *pgconn.Config {
	config := c.base.Copy()
	all := append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}},
		config.Fallbacks...)
	var hosts [][]*pgconn.FallbackConfig // each with and without TLS, where that is allowed
	for i, one := range all {
		if i == 0 || one.Host != all[i-1].Host || one.Port != all[i-1].Port {
			hosts = append(hosts, nil)
		}
		hosts[len(hosts)-1] = append(hosts[len(hosts)-1], one)
	}
	first := int(c.turns.Load()) % len(hosts)
	all = slices.Concat(append(slices.Clone(hosts[first:]), hosts[:first]...)...)
	config.Host, config.Port, config.TLSConfig, config.Fallbacks = all[0].Host, all[0].Port, all[0].TLSConfig, all[1:]
	return config
}

// Options are what differs between the connections of a store.
type Options struct {
	ReadOnly  bool          // any server will do, a standby too
	Statement time.Duration // how long a statement may run, the wait of a commit for a standby not counted
	Idle      time.Duration // how long a transaction may wait for its next statement
	Volatile  bool          // nothing is kept by its commits, so they wait for no disk and no standby
	Notified  func(payload string)
	Trips     *atomic.Uint64 // counts round trips
}

// errCancel answers the driver, which would cancel what runs on a connection that breaks.
var errCancel = errors.New("session: nothing is cancelled")

// Connect makes a connection and sets it up.
func (c *Config) Connect(ctx context.Context, o Options) (*Conn, error) {
	made := &Conn{place: c.Place(), trips: o.Trips, prepared: map[*Statement]*pgconn.StatementDescription{}}
	var connected atomic.Bool
	config := c.turned()
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if connected.Load() {
			return nil, errCancel
		}
		return dial(ctx, network, addr)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { made.notice(n) }
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		if o.Notified != nil {
			o.Notified(n.Payload)
		}
	}
	if config.ValidateConnect == nil && !o.ReadOnly {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	var err error
	if made.pg, err = pgconn.ConnectConfig(ctx, config); err != nil {
		if gaveUp := ctx.Err(); errors.Is(gaveUp, context.Canceled) {
			return nil, gaveUp
		}
		return nil, c.refusal(err)
	}
	connected.Store(true)
	if err := made.setUp(o); err != nil {
		made.Close()
		return nil, err
	}
	return made, nil
}

// setUp has the planner use the indexes whatever it believes of the sizes of tables, and bounds what may wait.
func (c *Conn) setUp(o Options) error {
	defer c.Limit(connectTimeout)()
	if version := c.version(); version < minVersion {
		return fault.New(fault.Unavailable, "store_version", "%s: the server is PostgreSQL %d", c.place, version).
			WithFix("use PostgreSQL %d or newer", minVersion)
	}
	settings := fmt.Sprintf("SET enable_seqscan=off; SET enable_bitmapscan=off; SET enable_hashjoin=off; "+
		"SET enable_mergejoin=off; SET enable_memoize=off; SET plan_cache_mode=force_generic_plan; SET jit=off; "+
		"SET client_min_messages=warning; SET default_transaction_isolation='read committed'; "+
		"SET statement_timeout=%d; SET idle_in_transaction_session_timeout=%d",
		o.Statement.Milliseconds(), o.Idle.Milliseconds())
	if o.Volatile {
		settings += "; SET synchronous_commit=off"
	}
	return c.Script(settings)
}

// version returns the major version of the server.
func (c *Conn) version() int {
	text := c.pg.ParameterStatus("server_version")
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		text = text[:end]
	}
	n, _ := strconv.Atoi(text)
	return n
}
