//! What a pattern may be before it is handed to a compiler: how long, how deep, with how many alternatives.
//!
//! A repository writes the patterns, and compilers follow them call by call. So every compiler of patterns stands behind one of
//! these; what a pattern is beyond its bounds is for the caller to say, and never a crash.

/// The bounds of one compiler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Maximum length, in bytes.
    pub length: usize,
    /// How deep braces, parentheses and brackets may nest together.
    pub depth: usize,
    /// How many commas and bars there may be inside of them.
    pub alternatives: usize,
}

impl Bounds {
    /// Returns true if a compiler may be given the pattern. Escaped signs count as well: compilers differ in what escapes.
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
