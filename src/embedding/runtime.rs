//! ONNX Runtime from inside the binary.
//!
//! The library is embedded, compressed, and handed to the dynamic loader
//! without a file of its own where the platform can do that: on Linux as an
//! anonymous file in memory, elsewhere as a temporary file that is removed once
//! it is loaded.
//!
//! The runtime reports its use over the network unless `ORT_DISABLE_TELEMETRY`
//! is 1 in the environment when it starts. `main` sees to that; so must any other
//! program that uses this library.

use std::{io::Write as _, sync::OnceLock};

use ort::environment::Environment;

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
    let mut library = Library::create().map_err(|error| failed("no room to unpack it", &error))?;
    zstd::stream::copy_decode(LIBRARY, &mut library.file)
        .and_then(|()| library.file.flush())
        .map_err(|error| failed("it cannot be unpacked", &error))?;
    ort::init_from(library.path())
        .map_err(|error| failed("it cannot be loaded", &error))?
        .with_name("sextant")
        .with_telemetry(false)
        .build()
        .map_err(|error| failed("it does not start", &error))
}

/// A place that the dynamic loader can open. The loader maps the library, so
/// the place may go away afterwards.
struct Library {
    #[cfg(target_os = "linux")]
    file: std::fs::File,
    #[cfg(not(target_os = "linux"))]
    file: tempfile::NamedTempFile,
}

#[cfg(target_os = "linux")]
impl Library {
    fn create() -> Result<Self, memfd::Error> {
        let file = memfd::MemfdOptions::default().create("libonnxruntime.so")?.into_file();
        Ok(Self { file })
    }

    fn path(&self) -> std::path::PathBuf {
        use std::os::fd::AsRawFd as _;
        format!("/proc/self/fd/{}", self.file.as_raw_fd()).into()
    }
}

#[cfg(not(target_os = "linux"))]
impl Library {
    fn create() -> std::io::Result<Self> {
        let file = tempfile::Builder::new().prefix("libonnxruntime").tempfile()?;
        Ok(Self { file })
    }

    fn path(&self) -> std::path::PathBuf {
        self.file.path().to_owned()
    }
}
