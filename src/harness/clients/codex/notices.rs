//! What `codex exec` 0.169.0 prints when the budget leaves something out, word for word.

use std::path::Path;

/// For each file that the budget cuts.
pub(super) fn loaded_only(path: &Path, cut: usize, len: usize, budget: usize) -> String {
    format!(
        "Loaded only {cut} of {len} bytes from `{}` in environment `local` under the {budget}-byte project instruction budget. {TRIM_ADVICE}",
        path.display()
    )
}

/// For the first file behind the end of the budget.
pub(super) fn skipped(path: &Path, budget: usize) -> String {
    format!(
        "Skipped project instructions in environment `local` starting at `{}` because the {budget}-byte budget was exhausted. {TRIM_ADVICE}",
        path.display()
    )
}

const TRIM_ADVICE: &str =
    "Trim your project instructions to fit the budget. If you need to keep them all, increase `project_doc_max_bytes`.";

/// When everything together is longer than the limit for project files.
pub(super) fn combined(len: usize, budget: usize) -> String {
    format!(
        "Combined user instructions use {len} bytes, above the {budget}-byte `project_doc_max_bytes` setting. The total includes global and thread instructions. The limit applies only to project files."
    )
}
