//! Findings in the forms of other services: JUnit XML, and the Code Quality report of GitLab.

use std::fmt::Write;

use serde_json::json;

use super::forms::help;
use super::{Found, Report};
use crate::report::escape::{self, inert, markup, visible};
use crate::report::findings::Severity;
use crate::report::judged::sentence;

/// Renders the report as JUnit XML. Errors and warnings are tests that fail; any other finding is the output of a test
/// that passes. Without findings there is one test that passes, since some services reject an empty suite.
pub(super) fn junit(report: &Report) -> String {
    let fails = |found: &Found| found.severity <= Severity::Warning;
    let (tests, failures) = (report.all.len().max(1), report.all.iter().filter(|found| fails(found)).count());
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"briefing\" tests=\"{tests}\" failures=\"{failures}\">");
    let judged = markup(&sentence(report.judged));
    let _ = writeln!(out, "  <testsuite name=\"briefing check\" tests=\"{tests}\" failures=\"{failures}\">");
    let _ = writeln!(out, "    <properties><property name=\"judged\" value=\"{judged}\"/></properties>");
    if report.all.is_empty() {
        out.push_str("    <testcase classname=\"briefing\" name=\"no findings\"/>\n");
    }
    for found in &report.all {
        let (line, _) = found.position(found.finding.range.start);
        let (path, code, message) = (markup(&found.path), found.code(), markup(&found.finding.message));
        let (severity, help) = (found.severity.word(), markup(&format!("Help: {}", help(found))));
        let said = match fails(found) {
            true => format!("<failure type=\"{severity}\" message=\"{message}\">{help}</failure>"),
            false => format!("<system-out>{severity}: {message}\n{help}</system-out>"),
        };
        let _ = writeln!(
            out,
            "    <testcase classname=\"{path}\" name=\"{code}:{line}\" file=\"{path}\" line=\"{line}\">\n      \
             {said}\n    </testcase>"
        );
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

/// Renders the Code Quality report of GitLab:
/// <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>
pub(super) fn gitlab(report: &Report) -> Result<String, String> {
    let severity = |found: &Found| match found.severity {
        Severity::Error => "critical",
        Severity::Warning => "major",
        Severity::Information => "minor",
        Severity::Hint => "info",
    };
    let findings: Vec<_> = report
        .all
        .iter()
        .map(|found| {
            json!({
                "description": inert(&visible(&found.finding.message)),
                "content": {"body": format!("Help: {}", help(found))},
                "check_name": found.code(),
                "fingerprint": found.fingerprint,
                "severity": severity(found),
                "location": {"path": found.path, "lines": {"begin": found.position(found.finding.range.start).0}},
            })
        })
        .collect();
    Ok(escape::json(&findings)? + "\n")
}
