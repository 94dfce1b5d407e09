package session

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Statement is one statement, which is prepared once on each connection. All its parameters and results are binary.
type Statement struct {
	Name, SQL string
}

// Call is one use of a statement.
type Call struct {
	Statement *Statement
	Params    [][]byte
}

// Row is one row of a result; nil is NULL.
type Row [][]byte

// Conn is one connection. It is used by one goroutine at a time.
type Conn struct {
	pg       *pgconn.PgConn
	place    string
	prepared map[*Statement]*pgconn.StatementDescription
	trips    *atomic.Uint64
	warning  string
	broken   atomic.Bool
}

var binaryFormat = []int16{1}

// Prepare prepares statements in one round trip.
func (c *Conn) Prepare(statements []*Statement) error {
	c.count()
	pipeline := c.pg.StartPipeline(context.Background())
	for _, s := range statements {
		pipeline.SendPrepare(s.Name, s.SQL, nil)
	}
	err := pipeline.Sync()
	for i := 0; err == nil && i < len(statements); i++ {
		var got any
		if got, err = pipeline.GetResults(); err == nil {
			description, is := got.(*pgconn.StatementDescription)
			if !is {
				err = fmt.Errorf("prepare answers %T", got)
				break
			}
			description.Name = statements[i].Name
			c.prepared[statements[i]] = description
		}
	}
	closed := pipeline.Close()
	if err == nil {
		err = closed
	}
	return c.failure(err)
}

// Do runs calls in one round trip, and returns their rows. Outside of a transaction block they are a transaction.
func (c *Conn) Do(calls ...Call) ([][]Row, error) {
	c.count()
	c.warning = ""
	batch := &pgconn.Batch{}
	for _, call := range calls {
		batch.ExecStatement(c.prepared[call.Statement], call.Params, binaryFormat, binaryFormat)
	}
	results := make([][]Row, 0, len(calls))
	reader := c.pg.ExecBatch(context.Background(), batch)
	for reader.NextResult() {
		results = append(results, rows(reader.ResultReader()))
	}
	if err := c.failure(reader.Close()); err != nil {
		return nil, err
	}
	return results, nil
}

func rows(from *pgconn.ResultReader) (all []Row) {
	for from.NextRow() {
		row := make(Row, len(from.Values()))
		for i, value := range from.Values() {
			if value != nil {
				row[i] = append(make([]byte, 0, len(value)), value...)
			}
		}
		all = append(all, row)
	}
	return all
}

// Script runs statements of plain SQL in one round trip.
func (c *Conn) Script(sql string) error {
	c.count()
	c.warning = ""
	return c.failure(c.pg.Exec(context.Background(), sql).Close())
}

// Ask runs one statement of plain SQL and returns its rows as text.
func (c *Conn) Ask(sql string, params ...string) ([]Row, error) {
	c.count()
	values := make([][]byte, len(params))
	for i, p := range params {
		values[i] = []byte(p)
	}
	reader := c.pg.ExecParams(context.Background(), sql, values, nil, nil, nil)
	all := rows(reader)
	_, err := reader.Close()
	return all, c.failure(err)
}

func (c *Conn) count() {
	if c.trips != nil {
		c.trips.Add(1)
	}
}

// Wait waits for a notification.
func (c *Conn) Wait() error { return c.failure(c.pg.WaitForNotification(context.Background())) }

// Limit bounds how long the server may leave the connection without an answer, until the returned function is called.
func (c *Conn) Limit(d time.Duration) (end func()) {
	_ = c.pg.Conn().SetDeadline(time.Now().Add(d)) // of a closed connection the next call tells
	return func() { _ = c.pg.Conn().SetDeadline(time.Time{}) }
}

// notice notes a warning: it says of a commit that it may not have been replicated.
func (c *Conn) notice(n *pgconn.Notice) {
	if n.SeverityUnlocalized == "WARNING" || n.SeverityUnlocalized == "" {
		c.warning = n.Code + " " + n.Message
	}
}

// Warning returns the warning that came with the last call, or "".
func (c *Conn) Warning() string { return c.warning }

// InTransaction reports whether a transaction block is open.
func (c *Conn) InTransaction() bool { return c.pg.TxStatus() != 'I' }

// Broken reports whether the connection is of no more use.
func (c *Conn) Broken() bool { return c.broken.Load() || c.pg.IsClosed() }

// Close closes the connection without waiting for the server, and without cancelling what runs there. Any goroutine may
// call it.
func (c *Conn) Close() {
	c.broken.Store(true)
	_ = c.pg.Conn().Close() // there is nothing more to be done with it
}

// Int returns the eight bytes of an integer.
func Int(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// Number returns the integer of a column of type bigint; 0 of NULL.
func Number(column []byte) uint64 {
	if len(column) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(column)
}

// The types of the elements of arrays.
const (
	Bytea uint32 = 17
	Text  uint32 = 25
)

// Array returns an array of values of a type in its binary form.
func Array(of uint32, values [][]byte) []byte {
	size := 20
	for _, v := range values {
		size += 4 + len(v)
	}
	var b bytes.Buffer
	b.Grow(size)
	head := []uint32{1, 0, of, uint32(len(values)), 1}
	if len(values) == 0 {
		head = []uint32{0, 0, of}
	}
	word := make([]byte, 4)
	put := func(n uint32) {
		binary.BigEndian.PutUint32(word, n)
		b.Write(word)
	}
	for _, n := range head {
		put(n)
	}
	for _, v := range values {
		put(uint32(len(v)))
		b.Write(v)
	}
	return b.Bytes()
}
