//! The file that a build writes before it is put in the index's place.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// The file that a build writes, locked while it does. Its name is fixed, so
/// that two builds of one index meet, and what a killed one left is overwritten.
pub struct Temporary {
    path: PathBuf,
    lock: File,
    in_place: bool,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A build that failed leaves nothing behind, least of all on a full disk.
        if !self.in_place
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::debug!(path = %self.path.display(), %error, "a temporary file stays");
        }
    }
}

impl Temporary {
    /// Takes the temporary file of an index, once no other build has it.
    ///
    /// # Errors
    /// Where it cannot be made, or the index would be a folder.
    pub fn claim(target: &Path) -> io::Result<Self> {
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            fs::create_dir_all(folder)?;
        }
        if target.is_dir() {
            return Err(io::Error::other("it is a folder; name a file"));
        }
        let name = target.file_name().ok_or_else(|| io::Error::other("it names no file"))?;
        let path = target.with_file_name(format!(".{}.building", name.to_string_lossy()));
        loop {
            let lock =
                File::options().create(true).truncate(false).write(true).read(true).open(&path)?;
            lock.lock()?;
            // The build that held the lock has renamed this very file into place:
            // begin again under a new one.
            if same_file(&lock, &path) {
                lock.set_len(0)?;
                return Ok(Self { path, lock, in_place: false });
            }
        }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the file into place once it is on disk; returns its size in bytes.
    ///
    /// # Errors
    /// Where it cannot be written out or renamed.
    pub fn into_place(mut self, target: &Path) -> io::Result<u64> {
        self.lock.sync_all()?;
        let bytes = self.lock.metadata()?.len();
        fs::rename(&self.path, target)?;
        self.in_place = true;
        Ok(bytes)
    }
}

#[cfg(unix)]
fn same_file(open: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (open.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(path)) => (open.dev(), open.ino()) == (path.dev(), path.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn same_file(_open: &File, path: &Path) -> bool {
    path.exists()
}
