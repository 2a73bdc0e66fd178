//! Where a language model is, and the key that lets one in.

use std::{
    fmt, fs, io,
    net::IpAddr,
    path::{Path, PathBuf},
};

use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};

/// The longest key; those in use have some hundred characters.
const MAX_KEY_BYTES: u64 = 16 << 10;

/// Why a language model cannot be used as it was configured.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The URL is none that can be asked.
    #[error("the language model's URL cannot be used: {0}")]
    Url(&'static str),
    /// The key would travel in the clear.
    #[error(
        "the language model's key would be sent unencrypted to `{0}`; give a URL that begins with https://, or leave the key out"
    )]
    KeyInTheClear(String),
    /// The file with the key cannot be read.
    #[error("cannot read the language model's key in `{}`: {source}", .path.display())]
    KeyFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file holds something else than a key.
    #[error("`{}` is no file with a key: {reason}", .path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// Where a language model is, and what lets one in.
#[derive(Clone)]
pub struct Endpoint {
    pub(super) url: Url,
    pub(super) key: Option<SecretString>,
}

impl Endpoint {
    /// Takes the base URL of an OpenAI-compatible server, and the file with the
    /// key where it wants one. A URL without a path gets `/v1`; one with a path
    /// is taken as it is, and may name `…/chat/completions` itself.
    ///
    /// # Errors
    /// Any [`SettingsError`]; a key is refused for a host that is not this
    /// machine where the URL is not `https`.
    pub fn new(url: &str, key_file: Option<&Path>) -> Result<Self, SettingsError> {
        let url = chat_url(url)?;
        let key = key_file.map(read_key).transpose()?;
        if key.is_some() && url.scheme() == "http" && !is_loopback(&url) {
            return Err(SettingsError::KeyInTheClear(shown(&url)));
        }
        Ok(Self { url, key })
    }
}

/// The URL without its query, which may hold a secret.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.url))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({self})")
    }
}

fn chat_url(text: &str) -> Result<Url, SettingsError> {
    const PATH: &str = "/chat/completions";
    let mut url = Url::parse(text).map_err(|_| {
        SettingsError::Url("it is malformed; give one such as http://localhost:11434")
    })?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(SettingsError::Url("it must begin with http:// or https:// and name a host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(SettingsError::Url(
            "it holds a user name or a password; give a file with the key in its place",
        ));
    }
    url.set_fragment(None);
    let path = match url.path().trim_end_matches('/') {
        "" => format!("/v1{PATH}"),
        path if path.ends_with(PATH) => path.to_owned(),
        path => format!("{path}{PATH}"),
    };
    url.set_path(&path);
    Ok(url)
}

fn shown(url: &Url) -> String {
    url.as_str().split('?').next().unwrap_or_default().to_owned()
}

pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

fn read_key(path: &Path) -> Result<SecretString, SettingsError> {
    let unreadable = |source| SettingsError::KeyFile { path: path.to_owned(), source };
    let no_key = |reason| SettingsError::NoKey { path: path.to_owned(), reason };
    if fs::metadata(path).map_err(unreadable)?.len() > MAX_KEY_BYTES {
        return Err(no_key("it is too large"));
    }
    let text = SecretString::from(fs::read_to_string(path).map_err(unreadable)?);
    let key = text.expose_secret().trim();
    match () {
        () if key.is_empty() => Err(no_key("it is empty")),
        () if key.contains(|letter: char| !letter.is_ascii_graphic()) => {
            Err(no_key("a key is one line without blanks"))
        }
        () => Ok(key.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_leads_to_chat_completions() {
        for (given, asked) in [
            ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
            ("http://localhost:11434/", "http://localhost:11434/v1/chat/completions"),
            ("https://api.example.com/v1", "https://api.example.com/v1/chat/completions"),
            (
                "https://a.example/v1beta/openai/",
                "https://a.example/v1beta/openai/chat/completions",
            ),
            ("https://a.example/v1/chat/completions", "https://a.example/v1/chat/completions"),
            ("https://a.example/d?v=1#x", "https://a.example/d/chat/completions?v=1"),
        ] {
            assert_eq!(chat_url(given).unwrap().as_str(), asked);
        }
        for wrong in ["localhost:1", "ftp://a.example", "http://u:p@a.example", "", "http://"] {
            assert!(chat_url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_key_goes_encrypted_or_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        fs::write(&file, "s3cret\n").unwrap();
        for (url, is_fine) in [
            ("https://a.example", true),
            ("http://localhost:1", true),
            ("http://127.0.0.1:1", true),
            ("http://[::1]:1", true),
            ("http://a.example", false),
            ("http://localhost.a.example", false),
        ] {
            assert_eq!(Endpoint::new(url, Some(&file)).is_ok(), is_fine, "{url}");
            assert!(Endpoint::new(url, None).is_ok(), "{url}");
        }
        let endpoint = Endpoint::new("https://a.example/v1?key=hidden", Some(&file)).unwrap();
        let all = format!("{endpoint} {endpoint:?}");
        assert!(!all.contains("s3cret") && !all.contains("hidden"), "{all}");
    }

    #[test]
    fn a_key_is_one_line() {
        let folder = tempfile::tempdir().unwrap();
        for (content, is_key) in
            [("k\r\n", true), ("", false), (" \n", false), ("a b", false), ("a\nb", false)]
        {
            let file = folder.path().join("key");
            fs::write(&file, content).unwrap();
            assert_eq!(read_key(&file).is_ok(), is_key, "{content:?}");
        }
        let error = read_key(&folder.path().join("none")).unwrap_err().to_string();
        assert!(error.contains("none`"), "{error}");
    }
}
