//! Builds an index: elements to rows, texts to vectors, and into place in one
//! step.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::{Connection, named_params, params};
use sha2::{Digest as _, Sha256};

use super::{
    Index,
    file::{self, IndexError, IndexFile, Meta},
    temporary::Temporary,
    text,
    words::split,
};
use crate::{
    embedding::{Embedder, Vector},
    schema::{Element, Kind, Schema},
};

/// What a build tells of itself while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Texts embedded so far, of how many. Texts whose vector is known already
    /// are not counted.
    Embedding {
        /// Texts that have their vector.
        done: usize,
        /// Texts that need one.
        total: usize,
    },
    /// Rows are being written.
    Writing,
}

/// What a build did.
#[derive(Clone, Debug)]
pub struct Report {
    /// How many elements there are of each kind, in the order of [`Kind::ALL`].
    pub elements: Vec<(Kind, usize)>,
    /// Distinct texts that the model embedded.
    pub embedded: usize,
    /// Distinct texts whose vector was copied from the previous index.
    pub reused: usize,
    /// How long it took.
    pub time: Duration,
    /// The size of the file in bytes.
    pub bytes: u64,
}

/// Enough of a SHA-256 to tell a schema's texts apart.
type TextHash = [u8; 16];

/// What to build, from what.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    /// The schema.
    pub schema: &'a Schema,
    /// Where it was read from, for people.
    pub source: &'a str,
    /// The model.
    pub embedder: &'a Embedder,
    /// An earlier index, whose vectors of unchanged texts are copied where the
    /// same model made it.
    pub previous: Option<&'a IndexFile>,
    /// Where the index goes.
    pub path: &'a Path,
}

/// Builds an index under a temporary name beside its own, and renames it into
/// place when all is written and checked.
///
/// Two builds of one path take turns. A build that is killed leaves the old
/// file as it was, and a temporary one that the next build overwrites.
///
/// # Errors
/// [`IndexError::Write`] where the file cannot be written, also for a full
/// disk; [`IndexError::Embedding`] where the model fails.
pub fn build(order: Order<'_>, progress: impl FnMut(Progress)) -> Result<Report, IndexError> {
    let temporary = claim(order.path)?;
    fill(order, temporary, progress)
}

/// Builds an index unless the file at its path is of this schema and model
/// already, perhaps because another process built it while this one waited.
///
/// # Errors
/// As [`build`].
pub fn build_if_outdated(
    order: Order<'_>,
    progress: impl FnMut(Progress),
) -> Result<Option<Report>, IndexError> {
    let temporary = claim(order.path)?;
    if is_current(order) {
        return Ok(None);
    }
    fill(order, temporary, progress).map(Some)
}

fn is_current(order: Order<'_>) -> bool {
    Index::open(order.path).is_ok_and(|index| {
        index.meta().schema_hash == order.schema.hash
            && index.meta().model.hash == order.embedder.identity().hash
    })
}

fn claim(path: &Path) -> Result<Temporary, IndexError> {
    Temporary::claim(path).map_err(|error| write_error(path, &error))
}

fn fill(
    order: Order<'_>,
    temporary: Temporary,
    mut progress: impl FnMut(Progress),
) -> Result<Report, IndexError> {
    let Order { schema, source, embedder, previous, path } = order;
    let started = Instant::now();
    let unwritable = |error: &dyn std::fmt::Display| write_error(path, error);
    let content = Content::of(schema);
    let vectors = content.embed(embedder, previous, &mut progress)?;

    progress(Progress::Writing);
    let meta = Meta {
        schema_hash: schema.hash.clone(),
        source: source.to_owned(),
        model: embedder.identity().clone(),
        dimensions: embedder.dimensions(),
        roots: schema.roots.clone(),
    };
    let connection = file::create(temporary.path(), embedder.dimensions())
        .map_err(|error| unwritable(&error))?;
    write(&connection, schema, &meta, &content, &vectors.of_texts)
        .map_err(|error| unwritable(&error))?;
    check(&connection).map_err(|reason| unwritable(&reason))?;
    connection.close().map_err(|(_, error)| unwritable(&error))?;
    let bytes = temporary.into_place(path).map_err(|error| unwritable(&error))?;

    let Embedded { made, reused, .. } = vectors;
    let elements = count(&content.elements);
    Ok(Report { elements, embedded: made, reused, time: started.elapsed(), bytes })
}

/// What goes into a file, but for the vectors.
struct Content {
    elements: Vec<Element>,
    /// What is embedded of each element, and the hash of it.
    texts: Vec<(String, TextHash)>,
    /// The distinct names of members, what is embedded of each, and its hash.
    names: Vec<(String, String, TextHash)>,
}

/// The vectors of all texts.
struct Embedded {
    of_texts: HashMap<TextHash, Vector>,
    made: usize,
    reused: usize,
}

impl Content {
    fn of(schema: &Schema) -> Self {
        let elements = crate::schema::elements(schema);
        let hashed = |text: String| {
            let hash = hash(&text);
            (text, hash)
        };
        let texts = elements.iter().map(|element| hashed(text::embedded(element))).collect();
        let members =
            elements.iter().filter(|it| matches!(it.kind, Kind::Field | Kind::InputField));
        let names: BTreeSet<&str> = members.map(|member| member.name.as_str()).collect();
        let names = names
            .into_iter()
            .map(|name| {
                let (text, hash) = hashed(split(name));
                (name.to_owned(), text, hash)
            })
            .collect();
        Self { elements, texts, names }
    }

    /// Embeds each distinct text that the earlier index does not know.
    fn embed(
        &self,
        embedder: &Embedder,
        previous: Option<&IndexFile>,
        mut progress: impl FnMut(Progress),
    ) -> Result<Embedded, IndexError> {
        let mut of_texts =
            previous.map_or_else(HashMap::new, |previous| known_vectors(previous, embedder));
        let of_elements = self.texts.iter().map(|(text, hash)| (*hash, text.as_str()));
        let of_names = self.names.iter().map(|(_, text, hash)| (*hash, text.as_str()));
        // In the order of the hashes, so that batches, and with them the last digits
        // of a vector, are the same every time.
        let wanted: BTreeMap<TextHash, &str> = of_elements.chain(of_names).collect();
        let (hashes, missing): (Vec<TextHash>, Vec<&str>) =
            wanted.iter().filter(|(hash, _)| !of_texts.contains_key(*hash)).unzip();
        let total = missing.len();
        progress(Progress::Embedding { done: 0, total });
        let vectors =
            embedder.embed_all(&missing, |done| progress(Progress::Embedding { done, total }))?;
        of_texts.extend(hashes.into_iter().zip(vectors));
        Ok(Embedded { of_texts, made: total, reused: wanted.len() - total })
    }
}

/// The vectors that an earlier index holds, by the hash of their text. An index
/// of another model has none that compare; one that cannot be read costs time
/// only.
fn known_vectors(previous: &IndexFile, embedder: &Embedder) -> HashMap<TextHash, Vector> {
    if previous.check_model(embedder.identity()).is_err() {
        return HashMap::new();
    }
    let read = previous.read(|connection| {
        let mut statement = connection
            .prepare("SELECT text_hash, vector FROM element JOIN element_vector USING (id)")?;
        let of_elements = statement.query_map([], |row| {
            Ok((row.get::<_, TextHash>(0)?, floats(row.get_ref(1)?.as_blob()?)))
        })?;
        let mut statement = connection.prepare("SELECT name, vector FROM name_vector")?;
        let of_names = statement.query_map([], |row| {
            let name = row.get_ref(0)?.as_str()?;
            Ok((hash(&split(name)), floats(row.get_ref(1)?.as_blob()?)))
        })?;
        of_elements.chain(of_names).collect()
    });
    read.unwrap_or_else(|error| {
        tracing::warn!(%error, "no vectors can be reused");
        HashMap::new()
    })
}

fn write(
    connection: &Connection,
    schema: &Schema,
    meta: &Meta,
    content: &Content,
    vectors: &HashMap<TextHash, Vector>,
) -> rusqlite::Result<()> {
    let stored = |hash| vectors.get(hash).map(|vector| bytes(vector)).unwrap_or_default();
    let coordinates = content.elements.iter().map(|element| element.coordinate.as_str());
    let ids: HashMap<&str, i64> = coordinates.zip(1..).collect();
    connection.execute_batch("BEGIN")?;
    file::write_meta(connection, meta)?;
    connection.execute("INSERT INTO schema_text (sdl) VALUES (?1)", [&schema.sdl])?;
    let mut insert_element = connection.prepare(
        "INSERT INTO element (id, coordinate, kind, name, parent, type_ref, description,
                              deprecation_reason, paginated, depth, arguments, text, text_hash, record)
         VALUES (:id, :coordinate, :kind, :name, :parent, :type_ref, :description,
                 :deprecation_reason, :paginated, :depth, :arguments, :text, :text_hash, :record)",
    )?;
    let mut insert_words = connection.prepare(
        "INSERT INTO element_words (rowid, name, owner, type, description, arguments, members)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let mut insert_vector = connection.prepare(
        "INSERT INTO element_vector (id, vector, bits, kind, parent, paginated)
         VALUES (?1, ?2, vec_quantize_binary(?2), ?3, ?4, ?5)",
    )?;
    for ((element, (text, hash)), id) in content.elements.iter().zip(&content.texts).zip(1_i64..) {
        insert_element.execute(named_params! {
            ":id": id,
            ":coordinate": element.coordinate,
            ":kind": element.kind.as_str(),
            ":name": element.name,
            ":parent": element.parent,
            ":type_ref": element.type_ref,
            ":description": element.description,
            ":deprecation_reason": element.deprecation_reason,
            ":paginated": element.paginated,
            ":depth": element.depth,
            ":arguments": arguments(element),
            ":text": text,
            ":text_hash": hash,
            ":record": element.record.to_string(),
        })?;
        let words = text::word_columns(element);
        insert_words.execute(params![
            id,
            words.name,
            words.owner,
            words.r#type,
            words.description,
            words.arguments,
            words.members
        ])?;
        // Metadata columns of vec0 hold no NULL: 0 is the id of nothing.
        let parent =
            element.parent.as_deref().and_then(|parent| ids.get(parent)).copied().unwrap_or(0);
        let kind = element.kind.number();
        insert_vector.execute(params![id, stored(hash), kind, parent, element.paginated])?;
    }
    let mut insert_name =
        connection.prepare("INSERT INTO name_vector (name, vector) VALUES (?1, ?2)")?;
    for (name, _, hash) in &content.names {
        insert_name.execute(params![name, stored(hash)])?;
    }
    connection.execute("INSERT INTO element_words (element_words) VALUES ('optimize')", [])?;
    connection.execute_batch("COMMIT")
}

fn arguments(element: &Element) -> u32 {
    let arguments = element.record.get("Args").and_then(|arguments| arguments.as_array());
    arguments.map_or(0, |arguments| u32::try_from(arguments.len()).unwrap_or(u32::MAX))
}

/// Reads the whole file once before anyone relies on it.
fn check(connection: &Connection) -> Result<(), String> {
    let answer = connection
        .query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0))
        .map_err(|error| error.to_string())?;
    if answer == "ok" {
        Ok(())
    } else {
        Err(format!("the new file does not hold together: {answer}"))
    }
}

fn count(elements: &[Element]) -> Vec<(Kind, usize)> {
    let of = |kind| elements.iter().filter(|element| element.kind == kind).count();
    Kind::ALL.into_iter().map(|kind| (kind, of(kind))).collect()
}

fn hash(text: &str) -> TextHash {
    let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    digest.first_chunk().copied().unwrap_or_default()
}

fn write_error(path: &Path, reason: &dyn std::fmt::Display) -> IndexError {
    IndexError::Write { path: path.to_owned(), reason: reason.to_string() }
}

/// A vector as sqlite-vec stores it: little-endian 32-bit floats.
pub fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The vector that sqlite-vec stored as `bytes`.
pub fn floats(bytes: &[u8]) -> Vector {
    bytes.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect()
}
