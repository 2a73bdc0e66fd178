//! How answers look on a terminal. `anstream` drops the colours where standard
//! output is none, or `NO_COLOR` is set.

use anstyle::{AnsiColor, Style};

pub const BOLD: Style = Style::new().bold();
pub const DIM: Style = Style::new().dimmed();
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
pub const NAME: Style = AnsiColor::Cyan.on_default();
pub const TYPE: Style = AnsiColor::Green.on_default();
pub const WARNING: Style = AnsiColor::Yellow.on_default();

/// A schema's text without what would steer a terminal: control characters
/// become blanks.
pub fn plain(text: &str) -> String {
    text.replace(|letter: char| letter.is_control() && letter != '\n', " ")
}

/// The first sentence of a description, on one line, at most `width` characters.
pub fn first_sentence(description: &str, width: usize) -> String {
    let line = plain(description).split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = line.find(". ").and_then(|end| line.get(..=end)).unwrap_or(&line);
    shorten(sentence, width)
}

/// At most `width` characters, with `…` for what is cut.
pub fn shorten(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_become_one_short_line() {
        assert_eq!(first_sentence("The mood.\nOf a person. ", 40), "The mood.");
        assert_eq!(first_sentence("No full stop", 40), "No full stop");
        assert_eq!(first_sentence("\u{1b}[31mred", 40), "[31mred");
        assert_eq!(first_sentence("Größer als gedacht", 8), "Größer…");
    }
}
