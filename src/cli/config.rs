//! `sextant config check`: what takes effect, and who says so.

use std::io::Write as _;

use anstream::stdout;

use super::{
    CliError,
    page::{BOLD, DIM, plain},
};
use crate::config::{Origin, Setting};

pub fn run(settings: &[Setting]) -> Result<(), CliError> {
    let mut out = stdout().lock();
    let widest = settings.iter().map(|setting| setting.flag.len()).max().unwrap_or_default();
    for Setting { flag, value, origin } in settings {
        let value = value.as_deref().unwrap_or("(not set)");
        let origin = match origin {
            Origin::Flag => "from the command line".to_owned(),
            Origin::Variable(name) => format!("from {name}"),
            Origin::File(path) => format!("from {}", path.display()),
            Origin::Default => "by default".to_owned(),
        };
        writeln!(out, "{BOLD}{flag:widest$}{BOLD:#}  {}  {DIM}{origin}{DIM:#}", plain(value))?;
    }
    Ok(())
}
