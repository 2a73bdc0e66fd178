//! The languages that are read: their grammars, their tag queries, and what
//! little of their ways no query can say.
//!
//! Each `.scm` file names what it captures in one vocabulary:
//!
//! | capture | what it is |
//! |---|---|
//! | `@def.KIND` with `@name` | a definition; `@type` or `@value` says what it gives, `@owner` whose member it is |
//! | `@container` with `@owner` | what holds definitions without being one, an `impl` or an object |
//! | `@base` | what the type around it, or the container, builds on |
//! | `@bind` | a local name; `@type` or `@value` says what it stands for |
//! | `@call`, `@use` | a reference, on `@receiver` if there is one |
//! | `@scope` | where local names end |
//! | `@import`, `@package`, `@decorator` | what they say |
//! | `@ignore` | a name that refers to nothing |

pub mod imports;
pub mod modules;

use std::sync::OnceLock;

use tree_sitter::{Language as Grammar, Query};

/// A language that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "their names say it")]
pub enum Language {
    Rust,
    Go,
    TypeScript,
    Tsx,
    JavaScript,
    Python,
    Java,
    Kotlin,
    CSharp,
    Ruby,
    Php,
}

/// How a bare name finds its definition, beyond scopes and imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only what is in the file or imported.
    File,
    /// Also what is in the same package: a folder, or what a `package` or
    /// `namespace` names.
    Package,
    /// Everything that is loaded.
    Program,
}

use Language::{CSharp, Go, Java, JavaScript, Kotlin, Php, Python, Ruby, Rust, Tsx, TypeScript};

impl Language {
    /// All of them.
    pub const ALL: [Self; 11] =
        [Rust, Go, TypeScript, Tsx, JavaScript, Python, Java, Kotlin, CSharp, Ruby, Php];

    /// The language of a file with this extension.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "rs" => Rust,
            "go" => Go,
            "ts" | "mts" | "cts" => TypeScript,
            "tsx" => Tsx,
            "js" | "mjs" | "cjs" | "jsx" => JavaScript,
            "py" | "pyi" => Python,
            "java" => Java,
            "kt" | "kts" => Kotlin,
            "cs" => CSharp,
            "rb" => Ruby,
            "php" => Php,
            _ => return None,
        })
    }

    /// Its name, as the index has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Rust => "rust",
            Go => "go",
            TypeScript => "typescript",
            Tsx => "tsx",
            JavaScript => "javascript",
            Python => "python",
            Java => "java",
            Kotlin => "kotlin",
            CSharp => "csharp",
            Ruby => "ruby",
            Php => "php",
        }
    }

    /// The language of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.name() == name)
    }

    /// Which languages call each other's code as their own.
    #[must_use]
    pub fn family(self) -> u8 {
        match self {
            Rust => 0,
            Go => 1,
            TypeScript | Tsx | JavaScript => 2,
            Python => 3,
            Java | Kotlin => 4,
            CSharp => 5,
            Ruby => 6,
            Php => 7,
        }
    }

    /// How far a bare name reaches.
    #[must_use]
    pub fn reach(self) -> Reach {
        match self {
            Rust | TypeScript | Tsx | JavaScript | Python => Reach::File,
            Go | Java | Kotlin | CSharp | Php => Reach::Package,
            Ruby => Reach::Program,
        }
    }

    /// Whether a bare name may mean a member of the type around it.
    #[must_use]
    pub fn members_are_bare(self) -> bool {
        matches!(self, Java | Kotlin | CSharp | Ruby)
    }

    /// Whether a type may be called as a function to make a value.
    #[must_use]
    pub fn calls_types(self) -> bool {
        matches!(self, Python | Kotlin | Rust)
    }

    /// What a constructor is named, where it has a name of its own.
    #[must_use]
    pub fn constructor(self) -> Option<&'static str> {
        match self {
            TypeScript | Tsx | JavaScript => Some("constructor"),
            Python => Some("__init__"),
            Ruby => Some("initialize"),
            Php => Some("__construct"),
            Rust | Go | Java | Kotlin | CSharp => None,
        }
    }

    fn grammar(self) -> Grammar {
        match self {
            Rust => tree_sitter_rust::LANGUAGE.into(),
            Go => tree_sitter_go::LANGUAGE.into(),
            TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Python => tree_sitter_python::LANGUAGE.into(),
            Java => tree_sitter_java::LANGUAGE.into(),
            Kotlin => tree_sitter_kotlin_ng::LANGUAGE.into(),
            CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
            Ruby => tree_sitter_ruby::LANGUAGE.into(),
            Php => tree_sitter_php::LANGUAGE_PHP.into(),
        }
    }

    fn queries(self) -> &'static [&'static str] {
        const ECMASCRIPT: &str = include_str!("ecmascript.scm");
        const TYPESCRIPT: &str = include_str!("typescript.scm");
        const JAVASCRIPT: &str = include_str!("javascript.scm");
        const JSX: &str = include_str!("jsx.scm");
        match self {
            Rust => &[include_str!("rust.scm")],
            Go => &[include_str!("go.scm")],
            TypeScript => &[TYPESCRIPT, ECMASCRIPT],
            Tsx => &[TYPESCRIPT, ECMASCRIPT, JSX],
            JavaScript => &[JAVASCRIPT, ECMASCRIPT, JSX],
            Python => &[include_str!("python.scm")],
            Java => &[include_str!("java.scm")],
            Kotlin => &[include_str!("kotlin.scm")],
            CSharp => &[include_str!("csharp.scm")],
            Ruby => &[include_str!("ruby.scm")],
            Php => &[include_str!("php.scm")],
        }
    }

    /// Its grammar and query, compiled on the first call.
    ///
    /// # Errors
    /// Where the query does not fit the grammar: never in a build whose tests pass.
    pub fn tags(self) -> Result<&'static Tags, &'static str> {
        static TAGS: [OnceLock<Result<Tags, String>>; Language::ALL.len()] =
            [const { OnceLock::new() }; Language::ALL.len()];
        let Some(slot) = TAGS.get(self as usize) else { return Err("not a language") };
        slot.get_or_init(|| Tags::compile(self)).as_ref().map_err(String::as_str)
    }
}

/// A grammar with its compiled query.
pub struct Tags {
    /// The grammar.
    pub grammar: Grammar,
    /// All patterns of the language.
    pub query: Query,
    /// What each capture of the query stands for, by its number.
    pub captures: Vec<Capture>,
}

impl Tags {
    fn compile(language: Language) -> Result<Self, String> {
        let grammar = language.grammar();
        let query = Query::new(&grammar, &language.queries().join("\n"))
            .map_err(|error| format!("the query of {}: {error}", language.name()))?;
        let captures = query.capture_names().iter().map(|name| Capture::named(name)).collect();
        Ok(Self { grammar, query, captures })
    }
}

/// What a capture stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {
    /// A definition of this kind.
    Definition(&'static str),
    /// What holds definitions without being one.
    Container,
    /// A name of a definition.
    Name,
    /// Whose member it is.
    Owner,
    /// Its declared type.
    Type,
    /// What it is set to.
    Value,
    /// What a type builds on.
    Base,
    /// A local name.
    Bind,
    /// A local name if it does not begin with a capital, which would name a
    /// constant in a pattern.
    BindLower,
    /// A callee's name.
    Call,
    /// A callee's name in the tokens of a macro, which are not parsed.
    CallToken,
    /// A macro's name.
    CallMacro,
    /// The name of a type that is made.
    CallNew,
    /// `super(…)`.
    CallSuper,
    /// A component in JSX, unless it is an element of HTML.
    CallElement,
    /// A name used as a value.
    Use,
    /// A name used as a type.
    UseType,
    /// A member that is read.
    UseMember,
    /// What a member or a path is taken from.
    Receiver,
    /// Where local names end.
    Scope,
    /// An import.
    Import,
    /// A declaration that is exported without a name.
    Default,
    /// The package or namespace of the file.
    Package,
    /// A decorator, attribute or annotation.
    Decorator,
    /// A name that refers to nothing.
    Ignore,
    /// Only there for a predicate.
    Predicate,
}

/// The kinds of definitions.
const KINDS: [&str; 19] = [
    "function",
    "method",
    "constructor",
    "class",
    "struct",
    "enum",
    "interface",
    "trait",
    "type",
    "module",
    "macro",
    "constant",
    "variable",
    "field",
    "property",
    "variant",
    "default",
    "signature",
    "file",
];

/// The kind of that name, which [`KINDS`] holds.
#[must_use]
pub fn kind_named(name: &str) -> Option<&'static str> {
    KINDS.into_iter().find(|kind| *kind == name)
}

impl Capture {
    fn named(name: &str) -> Self {
        if let Some(kind) = name.strip_prefix("def.") {
            return kind_named(kind).map_or(Self::Predicate, Self::Definition);
        }
        match name {
            "container" => Self::Container,
            "name" => Self::Name,
            "owner" => Self::Owner,
            "type" => Self::Type,
            "value" => Self::Value,
            "base" => Self::Base,
            "bind" | "bind.again" | "bind.parameter" => Self::Bind,
            "bind.lower" => Self::BindLower,
            "call" => Self::Call,
            "call.token" => Self::CallToken,
            "call.macro" => Self::CallMacro,
            "call.new" => Self::CallNew,
            "call.super" => Self::CallSuper,
            "call.element" => Self::CallElement,
            "use" => Self::Use,
            "use.type" => Self::UseType,
            "use.member" | "use.instance" => Self::UseMember,
            "receiver" => Self::Receiver,
            "scope" => Self::Scope,
            "import" => Self::Import,
            "default" => Self::Default,
            "package" => Self::Package,
            "decorator" => Self::Decorator,
            "ignore" => Self::Ignore,
            _ => Self::Predicate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_fits_its_grammar() {
        for language in Language::ALL {
            assert_eq!(language.tags().err(), None);
            assert_eq!(Language::named(language.name()), Some(language));
        }
    }
}
