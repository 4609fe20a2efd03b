//! Which keys hold secrets, whose values are never shown.
//!
//! Source: `GlobalConfiguration.isSensitive`, `SENSITIVE_KEYS` and `HIDDEN_CONTENT`, Flink 2.2.1.
//! The list of that version is used for all: an older Flink hides no more than it.

/// What Flink shows in place of a secret.
pub const HIDDEN_CONTENT: &str = "******";

const SENSITIVE_KEYS: [&str; 10] = [
    "password",
    "secret",
    "fs.azure.account.key",
    "apikey",
    "auth-params",
    "service-key",
    "token",
    "basic-auth",
    "jaas.config",
    "http-headers",
];

/// Whether Flink hides the value of this key in logs and in its web pages.
pub fn is_sensitive(key: &str) -> bool {
    let key = key.to_lowercase();
    SENSITIVE_KEYS.iter().any(|part| key.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_of_the_key_in_any_case_is_enough() {
        assert!(is_sensitive("fs.s3a.Secret.key"));
        assert!(is_sensitive("security.ssl.rest.keystore-password"));
        assert!(!is_sensitive("taskmanager.memory.process.size"));
    }
}
