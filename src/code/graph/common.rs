//! Names that standard libraries give to members of everything.

/// On a receiver of which nothing is known, one of these is more likely a member
/// of a standard library's type than the only one of that name in the tree.
const COMMON: &[&str] = &[
    "add", "all", "any", "append", "apply", "args", "as_bytes", "as_mut", "as_ref", "as_slice",
    "as_str", "assert", "async", "await", "bind", "borrow", "call", "catch", "chain", "chars",
    "clear", "clone", "close", "cmp", "code", "collect", "compare", "concat", "connect", "contains",
    "contains_key", "copy", "count", "create", "data", "debug", "decode", "default", "delete",
    "deref", "description", "dispose", "done", "drain", "drop", "each", "emit", "empty", "encode",
    "end", "ends_with", "endswith", "entries", "entry", "eq", "equals", "err", "error", "exec",
    "execute", "exists", "exit", "expect", "extend", "extension", "fail", "fetch", "file", "fill",
    "filter", "finally", "find", "find_all", "findall", "finish", "first", "flat_map", "flush",
    "fmt", "fold", "forEach", "for_each", "format", "from", "get", "getAttribute", "getItem",
    "getName", "get_mut", "get_or_insert_with", "group", "has", "hasNext", "hash", "hashCode",
    "head", "id", "includes", "index", "indexOf", "index_of", "info", "init", "insert", "inspect",
    "into", "into_iter", "invoke", "isEmpty", "is_empty", "is_none", "is_some", "is_ok", "is_err",
    "items", "iter", "iter_mut", "join", "key", "keys", "kind", "last", "len", "length", "line",
    "lines", "list", "listen", "load", "lock", "log", "lookup", "lower", "map", "map_err", "match",
    "matches", "max", "merge", "message", "min", "name", "new", "next", "now", "of", "ok", "on",
    "once", "open", "or_default", "or_else", "or_insert", "or_insert_with", "parent", "parse",
    "partition", "path", "peek", "poll", "pop", "position", "post", "print", "printf", "println",
    "process", "push", "push_str", "put", "query", "quote", "range", "raise", "read", "ready",
    "recv", "reduce", "register", "release", "remove", "removeAll", "render", "replace", "request",
    "require", "reset", "resolve", "result", "retain", "return", "rev", "reverse", "rsplit", "run",
    "save", "search", "seek", "select", "send", "set", "setItem", "setUp", "setdefault", "shift",
    "shutdown", "size", "skip", "sleep", "slice", "some", "sort", "sorted", "source", "span",
    "spawn", "splice", "split", "start", "startsWith", "starts_with", "startswith", "state",
    "status", "stop", "stream", "string", "strip", "sub", "submit", "subscribe", "sum", "take",
    "test", "text", "then", "to", "toArray", "toList", "toString", "to_owned", "to_s", "to_string",
    "to_vec", "transform", "trim", "truncate", "type", "unwrap", "unwrap_or", "unwrap_or_default",
    "unwrap_or_else", "update", "upper", "use", "val", "validate", "value", "values", "visit",
    "wait", "walk", "warn", "warning", "with", "wrap", "write", "write_all", "write_str", "zip",
];

/// Whether standard libraries give many things a member of this name.
#[must_use]
pub fn is_common(name: &str) -> bool {
    COMMON.contains(&name)
}
