-- The definitions of a working tree and what refers to what, as far as each file
-- says by itself. What a name means is found out when it is asked.

CREATE TABLE file (
    id       INTEGER PRIMARY KEY,
    path     TEXT NOT NULL UNIQUE, -- from the root, with /
    language TEXT NOT NULL,
    module   TEXT NOT NULL,        -- the key of its module: a path, or its package
    size     INTEGER NOT NULL,     -- bytes
    modified INTEGER NOT NULL,     -- nanoseconds since 1970
    hash     BLOB NOT NULL,        -- first 16 bytes of its SHA-256
    problem  TEXT                  -- why it was not read, if it was not
) STRICT;

-- Each name and each receiver once.
CREATE TABLE word (
    id   INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE symbol (
    id         INTEGER PRIMARY KEY,
    file       INTEGER NOT NULL,
    parent     INTEGER,          -- the symbol around it
    name       INTEGER NOT NULL, -- a word
    scope      TEXT NOT NULL,    -- the names around it, joined by dots
    owner      TEXT,             -- the type whose member it is
    kind       TEXT NOT NULL,
    line       INTEGER NOT NULL, -- of its name
    first_line INTEGER NOT NULL,
    last_line  INTEGER NOT NULL,
    gives      TEXT,             -- what it is, or gives where it is called
    twin       INTEGER NOT NULL, -- how many of the same name in its scope stand before it
    refers_from INTEGER NOT NULL, -- the first position of what it refers to
    refers_to   INTEGER NOT NULL  -- the last; before the first where there is none
) STRICT;

CREATE TABLE import (
    file   INTEGER NOT NULL,
    local  TEXT NOT NULL,        -- * for all names of the module
    module TEXT NOT NULL,        -- ./ before an exact key
    name   TEXT                  -- NULL for the module itself
) STRICT;

CREATE TABLE base (
    file  INTEGER NOT NULL,
    owner TEXT NOT NULL,         -- a type
    base  TEXT NOT NULL          -- what it builds on
) STRICT;

-- By file and in order, so that what a symbol refers to stands together.
CREATE TABLE reference (
    file     INTEGER NOT NULL,
    position INTEGER NOT NULL,   -- in the file's references
    name     INTEGER NOT NULL,   -- a word
    receiver INTEGER NOT NULL,   -- a word; empty for a bare name
    role     INTEGER NOT NULL,   -- 0 call, 1 type, 2 value, 3 import
    symbol   INTEGER NOT NULL,   -- the innermost symbol around it
    line     INTEGER NOT NULL,
    PRIMARY KEY (file, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE resolver (
    field  TEXT NOT NULL,        -- type.field of a schema, in lower case without _
    file   INTEGER NOT NULL,
    symbol INTEGER NOT NULL
) STRICT;

CREATE INDEX file_module ON file (module);
CREATE INDEX symbol_name ON symbol (name);
CREATE INDEX symbol_file ON symbol (file, first_line);
CREATE INDEX symbol_owner ON symbol (owner) WHERE owner IS NOT NULL;
CREATE INDEX import_file ON import (file, local);
CREATE INDEX import_default ON import (local, module) WHERE name = 'default';
CREATE INDEX base_file ON base (file);
CREATE INDEX base_owner ON base (owner);
CREATE INDEX resolver_field ON resolver (field);
CREATE INDEX resolver_file ON resolver (file);
CREATE INDEX reference_name ON reference (name, file);

-- For people at the `sqlite3` prompt.

CREATE VIEW listing AS
SELECT file.path || ':' || symbol.line AS location,
       symbol.kind AS kind,
       CASE symbol.scope WHEN '' THEN word.text ELSE symbol.scope || '.' || word.text END AS symbol,
       symbol.gives AS gives
FROM symbol JOIN file ON file.id = symbol.file JOIN word ON word.id = symbol.name
ORDER BY file.path, symbol.line;

CREATE VIEW sites AS
SELECT file.path || ':' || reference.line AS location,
       name.text AS name,
       receiver.text AS receiver,
       CASE reference.role WHEN 0 THEN 'call' WHEN 1 THEN 'type' WHEN 2 THEN 'value' ELSE 'import' END AS role
FROM reference
JOIN file ON file.id = reference.file
JOIN word AS name ON name.id = reference.name
JOIN word AS receiver ON receiver.id = reference.receiver;
