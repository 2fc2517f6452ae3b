//! The `<environment_context>` block that follows the instructions.

use std::path::Path;

use super::history;
use super::permissions::{Access, Entry, Permissions, Profile, What};
use super::settings::Settings;
use crate::answer::Standpoint;
use crate::harness::Version;

/// Format of the environment block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Start directory and shell, in a separate message; no setting disables it.
    DirectoryAndShell,
    /// Also date and time zone, depending on the settings.
    WithDate,
    /// Also permissions.
    WithPermissions,
}

impl Form {
    pub(super) fn for_version(version: Version) -> Form {
        match (version.has(&history::DATE), version.has(&history::PERMISSIONS_SHOWN)) {
            (_, true) => Form::WithPermissions,
            (true, false) => Form::WithDate,
            (false, false) => Form::DirectoryAndShell,
        }
    }
}

/// Returns the block, unless the settings disable it.
pub(super) fn block(form: Form, settings: &Settings, at: &Standpoint, cwd: &Path) -> Option<String> {
    let cwd = escaped(&cwd.to_string_lossy());
    let mut out =
        format!("<environment_context>\n  <cwd>{cwd}</cwd>\n  <shell>{}</shell>\n", escaped(&at.surroundings.shell));
    match form {
        Form::DirectoryAndShell => return Some(out + "</environment_context>"),
        Form::WithDate | Form::WithPermissions if !settings.environment => return None,
        Form::WithDate | Form::WithPermissions => {}
    }
    if settings.environment_time {
        let (year, month, day) = at.surroundings.date;
        out.push_str(&format!("  <current_date>{year:04}-{month:02}-{day:02}</current_date>\n"));
        out.push_str(&format!("  <timezone>{}</timezone>\n", escaped(&at.surroundings.time_zone)));
    }
    if form == Form::WithPermissions {
        out.push_str(&format!("  {}\n", filesystem(&settings.permissions)));
    }
    Some(out + "</environment_context>")
}

/// Formats the workspace roots and the file permissions.
fn filesystem(permissions: &Permissions) -> String {
    let path = |path: &Path| escaped(&path.to_string_lossy());
    let roots: String = permissions.roots.iter().map(|root| format!("<root>{}</root>", path(root))).collect();
    let entry = |entry: &Entry| {
        let what = match &entry.what {
            What::Special(name) => format!("<special>{}</special>", escaped(name)),
            What::Path(at) => format!("<path>{}</path>", path(at)),
            What::Glob(glob) => format!("<glob>{}</glob>", escaped(glob)),
        };
        let access = match entry.access {
            Access::Read => "access=\"read\"",
            Access::Write => "access=\"write\"",
            Access::Deny => "access=\"deny\" escalatable=\"false\"",
        };
        format!("<entry {access}>{what}</entry>")
    };
    let (kind, files) = match &permissions.profile {
        Profile::Disabled => ("disabled", "<file_system type=\"unrestricted\" />".to_owned()),
        Profile::Managed { scan_depth, entries } => {
            let depth = scan_depth.map(|depth| format!(" glob_scan_max_depth=\"{depth}\"")).unwrap_or_default();
            let entries: String = entries.iter().map(entry).collect();
            ("managed", format!("<file_system type=\"restricted\"{depth}>{entries}</file_system>"))
        }
    };
    let profile = format!("<permission_profile type=\"{kind}\">{files}</permission_profile>");
    format!("<filesystem><workspace_roots>{roots}</workspace_roots>{profile}</filesystem>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&apos;")
}
