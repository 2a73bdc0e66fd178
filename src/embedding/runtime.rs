//! ONNX Runtime from inside the binary.
//!
//! The library is embedded, compressed, and handed to the dynamic loader
//! without a file of its own where the system can do that: on Linux as an
//! anonymous file in memory, elsewhere as a temporary file that is removed once
//! it is loaded.
//!
//! The runtime reports its use over the network unless `ORT_DISABLE_TELEMETRY`
//! is 1 in the environment when it starts. `main` sees to that; so must any other
//! program that uses this library.

use std::{
    fs::File,
    io::{self, Write as _},
    path::PathBuf,
    sync::OnceLock,
};

use ort::environment::Environment;
use tempfile::TempPath;

use super::EmbeddingError;

/// The host's `libonnxruntime`, compressed by `build.rs`.
static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/onnxruntime.zst"));

/// The process's one environment. ONNX Runtime allows no second.
static ENVIRONMENT: OnceLock<Result<Environment, EmbeddingError>> = OnceLock::new();

/// The environment that sessions are made in; loads the library on first use.
///
/// # Errors
/// [`EmbeddingError::Runtime`] where the library cannot be unpacked or loaded.
pub fn environment() -> Result<Environment, EmbeddingError> {
    ENVIRONMENT.get_or_init(load).clone()
}

fn load() -> Result<Environment, EmbeddingError> {
    let failed = |what: &str, error: &dyn std::fmt::Display| {
        EmbeddingError::Runtime(format!("{what}: {error}"))
    };
    let mut place = Place::find().map_err(|error| failed("no room to unpack it", &error))?;
    zstd::stream::copy_decode(LIBRARY, &mut place.file)
        .and_then(|()| place.file.flush())
        .map_err(|error| failed("it cannot be unpacked", &error))?;
    ort::init_from(&place.path)
        .map_err(|error| failed("it cannot be loaded", &error))?
        .with_name("sextant")
        .with_telemetry(false)
        .build()
        .map_err(|error| failed("it does not start", &error))
}

/// A place that the dynamic loader can open. The loader maps the library, so
/// the place may go away afterwards.
struct Place {
    file: File,
    path: PathBuf,
    /// Removes a temporary file in the end.
    _removed: Option<TempPath>,
}

impl Place {
    fn find() -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(place) = Self::in_memory() {
            return Ok(place);
        }
        let (file, path) =
            tempfile::Builder::new().prefix("libonnxruntime").tempfile()?.into_parts();
        Ok(Self { file, path: path.to_path_buf(), _removed: Some(path) })
    }

    /// None where `/proc`, through which the loader would open it, is not mounted.
    #[cfg(target_os = "linux")]
    fn in_memory() -> Option<Self> {
        use std::os::fd::AsRawFd as _;
        let file = memfd::MemfdOptions::default().create("libonnxruntime.so").ok()?.into_file();
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        path.exists().then_some(Self { file, path, _removed: None })
    }
}
