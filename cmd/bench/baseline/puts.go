package baseline

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Put is one entry that a change puts.
type Put struct {
	Table []byte `json:"table"`
	Key   []byte `json:"key"` // its length counts where each change or requirement has a key of its own
	Value []byte `json:"value"`
	Whose Whose  `json:"whose"`
}

// Whose says whose the key of a put is.
type Whose string

// Whose the keys of puts are.
const (
	OfChange      Whose = "change"      // it is added
	OfRequirement Whose = "requirement" // it takes the place of that of the last change of the requirement
	OfAll         Whose = "all"         // it takes the place of that of the last change
)

// entries are the tables of the handlers that put what the product puts. What is only added lies densely; beside what
// is replaced there is room for its next version.
const entries = `
CREATE TABLE head (id int PRIMARY KEY, rev bigint NOT NULL) WITH (fillfactor = 20);
INSERT INTO head VALUES (1, 0);
CREATE TABLE added (tbl bytea, key bytea, value bytea NOT NULL, PRIMARY KEY (tbl, key));
CREATE TABLE kept (tbl bytea, key bytea, value bytea NOT NULL, PRIMARY KEY (tbl, key)) WITH (fillfactor = 50)`

// servePuts serves the floor that groups changes, or the handler that does not.
func servePuts(ctx context.Context, name string) error {
	content, err := os.ReadFile(FilePuts)
	if err != nil {
		return err
	}
	var puts []Put
	if err := json.Unmarshal(content, &puts); err != nil {
		return err
	}
	pool, err := connect(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, entries, pgx.QueryExecModeSimpleProtocol); err != nil {
		return err
	}
	p := &putter{puts: puts, pool: pool}
	if name == Lone {
		return serve(ctx, p.handler(p.commit))
	}
	g := &grouper{putter: p, queue: make(chan grouped, most)}
	go g.run(ctx)
	return serve(ctx, p.handler(g.commit))
}

// putter makes what each change puts.
type putter struct {
	puts []Put
	pool *pgxpool.Pool
	last atomic.Uint64
}

// handler returns a handler that reads a body and commits what a change puts.
func (p *putter) handler(commit func(context.Context, []Put) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPatch {
			return
		}
		_, err := io.ReadAll(r.Body)
		if err == nil {
			err = commit(r.Context(), p.of(path.Base(r.URL.Path)))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// of returns what the next change of a requirement puts.
func (p *putter) of(requirement string) []Put {
	all := make([]Put, len(p.puts))
	for i, put := range p.puts {
		switch put.Whose {
		case OfChange:
			put.Key = binary.BigEndian.AppendUint64(nil, p.last.Add(1))
		case OfRequirement:
			put.Key = []byte(requirement)
		}
		all[i] = put
	}
	return all
}

// commit makes one transaction of one change, as people write it: one statement after the other.
func (p *putter) commit(ctx context.Context, puts []Put) error {
	return pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
		var rev int64
		if err := tx.QueryRow(ctx, "SELECT rev FROM head WHERE id = 1 FOR UPDATE").Scan(&rev); err != nil {
			return err
		}
		for _, put := range puts {
			statement := "INSERT INTO kept VALUES ($1, $2, $3) ON CONFLICT (tbl, key) DO UPDATE SET value = $3"
			if put.Whose == OfChange {
				statement = "INSERT INTO added VALUES ($1, $2, $3)"
			}
			if _, err := tx.Exec(ctx, statement, put.Table, put.Key, put.Value); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, "UPDATE head SET rev = $1 WHERE id = 1", rev+1)
		return err
	})
}

// most is how many changes one group has.
const most = 1024

// grouped is a change that waits for its group.
type grouped struct {
	puts []Put
	done chan error
}

// grouper commits what has come while the last group was committed as one statement, in one round trip.
type grouper struct {
	*putter
	queue chan grouped
}

var errOver = errors.New("the floor has ended")

func (g *grouper) commit(ctx context.Context, puts []Put) error {
	one := grouped{puts, make(chan error, 1)}
	select {
	case g.queue <- one:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-one.done:
		return err
	case <-ctx.Done():
		return errOver
	}
}

func (g *grouper) run(ctx context.Context) {
	for {
		var group []grouped
		select {
		case one := <-g.queue:
			group = append(group, one)
		case <-ctx.Done():
			return
		}
		for more := true; more && len(group) < most; {
			select {
			case one := <-g.queue:
				group = append(group, one)
			default:
				more = false
			}
		}
		err := g.write(ctx, group)
		for _, one := range group {
			one.done <- err
		}
	}
}

// columns are entries as PostgreSQL takes many of them.
type columns struct{ tables, keys, values [][]byte }

func (c *columns) add(put Put) {
	c.tables, c.keys, c.values = append(c.tables, put.Table), append(c.keys, put.Key), append(c.values, put.Value)
}

// write commits a group. Of several puts of one key the last one counts.
func (g *grouper) write(ctx context.Context, group []grouped) error {
	var added, kept columns
	last := map[string]int{}
	for _, one := range group {
		for _, put := range one.puts {
			name := string(put.Table) + "\x00" + string(put.Key)
			at, known := last[name]
			switch {
			case put.Whose == OfChange:
				added.add(put)
			case known:
				kept.values[at] = put.Value
			default:
				last[name] = len(kept.keys)
				kept.add(put)
			}
		}
	}
	_, err := g.pool.Exec(ctx, `WITH h AS (UPDATE head SET rev = rev + 1 WHERE id = 1),
		a AS (INSERT INTO added SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]))
		INSERT INTO kept SELECT * FROM unnest($4::bytea[], $5::bytea[], $6::bytea[])
		ON CONFLICT (tbl, key) DO UPDATE SET value = EXCLUDED.value`,
		added.tables, added.keys, added.values, kept.tables, kept.keys, kept.values)
	return err
}
