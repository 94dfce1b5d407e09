-- Every value of the log under its table and key, both opaque bytes; bytea sorts bytewise under every collation.
-- Values are kept as they are, uncompressed, those over 2 KB outside of their rows.
CREATE TABLE entries (
    tbl   bytea NOT NULL,
    key   bytea NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (tbl, key)
) PARTITION BY LIST (tbl);
ALTER TABLE entries ALTER COLUMN value SET STORAGE EXTERNAL;

-- Tables that only grow: their pages are filled.
CREATE TABLE entries_log PARTITION OF entries FOR VALUES IN ('audit', 'blobs') WITH (fillfactor = 100);

-- A few rows that each commit writes: a page has room for many versions of each, so that no index is touched.
CREATE TABLE entries_hot PARTITION OF entries FOR VALUES IN ('meta', 'spent', 'ring') WITH (
    fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0);

-- What is written now and then.
CREATE TABLE entries_state PARTITION OF entries DEFAULT WITH (fillfactor = 50);

ALTER TABLE entries_log ALTER COLUMN value SET STORAGE EXTERNAL;
ALTER TABLE entries_hot ALTER COLUMN value SET STORAGE EXTERNAL;
ALTER TABLE entries_state ALTER COLUMN value SET STORAGE EXTERNAL;

-- The one row that gives all commits their order: how many there were, and a random name of the last one.
CREATE TABLE head (
    id    smallint PRIMARY KEY CHECK (id = 1),
    rev   bigint NOT NULL,
    nonce bytea  NOT NULL
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0);
INSERT INTO head VALUES (1, 0, '\x00');

-- The last commit of each process, by which it finds out whether a commit without an answer took place.
CREATE TABLE writers (
    id    bytea PRIMARY KEY,
    nonce bytea NOT NULL,
    since timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0);

-- Who may do alone what has a name, until when by the clock of the server, and the number that fences earlier holders.
CREATE TABLE leases (
    name   text PRIMARY KEY,
    holder text        NOT NULL,
    fence  bigint      NOT NULL,
    until  timestamptz NOT NULL
) WITH (fillfactor = 20);

-- Which migrations this schema has.
CREATE TABLE orchestrator_schema (
    version    int PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO orchestrator_schema (version) VALUES (1);
