//! Questions of Briefing's own, asked as harnesses are: their answers are remembered and watched in the same way.

pub mod declarations;
pub mod installed;
pub mod manifests;
pub mod neighbour;
pub mod patterns;
pub mod references;
