//! Settings about MCP servers.

use crate::formats::Node;

/// Settings of MCP servers from the command line and the settings files.
#[derive(Default)]
pub(in super::super) struct Servers {
    /// Values of `--mcp-config`: files, or JSON.
    pub(in super::super) given: Vec<String>,
    /// True if no other servers count.
    pub(in super::super) strict: bool,
    /// Servers of a project's file that are disabled.
    pub(in super::super) off: Vec<String>,
}

impl Servers {
    /// Applies a layer's settings for the servers of a project's file.
    pub(super) fn apply(&mut self, layer: &Node) {
        let off = layer.get("disabledMcpjsonServers").and_then(Node::as_texts).unwrap_or_default();
        self.off.extend(off.into_iter().map(str::to_owned));
    }
}
