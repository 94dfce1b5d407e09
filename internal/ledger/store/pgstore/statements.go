package pgstore

import "orchestrator/internal/ledger/store/pgstore/session"

// entriesOf selects what is at places, by their numbers from 1 on.
const entriesOf = `SELECT k.n, e.value, 0::bigint
FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS k (tbl, key, n)
JOIN entries AS e ON e.tbl = k.tbl AND e.key = k.key`

// The writer's statements. sqlWrite names the last commit that it builds on, $1, and that of itself, $2; it does
// nothing, and returns no row, if another came between. It locks the head first, and the rest only if it has it.
var (
	sqlBegin    = &session.Statement{Name: "begin", SQL: "BEGIN"}
	sqlCommit   = &session.Statement{Name: "commit", SQL: "COMMIT"}
	sqlRollback = &session.Statement{Name: "rollback", SQL: "ROLLBACK"}
	sqlLock     = &session.Statement{Name: "lock", SQL: "SELECT rev, nonce FROM head WHERE id = 1 FOR UPDATE"}
	sqlHead     = &session.Statement{Name: "head", SQL: "SELECT rev, nonce FROM head WHERE id = 1"}
	sqlMine     = &session.Statement{Name: "mine", SQL: "SELECT nonce FROM writers WHERE id = $1"}
	sqlEntries  = &session.Statement{Name: "entries", SQL: entriesOf}

	// What is at places, by number; the fences of leases, by number from -1 down; and with 0 the head.
	sqlFetch = &session.Statement{Name: "fetch", SQL: entriesOf + `
UNION ALL SELECT -l.n, NULL, leases.fence
FROM unnest($3::text[]) WITH ORDINALITY AS l (name, n) JOIN leases ON leases.name = l.name
UNION ALL SELECT 0, nonce, rev FROM head WHERE id = 1`}

	sqlPut = &session.Statement{Name: "put", SQL: `INSERT INTO entries (tbl, key, value)
SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[])
ON CONFLICT (tbl, key) DO UPDATE SET value = EXCLUDED.value`}

	sqlWrite  = &session.Statement{Name: "write", SQL: writing + `SELECT rev FROM h`}
	sqlDelete = &session.Statement{Name: "delete", SQL: writing + `, d AS (
    DELETE FROM entries AS e USING unnest($7::bytea[], $8::bytea[]) AS u (tbl, key)
    WHERE e.tbl = u.tbl AND e.key = u.key AND EXISTS (SELECT FROM h))
SELECT rev FROM h`}

	// It joins the writers, or moves the head on to find out about a commit of its own. Writers that have ended are
	// forgotten after a year; one that lives would be taken for one that lost a commit.
	sqlJoin = &session.Statement{Name: "join", SQL: `WITH h AS (
    UPDATE head SET rev = rev + 1, nonce = $2 WHERE id = 1 RETURNING rev), w AS (
    INSERT INTO writers (id, nonce) SELECT $1, $2 FROM h ON CONFLICT (id) DO UPDATE SET nonce = $2, since = now()), d AS (
    DELETE FROM writers WHERE since < now() - interval '1 year' AND id <> $1)
SELECT rev FROM h`}
)

const writing = `WITH h AS (
    UPDATE head SET rev = rev + 1, nonce = $2 WHERE id = 1 AND nonce = $1 RETURNING rev), w AS (
    UPDATE writers SET nonce = $2, since = now() WHERE id = $3 AND EXISTS (SELECT FROM h)), p AS (
    INSERT INTO entries (tbl, key, value)
    SELECT * FROM unnest($4::bytea[], $5::bytea[], $6::bytea[]) WHERE EXISTS (SELECT FROM h)
    ON CONFLICT (tbl, key) DO UPDATE SET value = EXCLUDED.value)
`

// The statements of Views. One snapshot is taken with the head.
var (
	sqlSnapshot = &session.Statement{Name: "snapshot", SQL: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"}
	sqlGet      = &session.Statement{Name: "get", SQL: "SELECT value FROM entries WHERE tbl = $1 AND key = $2"}
	sqlNewest   = &session.Statement{Name: "newest", SQL: `SELECT rev, value
FROM head LEFT JOIN entries ON tbl = $1 AND key = $2 WHERE id = 1`}

	// A page of a table; values over 64 KiB are left out.
	sqlScan = &session.Statement{Name: "scan", SQL: `SELECT key,
CASE WHEN octet_length(value) <= 65536 THEN value END
FROM entries WHERE tbl = $1 AND key >= $2 AND ($3::bytea IS NULL OR key < $3) ORDER BY key LIMIT $4::bigint`}
)

// The statements of leases. Only the clock of the server counts. Who takes a lease moves the head on, so that a batch
// which ran under the lease before it, anywhere, cannot be committed any more.
var (
	sqlAcquire = &session.Statement{Name: "acquire", SQL: `WITH h AS (
    UPDATE head SET rev = rev + 1, nonce = $4 WHERE id = 1 AND NOT EXISTS (
        SELECT FROM leases WHERE name = $1 AND until > clock_timestamp()) RETURNING rev)
INSERT INTO leases AS l (name, holder, fence, until)
SELECT $1, $2, 1, clock_timestamp() + $3::bigint * interval '1 microsecond' FROM h
ON CONFLICT (name) DO UPDATE SET holder = $2, fence = l.fence + 1, until = EXCLUDED.until
WHERE l.until <= clock_timestamp() RETURNING fence, (SELECT rev FROM h)`}

	sqlHeld = &session.Statement{Name: "held", SQL: `SELECT holder, fence FROM leases
WHERE name = $1 AND until > clock_timestamp()`}
	sqlRenew = &session.Statement{Name: "renew", SQL: `UPDATE leases
SET until = clock_timestamp() + $3::bigint * interval '1 microsecond' WHERE name = $1 AND fence = $2 RETURNING fence`}
	sqlEnd = &session.Statement{Name: "end", SQL: `UPDATE leases SET until = '-infinity'
WHERE name = $1 AND fence = $2`}
)

var (
	writerStatements = []*session.Statement{
		sqlBegin, sqlCommit, sqlRollback, sqlLock, sqlHead, sqlMine, sqlFetch, sqlPut, sqlWrite, sqlDelete, sqlJoin,
	}
	readerStatements = []*session.Statement{
		sqlRollback, sqlHead, sqlEntries, sqlSnapshot, sqlGet, sqlNewest, sqlScan, sqlAcquire, sqlHeld,
		sqlRenew, sqlEnd,
	}
)
