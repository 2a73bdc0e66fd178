//! Reading a file, a bounded block of whole lines at a time.

use std::{
    fs::File,
    io::{self, Read as _},
    ops::ControlFlow,
    path::Path,
};

/// How much of a file is searched at once. Nearly every source file fits; a
/// line that does not is a machine's, and is searched in pieces, so that no
/// line costs more memory, or more time between two looks at the clock, than
/// this.
const BLOCK_BYTES: usize = 256 << 10;

/// A part of a file.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// What it holds.
    pub bytes: &'a [u8],
    /// How many lines end before it.
    pub lines_before: u64,
    /// Whether the file begins with it.
    pub is_first: bool,
}

impl Block<'_> {
    /// Whether it holds what no text does. UTF-16 does too, and says so in its
    /// first bytes.
    pub fn is_binary(&self) -> bool {
        let is_utf_16 = self.is_first
            && self.bytes.len() < BLOCK_BYTES
            && (self.bytes.starts_with(b"\xff\xfe") || self.bytes.starts_with(b"\xfe\xff"));
        !is_utf_16 && self.bytes.contains(&0)
    }
}

/// Reads files into a buffer that is used again.
pub struct Reader {
    buffer: Box<[u8]>,
}

impl Reader {
    /// A reader, with its buffer.
    pub fn new() -> Self {
        Self { buffer: vec![0; BLOCK_BYTES].into_boxed_slice() }
    }

    /// Hands on the file's blocks, in order, until `search` has seen enough.
    ///
    /// # Errors
    /// What the system says; the file may be gone, for example.
    pub fn read(
        &mut self,
        path: &Path,
        mut search: impl FnMut(Block) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let mut file = File::open(path)?;
        let mut filled = 0;
        let mut lines_before = 0;
        let mut is_first = true;
        loop {
            let read = file.read(self.buffer.get_mut(filled..).unwrap_or_default());
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
                Ok(0) => {}
                Ok(count) => {
                    filled += count;
                    if filled < self.buffer.len() {
                        continue;
                    }
                }
            }
            let is_last = filled < self.buffer.len();
            let (bytes, _) = self.buffer.split_at(filled);
            let end = if is_last { filled } else { end_of_lines(bytes) };
            let (bytes, _) = bytes.split_at(end);
            if bytes.is_empty() || search(Block { bytes, lines_before, is_first }).is_break() {
                return Ok(());
            }
            if is_last {
                return Ok(());
            }
            lines_before += memchr::memchr_iter(b'\n', bytes).count() as u64;
            self.buffer.copy_within(end..filled, 0);
            filled -= end;
            is_first = false;
        }
    }
}

/// Where the last whole line ends; all of it where there is none.
fn end_of_lines(bytes: &[u8]) -> usize {
    memchr::memrchr(b'\n', bytes).map_or(bytes.len(), |newline| newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(content: &[u8]) -> Vec<(Vec<u8>, u64)> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        let mut blocks = Vec::new();
        let read = Reader::new().read(file.path(), |block| {
            assert_eq!(block.is_first, blocks.is_empty());
            blocks.push((block.bytes.to_vec(), block.lines_before));
            ControlFlow::Continue(())
        });
        read.unwrap();
        blocks
    }

    #[test]
    fn blocks_are_whole_lines_and_all_of_the_file() {
        for line in [b"x\n".as_slice(), b"a line of some length\n", b"\n"] {
            for lines in [0, 1, BLOCK_BYTES / line.len(), BLOCK_BYTES / line.len() * 3 + 1] {
                let content = line.repeat(lines);
                let blocks = blocks(&content);
                assert_eq!(blocks.iter().flat_map(|(bytes, _)| bytes).count(), content.len());
                let mut before = 0;
                for (bytes, lines_before) in &blocks {
                    assert_eq!(before, *lines_before);
                    assert!(bytes.ends_with(b"\n"));
                    before += (bytes.len() / line.len()) as u64;
                }
            }
        }
    }

    #[test]
    fn a_line_that_is_too_long_comes_in_pieces() {
        let mut content = vec![b'x'; BLOCK_BYTES * 2 + 10];
        content.extend(b"\nnext");
        let blocks = blocks(&content);
        assert_eq!(blocks.iter().map(|(_, before)| *before).collect::<Vec<_>>(), [0, 0, 0]);
        assert!(blocks[2].0.ends_with(b"\nnext"));
    }
}
