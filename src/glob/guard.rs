//! Limits on patterns before they are compiled: length, nesting depth, number of alternatives.
//!
//! Patterns come from repositories, and compilers process them recursively. So every compiler is guarded by limits; the
//! caller decides what a pattern beyond them means, and nothing crashes.

/// Limits of one compiler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Maximum length, in bytes.
    pub length: usize,
    /// Maximum nesting depth of braces and parentheses together.
    pub depth: usize,
    /// Maximum number of commas and bars inside of them.
    pub alternatives: usize,
}

impl Bounds {
    /// Returns true if the pattern may be compiled. Escaped characters count as well, since compilers differ in
    /// escaping.
    pub(super) fn allow(self, pattern: &str) -> bool {
        if pattern.len() > self.length {
            return false;
        }
        let (mut depth, mut alternatives) = (0_usize, 0);
        pattern.bytes().all(|byte| {
            match byte {
                b'{' | b'(' => depth += 1,
                b'}' | b')' => depth = depth.saturating_sub(1),
                b',' | b'|' if depth > 0 => alternatives += 1,
                _ => {}
            }
            depth <= self.depth && alternatives <= self.alternatives
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_depth_and_alternatives_are_bounded_each() {
        let bounds = Bounds { length: 40, depth: 2, alternatives: 3 };
        for (pattern, allowed) in [
            ("", true),
            ("src/**/*.rs", true),
            ("{a,{b,c}}", true),
            ("{a,{b,{c}}}", false),
            ("@(a|!(b))", true),
            ("@(a|!(b|{c}))", false),
            ("{a,b,c,d}", true),
            ("{a,b}{c,d}{e,f}", true),
            ("{a,b,c,d,e}", false),
            ("a,b,c,d,e", true),
            ("}}}}}{{", true),
            ("{{{", false),
            ("ab/cd/ef/gh/ij/kl/mn/op/qr/st/uv/wx/yz/ab", false),
        ] {
            assert_eq!(bounds.allow(pattern), allowed, "{pattern}");
        }
    }
}
