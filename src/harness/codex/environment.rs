//! The `<environment_context>` block that follows the instructions.

use std::path::Path;

use super::settings::{Sandbox, Settings};
use crate::answer::Standpoint;

/// How the environment is described.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The start directory and the shell, in a message of its own; no setting switches it off.
    DirectoryAndShell,
    /// Date, time zone and permissions as well, as the settings say.
    WithPermissions,
}

/// The block, unless the settings switch it off.
pub(super) fn block(form: Form, settings: &Settings, at: &Standpoint, cwd: &Path) -> Option<String> {
    let cwd = escaped(&cwd.to_string_lossy());
    let mut out =
        format!("<environment_context>\n  <cwd>{cwd}</cwd>\n  <shell>{}</shell>\n", escaped(&at.surroundings.shell));
    match form {
        Form::DirectoryAndShell => return Some(out + "</environment_context>"),
        Form::WithPermissions if !settings.environment => return None,
        Form::WithPermissions => {}
    }
    if settings.environment_time {
        let (year, month, day) = at.surroundings.date;
        out.push_str(&format!("  <current_date>{year:04}-{month:02}-{day:02}</current_date>\n"));
        out.push_str(&format!("  <timezone>{}</timezone>\n", escaped(&at.surroundings.time_zone)));
    }
    let profile = permissions(settings.sandbox, &cwd);
    out.push_str(&format!("  <filesystem><workspace_roots><root>{cwd}</root></workspace_roots>{profile}</filesystem>\n</environment_context>"));
    Some(out)
}

fn permissions(sandbox: Sandbox, cwd: &str) -> String {
    let entry = |access: &str, inner: String| format!("<entry access=\"{access}\">{inner}</entry>");
    let special = |name: &str| format!("<special>{name}</special>");
    let path = |path: String| format!("<path>{path}</path>");
    let entries = match sandbox {
        Sandbox::FullAccess => {
            return "<permission_profile type=\"disabled\"><file_system type=\"unrestricted\" /></permission_profile>"
                .to_owned();
        }
        Sandbox::ReadOnly => entry("read", special(":root")),
        Sandbox::WorkspaceWrite => {
            let mut entries = entry("read", special(":root")) + &entry("write", path(cwd.to_owned()));
            entries += &(entry("write", special(":slash_tmp")) + &entry("write", special(":tmpdir")));
            for protected in [".git", ".agents", ".codex", ".aws"] {
                entries += &entry("read", path(format!("{cwd}/{protected}")));
            }
            entries
        }
    };
    format!(
        "<permission_profile type=\"managed\"><file_system type=\"restricted\">{entries}</file_system></permission_profile>"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&apos;")
}
