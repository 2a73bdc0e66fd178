//! What a line says in a language: whether it defines something, and whether it
//! is a comment. Judged by the line alone, with a table of expressions, as a
//! search must not parse the tree; `query_graph` does.

use std::{collections::HashMap, ops::Range, path::Path, sync::LazyLock};

use regex::bytes::{Regex, RegexBuilder};

/// How far from a match its line is looked at. A definition's keywords stand
/// before its name, closer than this where people wrote it.
const REACH: usize = 400;

/// A language, or a family of languages whose lines look alike.
pub struct Language {
    /// What begins a comment, at the line's start or after a blank.
    comments: &'static [&'static str],
    /// Whether all of it is prose.
    is_prose: bool,
    /// Captures the name that a line defines, in any of its groups.
    definition: Option<Regex>,
    /// Captures the name that a line's block adds to, likewise.
    addition: Option<Regex>,
}

/// How much of a defined name a match covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Overlap {
    /// All of it, up to its end.
    Whole,
    /// A part of it; or all, of a name that the line only adds to.
    Part,
}

impl Language {
    /// The language of a file, by its extension.
    pub fn of(path: &Path) -> &'static Self {
        let extension = path.extension().and_then(|extension| extension.to_str());
        LANGUAGES.of_extension(extension.unwrap_or_default())
    }

    /// Whether the place in the line is in a comment that begins in this line.
    pub fn is_comment(&self, line: &[u8], at: usize) -> bool {
        if self.is_prose {
            return true;
        }
        let before = line.get(..at.min(REACH)).unwrap_or_default();
        let text = line.trim_ascii_start();
        let begins = |comment: &&str| text.starts_with(comment.as_bytes());
        // Inside of a block, by the custom of a star on each line.
        let in_block = self.comments.contains(&"/*")
            && (text == b"*" || text.starts_with(b"* ") || text.starts_with(b"*/"));
        in_block || self.comments.iter().any(begins) || self.is_trailing(before)
    }

    /// Whether a comment begins after code: after a blank, and not in a text.
    fn is_trailing(&self, before: &[u8]) -> bool {
        let mut in_text = false;
        let mut previous = b'x';
        for (at, byte) in before.iter().enumerate() {
            if *byte == b'"' && previous != b'\\' {
                in_text = !in_text;
            }
            let rest = before.get(at..).unwrap_or_default();
            let begins = |comment: &&str| rest.starts_with(comment.as_bytes());
            if !in_text && previous.is_ascii_whitespace() && self.comments.iter().any(begins) {
                return true;
            }
            previous = *byte;
        }
        false
    }

    /// How much of a name that the line defines the match covers; none where it
    /// defines none, or none there.
    pub fn defines(&self, line: &[u8], found: &Range<usize>) -> Option<Overlap> {
        let overlap = |expression: &Option<Regex>, whole| {
            let names = names(expression.as_ref()?, line, found);
            names
                .filter_map(|name| {
                    if found.start <= name.start && found.end >= name.end {
                        Some(whole)
                    } else if found.start < name.end && found.end > name.start {
                        Some(Overlap::Part)
                    } else {
                        None
                    }
                })
                .min()
        };
        overlap(&self.definition, Overlap::Whole).or_else(|| overlap(&self.addition, Overlap::Part))
    }
}

/// The names that an expression captures near a match.
fn names(
    expression: &Regex,
    line: &[u8],
    found: &Range<usize>,
) -> impl Iterator<Item = Range<usize>> {
    let near = line.get(..found.end.saturating_add(REACH)).unwrap_or(line);
    let mut from = found.start.saturating_sub(REACH);
    std::iter::from_fn(move || {
        let captures = expression.captures_at(near, from)?;
        let name = captures.iter().skip(1).flatten().next()?.range();
        // A name is never empty, so this ends.
        from = name.end;
        Some(name)
    })
    .take_while(|name| name.start < found.end)
}

/// A name, of letters of any alphabet.
const NAME: &str = r"([\w$\x80-\xff]+)";

/// A row of the table: extensions, comments, and the expressions for what a
/// line defines, alternatives in which `NAME` stands for the name.
struct Row {
    extensions: &'static [&'static str],
    comments: &'static [&'static str],
    definitions: &'static [&'static str],
}

const SLASHES: &[&str] = &["//", "/*"];
const HASH: &[&str] = &["#"];

const ROWS: [Row; 19] = [
    Row {
        extensions: &["rs"],
        comments: SLASHES,
        definitions: &[
            r"\b(?:fn|struct|enum|trait|type|union|mod|const|static|static\s+mut|macro_rules!)\s+(?:r#)?NAME",
        ],
    },
    Row {
        extensions: &["go"],
        comments: SLASHES,
        definitions: &[r"^func\s+(?:\([^)]*\)\s*)?NAME", r"\b(?:type|const|var)\s+NAME"],
    },
    Row {
        extensions: &["py", "pyi", "pyx"],
        comments: &["#", "\"\"\"", "'''"],
        definitions: &[r"^\s*(?:async\s+)?(?:def|class|type)\s+NAME", r"^NAME\s*(?::[^=]+)?=[^=]"],
    },
    Row {
        extensions: &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte"],
        comments: SLASHES,
        definitions: &[
            r"\b(?:function\s*\*?|class|interface|type|enum|namespace|const\s+enum|const|let|var)\s+NAME",
            r"^\s*(?:(?:public|private|protected|static|async|readonly|get|set|override|abstract|\*)\s+)*#?NAME\s*(?:<[^>]*>)?\([^)]*\)\s*(?::[^=;]+)?\{\s*$",
            r"\b(?:function\*?\s*)?NAME\s*[:=]\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>)",
        ],
    },
    Row {
        extensions: &["java", "kt", "kts", "scala", "groovy", "gradle", "dart"],
        comments: SLASHES,
        definitions: &[
            r"\b(?:class|interface|enum|record|object|trait|typealias|typedef|mixin|val|var|def)\s+NAME",
            r"\bfun\s+(?:<[^>]*>\s*)?(?:[\w<>?]+\.)?NAME",
            r"^\s*(?:(?:public|private|protected|static|final|abstract|synchronized|native|default|override)\s+)+(?:<[^>]*>\s*)?[\w<>\[\],.? ]+\s+NAME\s*\(",
            r"^\s*[\w<>\[\],.?]+\s+NAME\s*\([^;]*\{\s*$",
        ],
    },
    Row {
        extensions: &["cs"],
        comments: SLASHES,
        definitions: &[
            r"\b(?:class|interface|enum|record|struct|namespace|delegate\s+[\w<>\[\],.?]+)\s+NAME",
            r"^\s*(?:(?:public|private|protected|internal|static|sealed|abstract|virtual|override|async|readonly|partial)\s+)+[\w<>\[\],.? ]+\s+NAME\s*(?:<[^>]*>\s*)?[({=]",
        ],
    },
    Row {
        extensions: &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "cu"],
        comments: SLASHES,
        definitions: &[
            r"^\s*#\s*define\s+NAME",
            r"\b(?:struct|class|enum|union|namespace|concept|enum\s+class)\s+NAME\s*(?:[:{]|$)",
            r"^[A-Za-z_][\w\s*&:<>,]*[\s*&]NAME\s*\([^;]*$",
            r"^[A-Za-z_][\w\s*&:<>,]*\b\w+::~?NAME\s*\([^;]*$",
            r"\btypedef\b.*\bNAME;",
        ],
    },
    Row {
        extensions: &["rb", "rake"],
        comments: HASH,
        definitions: &[
            r"\b(?:def|class|module)\s+(?:self\.)?(?:\w+::)*NAME",
            r"^\s*([A-Z]\w*)\s*=[^=]",
            r"\b(?:attr_\w+|field)\s+:NAME",
        ],
    },
    Row {
        extensions: &["php"],
        comments: &["//", "/*", "#"],
        definitions: &[
            r"\b(?:function\s*&?|class|interface|trait|enum|namespace|const)\s+NAME",
            r"\bdefine\(\s*'NAME'",
        ],
    },
    Row {
        extensions: &["swift"],
        comments: SLASHES,
        definitions: &[
            r"\b(?:func|class|struct|enum|protocol|actor|typealias|let|var|case)\s+NAME",
        ],
    },
    Row {
        extensions: &["sh", "bash", "zsh", "fish"],
        comments: HASH,
        definitions: &[r"^\s*(?:function\s+)?NAME\s*\(\)", r"^\s*function\s+NAME"],
    },
    Row {
        extensions: &["sql"],
        comments: &["--", "/*"],
        definitions: &[
            r#"(?i:\bcreate\s+(?:or\s+replace\s+)?(?:\w+\s+)?(?:table|view|index|function|procedure|trigger|type|schema)\s+(?:if\s+not\s+exists\s+)?["`\[]?)NAME"#,
        ],
    },
    Row {
        extensions: &["graphql", "graphqls", "gql"],
        comments: &["#", "\""],
        definitions: &[
            r"^\s*(?:extend\s+)?(?:type|interface|union|enum|scalar|input|query|mutation|subscription|fragment)\s+NAME",
            r"^\s*directive\s+@NAME",
            r"^\s+NAME\s*(?:\(.*)?:",
        ],
    },
    Row {
        extensions: &["proto"],
        comments: SLASHES,
        definitions: &[r"\b(?:message|service|enum|rpc|extend|oneof)\s+NAME"],
    },
    Row {
        extensions: &["ex", "exs"],
        comments: HASH,
        definitions: &[r"\b(?:def\w*)\s+(?:\w+\.)*NAME"],
    },
    Row {
        extensions: &["lua"],
        comments: &["--"],
        definitions: &[r"\bfunction\s+(?:\w+[.:])*NAME", r"\blocal\s+NAME\s*="],
    },
    Row {
        extensions: &["hs", "elm"],
        comments: &["--", "{-"],
        definitions: &[r"^NAME\s*::", r"^(?:data|newtype|type|class|module)\s+NAME"],
    },
    Row {
        extensions: &["html", "xml", "svg", "css", "scss", "less"],
        comments: &["<!--", "/*"],
        definitions: &[],
    },
    Row {
        extensions: &["toml", "yaml", "yml", "json", "ini", "cfg", "mk", "cmake", "tf"],
        comments: &["#", "//", ";"],
        definitions: &[],
    },
];

/// For every other language: the keywords that most of them share.
const OTHER: Row = Row {
    extensions: &[],
    comments: &["//", "/*", "#", "--", ";;", "%"],
    definitions: &[
        r"\b(?:fn|def|defn|func|function|fun|proc|sub|class|interface|type|struct|enum|trait|module|object|protocol|const|val|let|var)\s+NAME",
    ],
};

/// Extensions of what is written for people.
const PROSE: [&str; 7] = ["md", "mdx", "markdown", "rst", "txt", "adoc", "tex"];

/// What adds to a type that is defined elsewhere, in Rust and Swift.
const ADDITION: &str =
    r"^\s*(?:unsafe\s+)?(?:impl(?:<[^{]*?>)?|extension)\s+(?:[^{]*?\sfor\s+)?(?:\w+::)*NAME";

static LANGUAGES: LazyLock<Languages> = LazyLock::new(Languages::new);

struct Languages {
    by_extension: HashMap<&'static str, Language>,
    other: Language,
    prose: Language,
    places: HashMap<&'static str, &'static str>,
}

impl Languages {
    fn new() -> Self {
        let mut by_extension = HashMap::new();
        let mut places = HashMap::new();
        for row in &ROWS {
            if let Some(first) = row.extensions.first() {
                by_extension.insert(*first, language(row));
                places.extend(row.extensions.iter().map(|extension| (*extension, *first)));
            }
        }
        let prose = Row { extensions: &PROSE, comments: &[], definitions: &[] };
        let prose = Language { is_prose: true, ..language(&prose) };
        Self { by_extension, other: language(&OTHER), prose, places }
    }

    fn of_extension(&self, extension: &str) -> &Language {
        if PROSE.contains(&extension) {
            return &self.prose;
        }
        let first = self.places.get(extension);
        first.and_then(|first| self.by_extension.get(first)).unwrap_or(&self.other)
    }
}

fn language(row: &Row) -> Language {
    let adds = row.extensions.iter().any(|extension| ["rs", "swift"].contains(extension));
    Language {
        comments: row.comments,
        is_prose: false,
        definition: (!row.definitions.is_empty())
            .then(|| compiled(&row.definitions.join("|")))
            .flatten(),
        addition: adds.then(|| compiled(ADDITION)).flatten(),
    }
}

/// The table is our own, so its expressions compile, which a test sees.
fn compiled(expression: &str) -> Option<Regex> {
    RegexBuilder::new(&expression.replace("NAME", NAME)).unicode(false).build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_compiles() {
        for row in ROWS.iter().chain([&OTHER]) {
            assert_eq!(language(row).definition.is_some(), !row.definitions.is_empty());
        }
        assert!(compiled(ADDITION).is_some());
    }

    #[test]
    fn no_extension_stands_in_two_rows() {
        let mut all: Vec<&str> = ROWS.iter().flat_map(|row| row.extensions).copied().collect();
        all.extend(PROSE);
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
