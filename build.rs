//! Prepares what is embedded in the binary: ONNX Runtime's library, compressed,
//! and the bundled model's identity.
#![expect(
    clippy::disallowed_macros,
    clippy::expect_used,
    reason = "a build script speaks to cargo and may fail"
)]

use std::{env, fs, io::Write as _, path::Path};

use sha2::{Digest as _, Sha256};

/// Levels above 19 need large windows and save next to nothing here.
const COMPRESSION_LEVEL: i32 = 19;
/// What is built to be thrown away need not be small.
const DEBUG_COMPRESSION_LEVEL: i32 = 1;

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let name = match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("macos") => "libonnxruntime.dylib",
        _ => "libonnxruntime.so",
    };
    let library = Path::new(&root).join("target/onnxruntime").join(name);
    println!("cargo::rerun-if-changed={}", library.display());
    let Ok(bytes) = fs::read(&library) else {
        println!(
            "cargo::error=ONNX Runtime is not at {}; run ./scripts/runtime to fetch it, \
             or ./scripts/build to fetch it and build",
            library.display()
        );
        return;
    };
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let level = if is_release { COMPRESSION_LEVEL } else { DEBUG_COMPRESSION_LEVEL };
    let mut encoder = zstd::Encoder::new(Vec::new(), level).expect("a valid level");
    encoder.write_all(&bytes).expect("memory takes it");
    let compressed = encoder.finish().expect("memory takes it");
    fs::write(Path::new(&out).join("onnxruntime.zst"), compressed).expect("OUT_DIR is writable");

    // The same digest as `embedding::model_hash` makes of a folder's files.
    let mut hash = Sha256::new();
    for file in ["model.onnx", "tokenizer.json"] {
        let path = Path::new(&root).join("models").join(file);
        println!("cargo::rerun-if-changed={}", path.display());
        hash.update(fs::read(&path).expect("models/ holds the bundled model"));
    }
    println!("cargo::rustc-env=SEXTANT_MODEL_HASH={}", hex::encode(hash.finalize()));
    println!("cargo::rerun-if-changed=build.rs");
}
