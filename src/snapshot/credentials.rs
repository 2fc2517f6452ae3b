//! Recognizes files that hold credentials by name, since they must not be opened to find out.

use std::path::Path;

/// Names of files that hold credentials or transcripts of earlier sessions.
const NAMES: [&str; 19] = [
    ".env",
    ".envrc",
    "_netrc",
    ".pypirc",
    ".vault-token",
    "auth.json",
    ".credentials.json",
    "credentials.json",
    "oauth_creds.json",
    "google_accounts.json",
    "mcp-auth.json",
    "hosts.json",
    ".netrc",
    ".npmrc",
    ".git-credentials",
    "secrets.json",
    "history.jsonl",
    "credentials",
    ".pgpass",
];

/// Returns true for a file whose text is never shown, copied or stored.
pub fn is_credential_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_key = [".pem", ".key"].iter().any(|ending| name.ends_with(ending)) || name.starts_with("id_");
    is_key || name.starts_with(".env.") || NAMES.contains(&&*name)
}

/// Returns true for a file that holds credentials next to settings; only its values are never stored.
pub fn has_credentials(path: &Path) -> bool {
    is_credential_file(path) || path.file_name().is_some_and(|name| name == ".claude.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_secrets_are_known_by_their_names() {
        for (name, secret) in [
            ("auth.json", true),
            ("id_rsa", true),
            ("a.pem", true),
            (".env", true),
            (".env.local", true),
            ("settings.json", false),
            (".environment.md", false),
        ] {
            assert_eq!(is_credential_file(Path::new(name)), secret, "{name}");
        }
    }
}
