//! A line as it is shown.

use std::ops::Range;

/// The most characters of a snippet.
pub const MAX_CHARS: usize = 300;
/// How many of them come before the match in a line that is cut: what stands
/// before a name says what it is, what follows says more.
const BEFORE: usize = 100;
/// Stands for what was cut.
const CUT: char = '…';

/// The line without the blanks around it, cut around the match where it is too
/// long. Bytes that are no UTF-8 become `�`.
pub fn of(line: &[u8], found: Range<usize>) -> String {
    // A character takes four bytes at most, so this is all that can be shown.
    let reach = 4 * MAX_CHARS;
    let from = to_boundary(line, found.start.saturating_sub(reach));
    let before = String::from_utf8_lossy(line.get(from..found.start).unwrap_or_default());
    let to = to_boundary(line, (found.start + reach).min(line.len()));
    let after = String::from_utf8_lossy(line.get(found.start..to).unwrap_or_default());

    let (before, after) = (before.trim_start(), after.trim_end());
    let (had_before, had_after) = (before.chars().count(), after.chars().count());
    if had_before + had_after <= MAX_CHARS && from == 0 && to == line.len() {
        return format!("{before}{after}");
    }
    // What the one side does not need, the other may take; two are for the cuts.
    let room = MAX_CHARS - 2;
    let wanted_before = BEFORE.max(room.saturating_sub(had_after)).min(had_before);
    let wanted_after = (room - wanted_before).min(had_after);
    let mut snippet = String::new();
    if wanted_before < had_before || from > 0 {
        snippet.push(CUT);
    }
    snippet.extend(before.chars().skip(had_before - wanted_before));
    snippet.extend(after.chars().take(wanted_after));
    if wanted_after < had_after || to < line.len() {
        snippet.push(CUT);
    }
    snippet
}

/// The same place, or the next at which a character of UTF-8 begins.
fn to_boundary(line: &[u8], at: usize) -> usize {
    let is_inside = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    at + line.iter().skip(at).take(3).take_while(is_inside).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_is_shown_whole() {
        assert_eq!(of(b"    let mood = happy();  ", 8..12), "let mood = happy();");
        assert_eq!(of(b"", 0..0), "");
    }

    #[test]
    fn a_long_line_is_cut_around_the_match() {
        for letter in ["x", "ß", "€", "🦀"] {
            let side = letter.repeat(1_000);
            let line = format!("{side}mood{side}");
            let at = side.len();
            let snippet = of(line.as_bytes(), at..at + 4);
            assert_eq!(snippet.chars().count(), MAX_CHARS, "{snippet}");
            assert!(snippet.starts_with(CUT) && snippet.ends_with(CUT), "{snippet}");
            assert!(snippet.contains("mood") && !snippet.contains('\u{fffd}'), "{snippet}");

            let snippet = of(format!("mood{side}").as_bytes(), 0..4);
            assert!(snippet.starts_with("mood") && snippet.ends_with(CUT), "{snippet}");
            let snippet = of(format!("{side}mood").as_bytes(), at..at + 4);
            assert!(snippet.starts_with(CUT) && snippet.ends_with("mood"), "{snippet}");
            assert!(snippet.chars().count() >= MAX_CHARS - 1, "{snippet}");
        }
    }

    #[test]
    fn what_is_no_utf_8_is_shown_as_such() {
        assert_eq!(of(b"\xff\xfe mood \xff", 3..7), "\u{fffd}\u{fffd} mood \u{fffd}");
    }
}
