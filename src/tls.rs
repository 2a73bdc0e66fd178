//! Which implementation of TLS is used: rustls with ring, for servers and for
//! clients.

/// Chooses the implementation, once for the process.
pub fn install() {
    // It fails only where one is chosen already, which is this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
