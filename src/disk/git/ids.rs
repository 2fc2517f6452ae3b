//! Names and kinds of git's objects.

/// Maximum size of an object to read, in bytes.
pub(super) const OBJECT_CAP_BYTES: usize = crate::disk::FILE_CAP_BYTES as usize;

/// The name of an object, as raw bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id(pub Vec<u8>);

impl Id {
    /// Parses a name from hexadecimal digits.
    pub fn from_hex(hex: &str) -> Option<Id> {
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let is_hex = hex.len().is_multiple_of(2) && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hex { hex.as_bytes().chunks(2).map(byte).collect::<Option<_>>().map(Id) } else { None }
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl ObjectKind {
    /// Returns the word in the header of a loose object.
    pub fn word(self) -> &'static str {
        match self {
            ObjectKind::Commit => "commit",
            ObjectKind::Tree => "tree",
            ObjectKind::Blob => "blob",
            ObjectKind::Tag => "tag",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_hexadecimal() {
        assert_eq!(Id::from_hex("00ff").map(|id| id.to_string()).as_deref(), Some("00ff"));
        assert_eq!((Id::from_hex("0"), Id::from_hex("0g"), Id::from_hex("+1")), (None, None, None));
    }
}
