//! Which files a query is about: those of the tree that no ignore file leaves
//! out, of one language, below one glob.

use std::path::{Component, Path, PathBuf};

use ignore::{
    DirEntry, WalkBuilder, WalkParallel,
    overrides::{Override, OverrideBuilder},
    types::{FileTypeDef, Types, TypesBuilder},
};

use crate::code::{CodeError, SearchQuery};

/// The longest glob, in characters.
const MAX_GLOB_CHARS: usize = 1_000;
/// The most threads of one search, which are ripgrep's too.
const MAX_THREADS: usize = 12;
/// How alike two names of languages must be for one to be offered for the
/// other, by Jaro and Winkler: `pyton` and `python` are at 0.96, `rust` and
/// `ruby` at 0.67.
const ALIKE: f64 = 0.75;
/// How many names of languages are offered.
const OFFERED: usize = 3;

/// What people and models call languages that have another name among the
/// definitions of the `ignore` crate.
pub const ALIASES: [(&str, &str); 21] = [
    ("bash", "sh"),
    ("c#", "cs"),
    ("c++", "cpp"),
    ("ecmascript", "js"),
    ("gql", "graphql"),
    ("golang", "go"),
    ("hcl", "tf"),
    ("hs", "haskell"),
    ("javascript", "js"),
    ("jsx", "js"),
    ("kt", "kotlin"),
    ("markdown", "md"),
    ("node", "js"),
    ("objective-c", "objc"),
    ("proto", "protobuf"),
    ("rb", "ruby"),
    ("rs", "rust"),
    ("shell", "sh"),
    ("terraform", "tf"),
    ("tsx", "ts"),
    ("yml", "yaml"),
];

/// The files of one search.
pub struct Scope {
    root: PathBuf,
    types: Types,
    glob: Option<Glob>,
}

impl Scope {
    /// Reads the filters of a query.
    ///
    /// # Errors
    /// [`CodeError::Invalid`] for a glob that is malformed or leaves the root,
    /// and for a language that is not known.
    pub fn new(root: &Path, query: &SearchQuery) -> Result<Self, CodeError> {
        let types = query.language.as_deref().map_or(Ok(Types::empty()), types_of)?;
        let glob = query.path_glob.as_deref().map(|glob| Glob::new(root, glob)).transpose()?;
        Ok(Self { root: root.to_owned(), types, glob })
    }

    /// Walks the files in parallel. Symbolic links are not followed, so nothing
    /// outside of the root is reached; only ignore files are read above it, as
    /// they say what of a repository's folder counts.
    pub fn walk(self) -> WalkParallel {
        let Self { root, types, glob } = self;
        let threads = std::thread::available_parallelism().map_or(1, Into::into);
        let mut walk = WalkBuilder::new(&root);
        walk.types(types)
            .threads(threads.min(MAX_THREADS))
            .follow_links(false)
            .require_git(false)
            // Of the person, not of the tree: the same tree gives the same answer.
            .git_global(false)
            .hidden(!glob.as_ref().is_some_and(|glob| glob.names_hidden));
        if let Some(glob) = glob {
            // Not by the walk's own overrides, which would beat the ignore files.
            walk.filter_entry(move |entry| glob.may_hold(&root, entry));
        }
        walk.build_parallel()
    }
}

/// A glob, as in a `.gitignore`: anchored at the root where it has a slash.
struct Glob {
    matcher: Override,
    /// The folders that every match lies in, from the root.
    folders: Vec<String>,
    names_hidden: bool,
}

impl Glob {
    fn new(root: &Path, given: &str) -> Result<Self, CodeError> {
        let invalid = |reason: &str| {
            let shown: String = given.chars().take(MAX_GLOB_CHARS).collect();
            Err(CodeError::Invalid(format!("`path_glob` is `{shown}`, {reason}")))
        };
        if given.chars().count() > MAX_GLOB_CHARS {
            return invalid("which is too long; give a shorter one.");
        }
        let (negation, positive) = match given.strip_prefix('!') {
            Some(positive) => ("!", positive),
            None => ("", given),
        };
        let positive = positive.trim_start_matches("./");
        if positive.trim().is_empty() {
            return invalid("which matches nothing; leave it out to search every file.");
        }
        let is_drive = positive.chars().nth(1) == Some(':');
        if positive.starts_with(['/', '\\', '~']) || is_drive {
            return invalid(
                "which is absolute, and only files below the root are searched; write it relative to the root, for example `src/**/*.rs`.",
            );
        }
        if positive.split(['/', '\\', '{', '}', ',']).any(|part| part == "..") {
            return invalid(
                "which leaves the root with `..`, and only files below the root are searched; write it relative to the root, for example `src/**/*.rs`.",
            );
        }
        let positive = whole_folder(root, positive);
        let mut matcher = OverrideBuilder::new(root);
        let built = matcher.add(&format!("{negation}{positive}")).and_then(|glob| glob.build());
        match built {
            Ok(matcher) => {
                let folders = if negation.is_empty() { leading_folders(&positive) } else { vec![] };
                let names_hidden = positive.split('/').any(|part| part.starts_with('.'));
                Ok(Self { matcher, folders, names_hidden })
            }
            Err(error) => invalid(&format!("which is no glob: {error}.")),
        }
    }

    /// Whether a file matches, or a folder may hold one that does.
    fn may_hold(&self, root: &Path, entry: &DirEntry) -> bool {
        if entry.file_name() == ".git" {
            return false;
        }
        if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
            return !self.matcher.matched(entry.path(), false).is_ignore();
        }
        let below = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let names = below.components().map(Component::as_os_str);
        names.zip(&self.folders).all(|(name, folder)| name == folder.as_str())
    }
}

/// What names a folder means all that is in it.
fn whole_folder(root: &Path, glob: &str) -> String {
    let is_folder = || root.join(glob).symlink_metadata().is_ok_and(|found| found.is_dir());
    if glob.ends_with('/') {
        format!("{glob}**")
    } else if is_folder() {
        format!("{glob}/**")
    } else {
        glob.to_owned()
    }
}

fn leading_folders(glob: &str) -> Vec<String> {
    let folders = glob.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders
        .split('/')
        .take_while(|folder| !folder.is_empty() && !folder.contains(['*', '?', '[', '{', '\\']))
        .map(str::to_owned)
        .collect()
}

fn types_of(language: &str) -> Result<Types, CodeError> {
    let mut types = TypesBuilder::new();
    types.add_defaults();
    let wanted = language.trim().to_lowercase();
    let wanted = ALIASES
        .iter()
        .find(|(alias, _)| *alias == wanted)
        .map_or(wanted.as_str(), |(_, name)| name);
    let known = types.definitions();
    if known.iter().any(|definition| definition.name() == wanted) {
        types.select(wanted);
        return types.build().map_err(|error| CodeError::Failed(format!("{error}.")));
    }
    let names = known.iter().map(FileTypeDef::name);
    let names = names.chain(ALIASES.iter().map(|(alias, _)| *alias));
    let mut alike: Vec<(f64, &str)> = names
        .map(|name| (strsim::jaro_winkler(wanted, name), name))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .collect();
    alike.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
    let offered: Vec<String> =
        alike.iter().take(OFFERED).map(|(_, name)| format!("`{name}`")).collect();
    let advice = match offered.as_slice() {
        [] => "well-known ones are `rust`, `python`, `ts`, `go` and `java`".to_owned(),
        [only] => format!("the closest is {only}"),
        [first @ .., last] => format!("the closest are {} and {last}", first.join(", ")),
    };
    let shown: String = language.chars().take(MAX_GLOB_CHARS).collect();
    Err(CodeError::Invalid(format!("`language` is `{shown}`, which is not known; {advice}.")))
}
