//! Names that standard libraries give to members of everything.

use std::{collections::HashSet, sync::LazyLock};

/// On a receiver of which nothing is known, one of these is more likely a member
/// of a standard library's type than the only one of that name in the tree.
/// Gathered from the standard libraries of the languages that are read.
static COMMON: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("common.txt").split_whitespace().collect());

/// Whether standard libraries give many things a member of this name.
#[must_use]
pub fn is_common(name: &str) -> bool {
    COMMON.contains(name)
}
