//! Messages of `codex exec` 0.169.0 about what the budget leaves out, word for word.

use std::path::Path;

/// Returns the message for a file that the budget cuts.
pub(super) fn loaded_only(path: &Path, cut: usize, len: usize, budget: usize) -> String {
    format!(
        "Loaded only {cut} of {len} bytes from `{}` in environment `local` under the {budget}-byte project instruction budget. {TRIM_ADVICE}",
        path.display()
    )
}

/// Returns the message for the first file after the budget is used up.
pub(super) fn skipped(path: &Path, budget: usize) -> String {
    format!(
        "Skipped project instructions in environment `local` starting at `{}` because the {budget}-byte budget was exhausted. {TRIM_ADVICE}",
        path.display()
    )
}

const TRIM_ADVICE: &str =
    "Trim your project instructions to fit the budget. If you need to keep them all, increase `project_doc_max_bytes`.";

/// Returns the message for a total that is larger than the limit for project files.
pub(super) fn combined(len: usize, budget: usize) -> String {
    format!(
        "Combined user instructions use {len} bytes, above the {budget}-byte `project_doc_max_bytes` setting. The total includes global and thread instructions. The limit applies only to project files."
    )
}
