//! Flags on who may call over HTTP.

use std::net::IpAddr;

use clap::Args;
use reqwest::Url;

use crate::mcp::{Access, AllowList, OAuth, Scopes};

#[derive(Debug, Args)]
pub struct AccessArguments {
    /// A host by which clients may call, with or without a port; may be given several times [default: the names of loopback]
    #[arg(long, env = "SEXTANT_ALLOWED_HOST", value_name = "HOST", value_delimiter = ',')]
    allowed_host: Vec<String>,
    /// An origin whose web pages may call, for example `https://app.example.com`; may be given several times [default: those of loopback]
    #[arg(long, env = "SEXTANT_ALLOWED_ORIGIN", value_name = "ORIGIN", value_delimiter = ',')]
    allowed_origin: Vec<String>,
    /// Check OAuth tokens: whose they must be, as `iss` has it
    #[arg(long, env = "SEXTANT_OAUTH_ISSUER", value_name = "URL")]
    oauth_issuer: Option<String>,
    /// Where the issuer's public keys are
    #[arg(long, env = "SEXTANT_OAUTH_JWKS_URL", value_name = "URL")]
    oauth_jwks_url: Option<String>,
    /// Whom tokens must be for, as `aud` has it
    #[arg(long, env = "SEXTANT_OAUTH_AUDIENCE", value_name = "AUDIENCE")]
    oauth_audience: Option<String>,
    /// The URL by which clients know the endpoint [default: the audience]
    #[arg(long, env = "SEXTANT_OAUTH_RESOURCE", value_name = "URL")]
    oauth_resource: Option<String>,
    /// A scope that `initialize` and `server/discover` need; may be given several times (in the environment, separated by blanks)
    #[arg(
        long,
        env = "SEXTANT_OAUTH_SCOPE_INITIALIZE",
        value_name = "SCOPE",
        value_delimiter = ' '
    )]
    oauth_scope_initialize: Vec<String>,
    /// A scope that `tools/list` needs
    #[arg(
        long,
        env = "SEXTANT_OAUTH_SCOPE_TOOLS_LIST",
        value_name = "SCOPE",
        value_delimiter = ' '
    )]
    oauth_scope_tools_list: Vec<String>,
    /// A scope that `tools/call` needs, for all tools alike
    #[arg(
        long,
        env = "SEXTANT_OAUTH_SCOPE_TOOLS_CALL",
        value_name = "SCOPE",
        value_delimiter = ' '
    )]
    oauth_scope_tools_call: Vec<String>,
}

impl AccessArguments {
    /// The names of the flags, as clap knows them.
    pub const FLAGS: [&'static str; 9] = [
        "allowed_host",
        "allowed_origin",
        "oauth_issuer",
        "oauth_jwks_url",
        "oauth_audience",
        "oauth_resource",
        "oauth_scope_initialize",
        "oauth_scope_tools_list",
        "oauth_scope_tools_call",
    ];

    /// Who may call.
    ///
    /// # Errors
    /// A sentence on what is wrong or missing: OAuth is configured whole, or not
    /// at all.
    pub fn checked(self) -> Result<Access, String> {
        let allowed = AllowList::new(&self.allowed_host, &self.allowed_origin)?;
        Ok(Access { allowed, oauth: self.oauth()? })
    }

    fn oauth(self) -> Result<Option<OAuth>, String> {
        let scopes = Scopes {
            initialize: checked_scopes(self.oauth_scope_initialize)?,
            tools_list: checked_scopes(self.oauth_scope_tools_list)?,
            tools_call: checked_scopes(self.oauth_scope_tools_call)?,
        };
        let (issuer, jwks_url, audience) =
            match (self.oauth_issuer, self.oauth_jwks_url, self.oauth_audience) {
                (Some(issuer), Some(jwks_url), Some(audience)) => (issuer, jwks_url, audience),
                (None, None, None) if self.oauth_resource.is_none() && scopes.is_empty() => {
                    return Ok(None);
                }
                (issuer, jwks_url, audience) => {
                    let missing: Vec<&str> = [
                        ("--oauth-issuer", issuer.is_none()),
                        ("--oauth-jwks-url", jwks_url.is_none()),
                        ("--oauth-audience", audience.is_none()),
                    ]
                    .into_iter()
                    .filter_map(|(flag, is_missing)| is_missing.then_some(flag))
                    .collect();
                    return Err(format!(
                        "OAuth is half configured, and no token could be checked; give {} as well",
                        missing.join(" and ")
                    ));
                }
            };
        secure_url("--oauth-issuer", &issuer)?;
        let jwks_url = secure_url("--oauth-jwks-url", &jwks_url)?;
        let resource = match &self.oauth_resource {
            Some(resource) => secure_url("--oauth-resource", resource)?,
            None => secure_url("--oauth-audience", &audience).map_err(|_| {
                format!(
                    "the audience `{audience}` is no URL by which clients can know the endpoint; give that with --oauth-resource"
                )
            })?,
        };
        Ok(Some(OAuth { issuer, jwks_url, audience, resource, scopes }))
    }
}

/// A scope stands in a header between quotation marks (RFC 6749, appendix A.4).
fn checked_scopes(scopes: Vec<String>) -> Result<Vec<String>, String> {
    let scopes: Vec<String> = scopes.into_iter().filter(|scope| !scope.is_empty()).collect();
    let may_stand = |letter: char| letter.is_ascii_graphic() && !matches!(letter, '"' | '\\');
    match scopes.iter().find(|scope| !scope.chars().all(may_stand)) {
        Some(scope) => Err(format!(
            "`{scope}` is no scope; scopes are made of printable ASCII letters without quotation marks and backslashes"
        )),
        None => Ok(scopes),
    }
}

/// What is fetched or told to clients must not be changed on its way, so only
/// this machine may be named without TLS.
fn secure_url(flag: &str, text: &str) -> Result<Url, String> {
    let mistake = |what: &str| format!("`{text}` is {what}; {flag} takes an https:// URL");
    let url = Url::parse(text).map_err(|_| mistake("no URL"))?;
    let host = url.host_str().unwrap_or_default();
    let is_here = host == "localhost"
        || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    match url.scheme() {
        "https" => {}
        "http" if is_here => {}
        _ => return Err(mistake("no secure URL")),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!(
            "{flag} names a user or a password, which others would see; leave it out"
        ));
    }
    if url.fragment().is_some() {
        return Err(mistake("a URL with a fragment"));
    }
    Ok(url)
}
