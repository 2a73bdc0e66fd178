//! Where a schema comes from, and reading it into memory.

use std::{
    fmt,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use ureq::http::{HeaderName, HeaderValue};
use walkdir::WalkDir;

use super::{
    definitions::{self, Definitions},
    endpoint::{self, Url},
    error::SchemaError,
    introspection,
    model::Schema,
    parse,
};

/// How large a schema may be, in bytes: 100 MiB. The largest public SDL has
/// 3.5 MB, a router's execution config about ten times its SDL.
pub const MAX_SOURCE_BYTES: u64 = 100 << 20;

/// The endings of SDL files in a folder.
const SDL_ENDINGS: [&str; 4] = ["graphql", "graphqls", "gql", "sdl"];

/// Where a schema comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file of SDL or JSON, or a folder of SDL files; which of them shows when
    /// it is read.
    Path(PathBuf),
    /// SDL or JSON on standard input.
    Stdin,
    /// A live GraphQL endpoint.
    Endpoint {
        /// Its URL.
        url: Url,
        /// Headers to send with the introspection query.
        headers: Headers,
    },
}

impl Source {
    /// Takes a source as it is given on the command line: `-`, a URL that begins
    /// with `http://` or `https://`, or a path. `headers`, each `Name: value`,
    /// are for an endpoint; other sources have no use for them.
    ///
    /// # Errors
    ///
    /// Where a header is not of that form, or a URL is malformed or holds
    /// credentials.
    pub fn parse(text: &str, headers: &[String]) -> Result<Self, SchemaError> {
        let starts_with = |scheme: &str| {
            text.get(..scheme.len()).is_some_and(|it| it.eq_ignore_ascii_case(scheme))
        };
        if starts_with("http://") || starts_with("https://") {
            return Ok(Self::Endpoint {
                url: Url::parse(text)?,
                headers: Headers::parse(headers)?,
            });
        }
        Ok(if text == "-" { Self::Stdin } else { Self::Path(PathBuf::from(text)) })
    }

    /// The file or folder whose changes change the schema; none for standard
    /// input and endpoints.
    #[must_use]
    pub fn watch_paths(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Stdin | Self::Endpoint { .. } => None,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(f),
            Self::Stdin => f.write_str("standard input"),
            Self::Endpoint { url, .. } => url.fmt(f),
        }
    }
}

/// HTTP headers, whose values are secrets: they are not shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(HeaderName, HeaderValue)>);

impl Headers {
    fn parse(headers: &[String]) -> Result<Self, SchemaError> {
        let header = |(at, text): (usize, &String)| {
            endpoint::header(text).ok_or(SchemaError::BadHeader { position: at + 1 })
        };
        headers.iter().enumerate().map(header).collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
        self.0.iter().map(|(name, value)| (name, value))
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// Reads a source into a schema.
///
/// # Errors
///
/// Where the source cannot be read, is too large or not UTF-8, or is no schema.
pub fn load(source: &Source) -> Result<Schema, SchemaError> {
    let input = source.to_string();
    let documents = match source {
        Source::Stdin => vec![document(&input, read(io::stdin().lock(), &input)?)?],
        Source::Endpoint { url, headers } => vec![endpoint::introspect(url, headers)?],
        Source::Path(path) if path.is_dir() => folder(path)?,
        Source::Path(path) => vec![document(&input, read_file(path, &mut 0)?)?],
    };
    definitions::assemble(&input, documents)
}

/// Reads every SDL file below a folder, in the order of their paths.
fn folder(path: &Path) -> Result<Vec<Definitions>, SchemaError> {
    let input = path.display().to_string();
    let is_shown = |entry: &walkdir::DirEntry| {
        entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.')
    };
    let mut documents = Vec::new();
    let mut total = 0;
    for entry in
        WalkDir::new(path).follow_links(true).sort_by_file_name().into_iter().filter_entry(is_shown)
    {
        let entry = entry
            .map_err(|error| SchemaError::Read { input: input.clone(), reason: error.into() })?;
        let ending =
            entry.path().extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if !entry.file_type().is_file()
            || !SDL_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
        {
            continue;
        }
        let bytes = read_file(entry.path(), &mut total)?;
        documents.push(document(&entry.path().display().to_string(), bytes)?);
    }
    if documents.is_empty() {
        return Err(SchemaError::EmptyFolder { input });
    }
    Ok(documents)
}

/// Reads a file whose size, with `total` bytes read before, is within the limit.
fn read_file(path: &Path, total: &mut u64) -> Result<Vec<u8>, SchemaError> {
    let input = path.display().to_string();
    let failed = |reason| SchemaError::Read { input: input.clone(), reason };
    *total += fs::metadata(path).map_err(failed)?.len();
    if *total > MAX_SOURCE_BYTES {
        return Err(SchemaError::TooLarge { input });
    }
    read(File::open(path).map_err(failed)?, &input)
}

/// Reads to the end or to the limit: a pipe has no size to check beforehand.
fn read(reader: impl Read, input: &str) -> Result<Vec<u8>, SchemaError> {
    let mut bytes = Vec::new();
    reader
        .take(MAX_SOURCE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|reason| SchemaError::Read { input: input.to_owned(), reason })?;
    if bytes.len() as u64 > MAX_SOURCE_BYTES {
        return Err(SchemaError::TooLarge { input: input.to_owned() });
    }
    Ok(bytes)
}

/// Reads SDL or JSON, whichever the bytes hold.
fn document(input: &str, bytes: Vec<u8>) -> Result<Definitions, SchemaError> {
    let text = String::from_utf8(bytes).map_err(|error| SchemaError::NotUtf8 {
        input: input.to_owned(),
        offset: error.utf8_error().valid_up_to(),
    })?;
    if introspection::is_json(&text) {
        introspection::definitions(input, &text)
    } else {
        parse::definitions(input, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_bytes(bytes: &[u8]) -> Result<Schema, SchemaError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), bytes).unwrap();
        load(&Source::Path(file.path().to_owned()))
    }

    #[test]
    fn sources_are_told_apart() {
        assert_eq!(Source::parse("-", &[]).unwrap(), Source::Stdin);
        let path = Source::parse("schema.json", &[]).unwrap();
        assert_eq!(path.watch_paths(), Some(Path::new("schema.json")));
        let endpoint =
            Source::parse("HTTPS://a.example/g?key=1", &["X-Key: a:b".to_owned()]).unwrap();
        assert_eq!(endpoint.to_string(), "HTTPS://a.example/g");
        assert_eq!(
            format!("{endpoint:?}"),
            "Endpoint { url: Url(HTTPS://a.example/g), headers: [\"x-key\"] }"
        );
        assert!(endpoint.watch_paths().is_none());
        let error =
            Source::parse("http://a", &["A: b".to_owned(), "s3cret".to_owned()]).unwrap_err();
        assert!(
            error.to_string().starts_with("header 2 ") && !format!("{error:?}").contains("s3cret")
        );
    }

    #[test]
    fn bytes_that_are_no_schema_are_explained() {
        let error = load_bytes(b"type A { a: Int } # \xff").unwrap_err();
        assert!(error.to_string().contains("not valid UTF-8 at byte 20"), "{error}");
        assert!(matches!(load_bytes(b""), Err(SchemaError::NoTypes { .. })));
        assert!(load_bytes("\u{feff}type Query { a: Int }".as_bytes()).is_ok());
        let error = load(&Source::Path("/nowhere/at.all".into())).unwrap_err();
        assert!(error.to_string().starts_with("cannot read `/nowhere/at.all`: "), "{error}");
    }

    #[test]
    fn a_file_of_200_megabytes_is_refused_before_it_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(200_000_000).unwrap();
        let error = load(&Source::Path(file.path().to_owned())).unwrap_err();
        assert!(error.to_string().contains("is larger than 100 MiB"), "{error}");
    }

    #[test]
    fn a_folder_is_merged_in_order() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("b/.hidden")).unwrap();
        for (name, sdl) in [
            ("a.graphql", "extend type Query { b: B }"),
            ("b/q.GQL", "type Query { a: Int }"),
            ("b/z.sdl", "type B { c: Int }"),
            ("b/query.graphqls", "query { a }"),
            ("b/.hidden/x.graphql", "nonsense"),
            ("b/readme.md", "nonsense"),
        ] {
            fs::write(folder.path().join(name), sdl).unwrap();
        }
        let schema = load(&Source::Path(folder.path().to_owned())).unwrap();
        assert_eq!(schema.sdl, "type B {\n  c: Int\n}\n\ntype Query {\n  a: Int\n  b: B\n}\n");
        fs::write(folder.path().join("b/z.sdl"), "type B {").unwrap();
        let error = load(&Source::Path(folder.path().to_owned())).unwrap_err();
        assert!(error.to_string().contains("z.sdl` has a syntax error at line 1"), "{error}");
    }

    #[test]
    fn a_folder_without_sdl_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = load(&Source::Path(folder.path().to_owned())).unwrap_err();
        assert!(matches!(error, SchemaError::EmptyFolder { .. }), "{error}");
    }
}
