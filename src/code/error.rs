//! Why a question about code got no answer.

/// Each message is one that an agent can read and act on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// The request itself is wrong; the reason says what to change.
    #[error("The request is not valid. {0}")]
    Invalid(String),
    /// The tree or its index cannot be read; the reason is for the operator.
    #[error("The code cannot be searched. {0}")]
    Failed(String),
}
