-- One schema, ready to be searched. Built once, never updated in place.
-- `element_vector` is created by the build, which knows the model's dimensions.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE schema_text (
    sdl TEXT NOT NULL
) STRICT;

CREATE TABLE element (
    id                 INTEGER PRIMARY KEY,
    coordinate         TEXT NOT NULL UNIQUE,
    kind               TEXT NOT NULL,
    name               TEXT NOT NULL,
    parent             TEXT,             -- coordinate of the type that holds a member
    type_ref           TEXT,             -- SDL notation, for example [Employee!]!
    description        TEXT,
    deprecation_reason TEXT,
    paginated          INTEGER NOT NULL, -- 1 for a field that returns a Relay connection
    depth              INTEGER,          -- fields from a root; NULL where no root leads there
    arguments          INTEGER NOT NULL, -- how many arguments a field takes
    text               TEXT NOT NULL,    -- what was embedded
    text_hash          BLOB NOT NULL,    -- first 16 bytes of its SHA-256
    record             TEXT NOT NULL     -- JSON
) STRICT;

CREATE INDEX element_kind ON element (kind);
CREATE INDEX element_name ON element (name COLLATE NOCASE);
CREATE INDEX element_parent ON element (parent);
CREATE INDEX element_paginated ON element (paginated) WHERE paginated;

-- Identifiers stand here split into words and joined; see `index/words.rs`.
CREATE VIRTUAL TABLE element_words USING fts5 (
    name, owner, type, description, arguments, members,
    content = '',
    tokenize = 'porter unicode61 remove_diacritics 2'
);

-- The meaning of each member's name alone: little-endian 32-bit floats.
CREATE TABLE name_vector (
    name   TEXT PRIMARY KEY,
    vector BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- For people at the `sqlite3` prompt.

CREATE VIEW listing AS
SELECT coordinate,
       type_ref AS type,
       depth,
       CASE WHEN paginated THEN 'yes' ELSE '' END AS paginated,
       CASE WHEN deprecation_reason IS NULL THEN '' ELSE 'yes' END AS deprecated,
       substr(replace(coalesce(description, ''), char(10), ' '), 1, 80) AS description
FROM element
ORDER BY id;

CREATE VIEW summary AS
SELECT key AS what, value FROM meta
UNION ALL
SELECT * FROM (SELECT 'elements of kind ' || kind, count(*) FROM element GROUP BY kind ORDER BY kind);
