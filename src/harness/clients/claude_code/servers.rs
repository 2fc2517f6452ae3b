//! MCP servers: where they are configured. The model receives their instructions at the start of a session.

use std::path::{Path, PathBuf};

use super::around::Around;
use super::plugins::Plugin;
use super::{MANAGED, layers};
use crate::answer::Answer;
use crate::formats::Node;
use crate::harness::kit::servers;
use crate::search::{Known, Search};
use crate::snapshot::Ask;

/// File in a directory that configures servers for a project.
const FILE: &str = ".mcp.json";

/// Adds the servers that are configured and not disabled.
pub(super) fn look(around: &Around, search: &mut Search, answer: &mut Answer) -> Known<()> {
    let Around { at, settings, checkout, plugins, .. } = around;
    let managed = Path::new(MANAGED).join("managed-mcp.json");
    let top = checkout.map_or(Path::new("/"), |checkout| &checkout.root);
    let walk = at.cwd.ancestors().take_while(|dir| settings.project && dir.starts_with(top));
    let files: Vec<PathBuf> = walk.map(|dir| dir.join(FILE)).collect();
    search.expect(files.iter().chain([&managed]).cloned().map(Ask::Content))?;
    let mut names: Vec<String> = Vec::new();
    if let Some(node) = read(&managed, search)? {
        // The administrator's file excludes all other configured servers.
        names.extend(named(Some(&node)));
    } else if !settings.servers.strict {
        let own = settings.json.as_ref();
        let project = checkout.map_or(&at.cwd, |checkout| &checkout.main).to_string_lossy();
        let of_project = |key: &str| own.and_then(|own| own.at_path(&["projects", &project, key]));
        let off = |name: &String| {
            let listed = of_project("disabledMcpServers").and_then(Node::as_texts).unwrap_or_default();
            listed.contains(&name.as_str())
        };
        names.extend(named(own));
        names.extend(named(own.and_then(|own| own.at_path(&["projects", &project]))));
        for file in &files {
            let node = read(file, search)?;
            names.extend(named(node.as_ref()).filter(|name| !settings.servers.off.contains(name)));
        }
        for plugin in *plugins {
            names.extend(of_plugin(plugin, search)?);
        }
        names.retain(|name| !off(name));
    }
    for given in &settings.servers.given {
        let node = match given.trim_start().starts_with('{') {
            true => layers::parsed(given).ok(),
            false => read(&crate::snapshot::absolute(&at.cwd, Path::new(given)), search)?,
        };
        names.extend(named(node.as_ref()));
    }
    names.sort();
    names.dedup();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let role = around.edition.role(at, settings);
    servers::doubt(&names, role, answer);
    Ok(())
}

/// Returns the names of the servers in the table `mcpServers`.
fn named(node: Option<&Node>) -> impl Iterator<Item = String> {
    let table = node.and_then(|node| node.get("mcpServers")).and_then(Node::as_table).unwrap_or_default();
    table.iter().map(|(name, _)| name.clone())
}

fn read(file: &Path, search: &mut Search) -> Known<Option<Node>> {
    let raw = search.read(file, "MCP servers, whose instructions the model is told")?;
    Ok(raw.ok().and_then(|raw| layers::parsed(&raw.text()).ok()))
}

/// Returns the servers of a plugin, with the plugin's name in front.
fn of_plugin(plugin: &Plugin, search: &mut Search) -> Known<Vec<String>> {
    let mut names = Vec::new();
    for file in [plugin.dir.join(FILE)].into_iter().chain(plugin.named("mcpServers")) {
        let node = read(&file, search)?;
        // The table is written with or without its key.
        let table = node.as_ref().map(|node| node.get("mcpServers").unwrap_or(node)).and_then(Node::as_table);
        names.extend(table.unwrap_or_default().iter().map(|(name, _)| name.clone()));
    }
    let written = plugin.says("mcpServers").and_then(Node::as_table).unwrap_or_default();
    names.extend(written.iter().map(|(name, _)| name.clone()));
    Ok(names.into_iter().map(|name| format!("plugin:{}:{name}", plugin.name)).collect())
}
