//! Text in, unit vectors out.
//!
//! A model of the BERT family in ONNX form, mean-pooled over its tokens and
//! scaled to length 1, so that a dot product is a cosine. The bundled one is
//! described in `models/README.md`; a folder with another can be named.

mod runtime;

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use fastembed::{
    InitOptionsUserDefined, Pooling, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel,
};
use lru::LruCache;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// A text's meaning: as many numbers as the model has dimensions, of length 1.
pub type Vector = Vec<f32>;

/// Tokens that the model reads of one text; the rest is cut. Descriptions are
/// cut far shorter when texts are made, so this bounds hostile input only.
const MAX_TOKENS: usize = 256;

/// Texts in one run of the model. Each batch is padded to its longest text and
/// holds every hidden state, so larger ones cost memory and save no time.
const BATCH: usize = 32;

/// Questions whose vectors are remembered; 1.5 KB each.
const QUESTIONS: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// Where a model comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ModelSource {
    /// The one inside the binary.
    #[default]
    Bundled,
    /// A folder with `model.onnx`, `tokenizer.json` and `config.json`.
    Folder(PathBuf),
}

/// Which model made an index. Two indexes compare only under the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelIdentity {
    /// A name for people: `bundled`, or the folder's name.
    pub name: String,
    /// SHA-256 over weights and tokenizer, 64 hexadecimal digits.
    pub hash: String,
}

/// Why there is no embedding.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EmbeddingError {
    /// ONNX Runtime, embedded in the binary, does not load on this system.
    #[error(
        "ONNX Runtime does not load ({0}); on Linux it needs glibc 2.28 or newer and libstdc++"
    )]
    Runtime(String),
    /// A file of the model's folder cannot be read.
    #[error(
        "cannot read `{path}` of the model: {reason}; a model folder holds model.onnx, tokenizer.json and config.json"
    )]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The files are there but are no usable model.
    #[error("the model `{name}` cannot be used: {reason}")]
    Model {
        /// The model's name.
        name: String,
        /// What the tokenizer or ONNX Runtime says.
        reason: String,
    },
}

/// A model that is loaded and ready. Shared between threads; one text or batch
/// is embedded at a time, on all cores.
pub struct Embedder {
    model: Mutex<TextEmbedding>,
    questions: Mutex<LruCache<String, Arc<Vector>>>,
    identity: ModelIdentity,
    dimensions: usize,
}

impl ModelSource {
    /// Which model this is, without loading it.
    ///
    /// # Errors
    /// [`EmbeddingError::File`] where the folder cannot be read.
    pub fn identity(&self) -> Result<ModelIdentity, EmbeddingError> {
        match self {
            Self::Bundled => Ok(ModelIdentity {
                name: "bundled".into(),
                hash: env!("SEXTANT_MODEL_HASH").into(),
            }),
            Self::Folder(folder) => Ok(ModelIdentity {
                name: folder.file_name().map_or_else(
                    || folder.display().to_string(),
                    |name| name.to_string_lossy().into_owned(),
                ),
                hash: model_hash(folder)?,
            }),
        }
    }
}

impl Embedder {
    /// Loads a model; takes a few tenths of a second.
    ///
    /// # Errors
    /// Any [`EmbeddingError`].
    pub fn load(source: &ModelSource) -> Result<Self, EmbeddingError> {
        let identity = source.identity()?;
        let unusable =
            |reason: String| EmbeddingError::Model { name: identity.name.clone(), reason };
        let (weights, tokenizer) = match source {
            ModelSource::Bundled => (
                include_bytes!("../../models/model.onnx").to_vec(),
                TokenizerFiles {
                    tokenizer_file: include_bytes!("../../models/tokenizer.json").to_vec(),
                    config_file: include_bytes!("../../models/config.json").to_vec(),
                    special_tokens_map_file: b"{}".to_vec(),
                    tokenizer_config_file: tokenizer_config(None),
                },
            ),
            ModelSource::Folder(folder) => {
                (read(&folder.join("model.onnx"))?, tokenizer_files(folder)?)
            }
        };
        let mut options = InitOptionsUserDefined::new()
            .with_max_length(MAX_TOKENS)
            // Threads that spin between two searches would hold a core for nothing.
            .with_session_config("session.intra_op.allow_spinning", "0");
        options.environment = Some(runtime::environment()?);
        let model = UserDefinedEmbeddingModel::new(weights, tokenizer).with_pooling(Pooling::Mean);
        let mut model = TextEmbedding::try_new_from_user_defined(model, options)
            .map_err(|error| unusable(error.to_string()))?;
        let probe =
            model.embed(["dimensions"], None).map_err(|error| unusable(error.to_string()))?;
        let dimensions = probe.first().map_or(0, Vec::len);
        if dimensions == 0 {
            return Err(unusable("it returns an empty vector".into()));
        }
        let questions = Mutex::new(LruCache::new(QUESTIONS));
        Ok(Self { model: Mutex::new(model), questions, identity, dimensions })
    }

    /// Which model this is.
    #[must_use]
    pub fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    /// The length of every vector.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The vector of one question. The latest are remembered: agents ask again
    /// with another filter or limit.
    ///
    /// # Errors
    /// [`EmbeddingError::Model`] where the model fails on it.
    pub fn embed_question(&self, text: &str) -> Result<Arc<Vector>, EmbeddingError> {
        let lock = || self.questions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(vector) = lock().get(text) {
            return Ok(Arc::clone(vector));
        }
        let vector =
            self.run(&[text])?.pop().ok_or_else(|| self.unusable("it returns no vector"))?;
        let vector = Arc::new(vector);
        lock().put(text.to_owned(), Arc::clone(&vector));
        Ok(vector)
    }

    /// The vectors of many texts, in their order. `progress` is told how many
    /// are done, after each batch.
    ///
    /// # Errors
    /// [`EmbeddingError::Model`] where the model fails on one.
    pub fn embed_all(
        &self,
        texts: &[&str],
        mut progress: impl FnMut(usize),
    ) -> Result<Vec<Vector>, EmbeddingError> {
        // A batch is padded to its longest text: neighbours of one length waste least.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&at| texts.get(at).map_or(0, |text| text.len()));
        let mut vectors = vec![Vector::new(); texts.len()];
        let mut done = 0;
        for positions in order.chunks(BATCH) {
            let batch: Vec<&str> =
                positions.iter().filter_map(|&at| texts.get(at).copied()).collect();
            for (&at, vector) in positions.iter().zip(self.run(&batch)?) {
                if let Some(slot) = vectors.get_mut(at) {
                    *slot = vector;
                }
            }
            done += positions.len();
            progress(done);
        }
        Ok(vectors)
    }

    fn run(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbeddingError> {
        // A panic elsewhere leaves the session as it was: the lock's poison says nothing here.
        let mut model = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        model.embed(texts, Some(BATCH)).map_err(|error| self.unusable(&error.to_string()))
    }

    fn unusable(&self, reason: &str) -> EmbeddingError {
        EmbeddingError::Model { name: self.identity.name.clone(), reason: reason.to_owned() }
    }
}

/// Hub layouts carry two more files than a model needs; they default where absent.
fn tokenizer_files(folder: &Path) -> Result<TokenizerFiles, EmbeddingError> {
    Ok(TokenizerFiles {
        tokenizer_file: read(&folder.join("tokenizer.json"))?,
        config_file: read(&folder.join("config.json"))?,
        special_tokens_map_file: fs::read(folder.join("special_tokens_map.json"))
            .unwrap_or_else(|_| b"{}".to_vec()),
        tokenizer_config_file: tokenizer_config(
            fs::read(folder.join("tokenizer_config.json")).ok().as_deref(),
        ),
    })
}

/// `tokenizer_config.json` with the two keys that fastembed insists on.
fn tokenizer_config(file: Option<&[u8]>) -> Vec<u8> {
    let mut config: Value =
        file.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_else(|| json!({}));
    if let Some(config) = config.as_object_mut() {
        config.entry("model_max_length").or_insert(json!(MAX_TOKENS));
        config.entry("pad_token").or_insert(json!("[PAD]"));
    }
    config.to_string().into_bytes()
}

/// SHA-256 over weights and tokenizer: what decides a vector. `build.rs` makes
/// the same of the bundled model.
fn model_hash(folder: &Path) -> Result<String, EmbeddingError> {
    let mut hash = Sha256::new();
    for file in ["model.onnx", "tokenizer.json"] {
        hash.update(read(&folder.join(file))?);
    }
    Ok(hex::encode(hash.finalize()))
}

fn read(path: &Path) -> Result<Vec<u8>, EmbeddingError> {
    fs::read(path)
        .map_err(|error| EmbeddingError::File { path: path.to_owned(), reason: error.to_string() })
}
