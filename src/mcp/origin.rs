//! Who may call over HTTP, by the `Host` and `Origin` that a browser cannot
//! forge: an allow list, so that no web page reaches a server on a machine of
//! its reader's by rebinding a name to it.

use std::net::Ipv6Addr;

use axum::http::{
    HeaderMap, Uri,
    header::{HOST, ORIGIN},
    uri::Authority,
};
use reqwest::Url;

/// The hosts by which a client on the same machine calls.
const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The hosts that a server answers to, and the origins of web pages that may
/// call it. Requests without an `Origin` do not come from a web page.
#[derive(Clone, Debug)]
pub struct AllowList {
    hosts: Vec<AllowedHost>,
    origins: Vec<AllowedOrigin>,
}

/// A host; any port where none is named.
#[derive(Clone, Debug)]
struct AllowedHost {
    name: String,
    port: Option<u16>,
}

/// An origin (RFC 6454); any port where none is named, which only the loopback
/// defaults do.
#[derive(Clone, Debug)]
struct AllowedOrigin {
    scheme: String,
    host: String,
    port: Option<u16>,
}

/// Why a request is turned away before it is read.
#[derive(Debug, thiserror::Error)]
pub enum Stranger {
    /// There is no host, or it cannot be read.
    #[error("The request names no host that can be read.")]
    Nameless,
    /// The host is not on the list.
    #[error("The host `{0}` is not allowed here. Its operator can allow it with --allowed-host.")]
    Host(String),
    /// The origin is not on the list, or it cannot be read.
    #[error("The origin is not allowed here. The operator can allow it with --allowed-origin.")]
    Origin,
}

impl Default for AllowList {
    /// Loopback, on any port.
    fn default() -> Self {
        Self { hosts: loopback_hosts(), origins: loopback_origins() }
    }
}

impl AllowList {
    /// A list of hosts (`mcp.example.com`, `mcp.example.com:8443`) and origins
    /// (`https://app.example.com`); loopback for either that is empty.
    ///
    /// # Errors
    /// A sentence on the entry that is none.
    pub fn new(hosts: &[String], origins: &[String]) -> Result<Self, String> {
        let hosts = match hosts {
            [] => loopback_hosts(),
            named => named.iter().map(|host| parse_allowed_host(host)).collect::<Result<_, _>>()?,
        };
        let origins = match origins {
            [] => loopback_origins(),
            named => {
                named.iter().map(|origin| parse_allowed_origin(origin)).collect::<Result<_, _>>()?
            }
        };
        Ok(Self { hosts, origins })
    }

    /// Checks the host that a request is for, and the web page it comes from.
    ///
    /// # Errors
    /// The [`Stranger`] that it is.
    pub fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Stranger> {
        let host = match headers.get(HOST) {
            Some(host) => Authority::try_from(host.as_bytes()).map_err(|_| Stranger::Nameless)?,
            // HTTP/2 names it in the URI.
            None => uri.authority().cloned().ok_or(Stranger::Nameless)?,
        };
        if !self.hosts.iter().any(|allowed| allowed.matches(&host)) {
            return Err(Stranger::Host(host.to_string()));
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        if origins.all(|origin| self.allows_origin(origin.as_bytes())) {
            Ok(())
        } else {
            Err(Stranger::Origin)
        }
    }

    /// Whether a web page of this origin may call; `null` never may.
    #[must_use]
    pub fn allows_origin(&self, origin: &[u8]) -> bool {
        let origin = std::str::from_utf8(origin).ok().and_then(|text| Url::parse(text).ok());
        origin.is_some_and(|origin| self.origins.iter().any(|allowed| allowed.matches(&origin)))
    }
}

impl AllowedHost {
    fn matches(&self, host: &Authority) -> bool {
        self.name.eq_ignore_ascii_case(host.host())
            && self.port.is_none_or(|port| host.port_u16() == Some(port))
    }
}

impl AllowedOrigin {
    fn matches(&self, origin: &Url) -> bool {
        self.scheme == origin.scheme()
            && Some(self.host.as_str()) == origin.host_str()
            && self.port.is_none_or(|port| origin.port_or_known_default() == Some(port))
    }
}

fn loopback_hosts() -> Vec<AllowedHost> {
    LOOPBACK_HOSTS.map(|name| AllowedHost { name: name.to_owned(), port: None }).into()
}

fn loopback_origins() -> Vec<AllowedOrigin> {
    let of_scheme = |scheme: &'static str| {
        LOOPBACK_HOSTS.map(|host| AllowedOrigin {
            scheme: scheme.to_owned(),
            host: host.to_owned(),
            port: None,
        })
    };
    ["http", "https"].into_iter().flat_map(of_scheme).collect()
}

fn parse_allowed_host(text: &str) -> Result<AllowedHost, String> {
    let bracketed = text.parse::<Ipv6Addr>().map(|address| format!("[{address}]"));
    let authority = Authority::try_from(bracketed.as_deref().unwrap_or(text))
        .ok()
        .filter(|authority| !text.contains(['@', '*']) && !authority.host().is_empty())
        .ok_or_else(|| {
            format!("`{text}` is no host; --allowed-host takes a name such as mcp.example.com, or one with a port")
        })?;
    Ok(AllowedHost { name: authority.host().to_owned(), port: authority.port_u16() })
}

fn parse_allowed_origin(text: &str) -> Result<AllowedOrigin, String> {
    let mistake = || {
        format!("`{text}` is no origin; --allowed-origin takes one such as https://app.example.com")
    };
    let url = Url::parse(text).map_err(|_| mistake())?;
    let is_bare = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
        && matches!(url.path(), "" | "/");
    match url.host_str() {
        Some(host) if is_bare && !host.contains('*') => Ok(AllowedOrigin {
            scheme: url.scheme().to_owned(),
            host: host.to_owned(),
            // A scheme of an application's own has no port, and is matched by that.
            port: url.port_or_known_default(),
        }),
        _ => Err(mistake()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(hosts: &[&str], origins: &[&str]) -> AllowList {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        AllowList::new(&owned(hosts), &owned(origins)).unwrap()
    }

    fn allows_host(list: &AllowList, host: &str) -> bool {
        let headers = HeaderMap::from_iter([(HOST, host.parse().unwrap())]);
        list.check(&Uri::from_static("/mcp"), &headers).is_ok()
    }

    #[test]
    fn loopback_is_allowed_by_default_and_nothing_else() {
        let list = AllowList::default();
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080", "[::1]"] {
            assert!(allows_host(&list, host), "{host}");
        }
        for host in ["example.com", "localhost.example.com", "127.0.0.2", "", "a b", "[::2]"] {
            assert!(!allows_host(&list, host), "{host}");
        }
        for origin in ["http://localhost:6274", "https://127.0.0.1", "http://[::1]:80"] {
            assert!(list.allows_origin(origin.as_bytes()), "{origin}");
        }
        for origin in ["null", "", "http://localhost.example.com", "ftp://localhost", "localhost"] {
            assert!(!list.allows_origin(origin.as_bytes()), "{origin}");
        }
    }

    #[test]
    fn what_is_named_replaces_loopback() {
        let list =
            list(&["mcp.example.com", "other.example.com:8443"], &["https://app.example.com"]);
        assert!(allows_host(&list, "mcp.example.com:1234"));
        assert!(allows_host(&list, "other.example.com:8443"));
        assert!(!allows_host(&list, "other.example.com:8444"));
        assert!(!allows_host(&list, "localhost"));
        assert!(list.allows_origin(b"https://app.example.com"));
        assert!(list.allows_origin(b"https://app.example.com:443"));
        assert!(!list.allows_origin(b"http://app.example.com"));
        assert!(!list.allows_origin(b"https://app.example.com:444"));
        assert!(!list.allows_origin(b"http://localhost"));
    }

    #[test]
    fn the_host_may_stand_in_the_uri() {
        let list = AllowList::default();
        let check = |uri| list.check(&Uri::from_static(uri), &HeaderMap::new());
        assert!(check("http://localhost:80/mcp").is_ok());
        assert!(matches!(check("http://example.com/mcp"), Err(Stranger::Host(_))));
        assert!(matches!(check("/mcp"), Err(Stranger::Nameless)));
    }

    #[test]
    fn entries_that_are_none_are_told() {
        for host in ["", "*", "a b", "user@example.com", "https://example.com", "*.example.com"] {
            assert!(AllowList::new(&[host.to_owned()], &[]).is_err(), "{host}");
        }
        for origin in ["", "*", "example.com", "https://example.com/page", "https://*.example.com"]
        {
            assert!(AllowList::new(&[], &[origin.to_owned()]).is_err(), "{origin}");
        }
    }
}
