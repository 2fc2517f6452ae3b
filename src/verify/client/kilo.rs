//! Kilo: a program made of OpenCode, which is asked as that one.

use super::{Client, opencode};

pub(super) static CLIENT: Client = Client {
    harness: "kilo",
    harmless: &opencode::HARMLESS,
    before: None,
    start: |run| {
        let start = opencode::start(run, "KILO_");
        let own = ["DISABLE_SESSION_INGEST", "DISABLE_CODEBASE_INDEXING", "DISABLE_PRESENCE", "NO_DAEMON"];
        let start = own.iter().fold(start, |start, name| start.with(&format!("KILO_{name}"), "1"));
        start.with("KILO_TELEMETRY_LEVEL", "off")
    },
    read: Some(opencode::read),
    texts_sent: opencode::texts_sent,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::client::Run;

    #[test]
    fn its_variables_are_those_of_opencode_under_its_own_name() {
        let start = (CLIENT.start)(&Run { version: "7.7.9", ..Run::of_test() });
        assert_eq!(start.arguments, ["run", "--pure", "--auto", "--title", "t", "--", "hello"]);
        let named = |name: &str| start.env.iter().any(|(set, _)| set == name);
        assert!(named("KILO_CONFIG_CONTENT") && named("KILO_PURE") && named("KILO_TELEMETRY_LEVEL"));
        assert!(!start.env.iter().any(|(name, _)| name.starts_with("OPENCODE_")));
    }
}
