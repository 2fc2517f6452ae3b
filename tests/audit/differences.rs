//! What `--diff` and the verdicts say about texts that changed since.

use super::*;

#[test]
fn a_difference_says_what_the_record_does_not_hold() {
    let (root, _open) = opencode_home();
    std::fs::write(root.path().join("r/AGENTS.md"), "Rules.\n").expect("a file");
    let (code, said) = audit(root.path(), &["--last", "--diff"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("cannot be compared: instruction files in the system prompt"), "{said}");
    assert!(!said.contains("\nwhat it holds is"), "{said}");
    let json = audit_json(root.path(), &["--last", "--diff"]);
    assert_eq!(json["sessions"][0]["changes"][0]["now"], "unknown", "{json}");
}

#[test]
fn a_difference_names_files_that_came_and_bounds_its_lines() {
    let root = root_of("claude-code/a_start_alone.txt");
    std::fs::write(root.path().join("r/CLAUDE.local.md"), "Mine.\n").expect("a file");
    let (_, said) = audit(root.path(), &["--last", "--diff"]);
    assert!(said.contains("CLAUDE.local.md\n  would be sent now, and was not given to it"), "{said}");
    let many: String = (0..100).map(|line| format!("Rule {line}.\n")).collect();
    std::fs::write(root.path().join("r/CLAUDE.md"), many).expect("a file");
    let (_, said) = audit(root.path(), &["--last", "--diff"]);
    assert_eq!(said.matches("  + Rule ").count(), 39, "{said}");
    assert!(said.contains("61 more lines; --format json has them"), "{said}");
    let json = audit_json(root.path(), &["--last", "--diff"]);
    let changes = json["sessions"][0]["changes"].as_array().expect("changes");
    let now: Vec<(&str, usize)> = changes
        .iter()
        .map(|change| (change["now"].as_str().expect("a word"), change["lines"].as_array().map_or(0, Vec::len)))
        .collect();
    assert_eq!(now, [("other", 101), ("new", 0)], "{json}");
}

#[test]
fn what_a_file_that_is_gone_said_is_not_known() {
    let (root, database) = opencode_home();
    for dir in ["objects", "refs"] {
        std::fs::create_dir(root.path().join("r/.git").join(dir)).expect("a directory");
    }
    std::fs::write(root.path().join("r/.git/HEAD"), "ref: refs/heads/main\n").expect("a file");
    let rules = root.path().join("r/AGENTS.md");
    std::fs::write(&rules, "The root rule.\n").expect("a file");
    database.execute_batch("delete from part; delete from message").expect("rows");
    let later = jiff::Timestamp::now().as_millisecond() + 2;
    while jiff::Timestamp::now().as_millisecond() < later {}
    database.execute("update session set time_created = ?1, time_updated = ?1", [later]).expect("a row");
    let why = ["--last", "--why", "root rule"];
    let (code, said) = audit(root.path(), &why);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("AGENTS.md (worked out from the files)"), "{said}");
    // What is worked out is as large as the file, without the client's words.
    let (_, said) = audit(root.path(), &[]);
    assert!(said.contains("1 text of instructions, 15 B; worked out from the files, not in the record"), "{said}");
    std::fs::remove_file(rules).expect("it is removed");
    let (code, said) = audit(root.path(), &why);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("not known: what is in the record does not say `root rule`"), "{said}");
    let (_, said) = audit(root.path(), &["--last"]);
    assert!(!said.contains("which have not changed since"), "{said}");
}

#[test]
fn of_two_files_in_one_message_only_the_one_that_changed_is_older() {
    for (case, home, files) in [
        (
            "gemini-cli/a_start_below_the_root.txt",
            "h/.gemini/tmp/src/.project_root",
            ["r/GEMINI.md", "r/src/GEMINI.md"],
        ),
        ("droid/a_start_alone.txt", "", ["r/AGENTS.md", "h/.factory/AGENTS.md"]),
    ] {
        let root = root_of(case);
        if !home.is_empty() {
            std::fs::write(root.path().join(home), root.path().join("r/src").to_str().expect("UTF-8")).expect("a file");
        }
        let at = |file: &str| root.path().join(file);
        let text = std::fs::read_to_string(at(files[0])).expect("a file");
        std::fs::write(at(files[0]), format!("{text}And one more.\n")).expect("a file");
        let json = audit_json(root.path(), &["--last", "--diff"]);
        let changes = json["sessions"][0]["changes"].as_array().expect("changes");
        let of = |file: &str| changes.iter().find(|change| change["path"] == format!("/{file}"));
        let changed = of(files[0]).unwrap_or_else(|| panic!("{case}: {json}"));
        assert_eq!((&changed["now"], &changed["lines"]), (&json!("other"), &json!(["+And one more."])), "{case}");
        assert!(of(files[1]).is_none_or(|change| change["now"] != "other"), "{case}: {json}");
        let (_, said) = audit(root.path(), &[]);
        assert_eq!(said.matches("holds an older").count(), 1, "{case}: {said}");
    }
}

#[test]
fn what_was_cut_may_have_been_cut_after_the_file_changed() {
    let root = root_of("codex/a_file_that_is_cut.txt");
    // The case holds the file in a few characters.
    let file = std::fs::read_dir(root.path().join("h/.codex/sessions")).expect("a directory");
    let mut dirs: Vec<_> = file.map(|entry| entry.expect("an entry").path()).collect();
    let record = loop {
        let path = dirs.pop().expect("a record");
        if path.is_file() {
            break path;
        }
        dirs.extend(std::fs::read_dir(path).expect("a directory").map(|entry| entry.expect("an entry").path()));
    };
    let text = std::fs::read_to_string(&record).expect("a record");
    let (before, behind) = text.split_once("<INSTRUCTIONS>\\n").expect("instructions");
    let (_, behind) = behind.split_once("\\n</INSTRUCTIONS>").expect("instructions");
    let body = "x".repeat(32_768);
    std::fs::write(&record, format!("{before}<INSTRUCTIONS>\\n{body}\\n</INSTRUCTIONS>{behind}")).expect("a record");
    std::fs::write(root.path().join("r/AGENTS.md"), "Short.\n").expect("a file");
    let (_, said) = audit(root.path(), &[]);
    assert!(said.contains("may have been cut at 32 768 B"), "{said}");
    // There is nothing left to ask about.
    std::fs::remove_file(root.path().join("r/AGENTS.md")).expect("it is removed");
    let (_, said) = audit(root.path(), &[]);
    assert!(said.contains("may have been cut at 32 768 B"), "{said}");
    let (_, said) = audit(root.path(), &["--last", "--diff"]);
    assert!(said.contains("is not sent any more") && !said.contains("cannot be compared"), "{said}");
}

#[test]
fn a_difference_escapes_what_turns_its_order_and_ends_where_the_screen_does() {
    let root = root_of("claude-code/a_start_alone.txt");
    let long = "word ".repeat(60);
    std::fs::write(root.path().join("r/CLAUDE.md"), format!("a\u{202e}b\u{200b}c\n{long}\n")).expect("a file");
    let (_, said) = audit(root.path(), &["--last", "--diff"]);
    assert!(said.contains("a\\u{202e}b\\u{200b}c"), "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 200), "{said}");
}

#[test]
fn a_session_that_was_told_of_a_change_holds_the_older_text_still() {
    let root = root_of("claude-code/an_import_of_a_nested_file.txt");
    std::fs::write(root.path().join("r/CLAUDE.md"), "The second root rule of the project.\n").expect("a file");
    let (_, said) = audit(root.path(), &["--last", "--diff"]);
    assert!(said.contains("CLAUDE.md\n  is in context as it was, beside the text of now"), "{said}");
    assert!(!said.contains("what it holds is what it would be told now"), "{said}");
}

#[test]
fn an_import_that_nothing_names_any_more_is_not_sent() {
    let root = later_root_of("claude-code/an_import_is_a_file_of_its_own.txt");
    std::fs::write(root.path().join("r/CLAUDE.md"), "The root rule of the project.\n").expect("a file");
    let (_, said) = audit(root.path(), &["--last", "--diff"]);
    assert!(said.contains("more.md\n  is not sent any more"), "{said}");
}

#[test]
fn a_cut_of_one_text_is_not_one_of_another() {
    let root = tempfile::tempdir().expect("a directory");
    lay_out("hermes/a_read_brings_two_files.txt", root.path());
    // The client sends them in the one order or in the other.
    let of = |dir: &str, rule: &str| format!("[Subdirectory context discovered: {dir}/AGENTS.md]\\n{rule}");
    let (upper, lower) = (of("src", "The rule of the sources."), of("src/deep", "The deep rule."));
    let both = |first: &str, second: &str| format!("{first}\\n\\n{second}");
    for file in files(&root.path().join("h")) {
        let text = std::fs::read_to_string(&file).expect("rows");
        std::fs::write(&file, text.replace(&both(&upper, &lower), &both(&lower, &upper))).expect("rows");
    }
    in_the_future(root.path());
    databases(root.path());
    std::fs::write(root.path().join("r/AGENTS.md"), "A long rule.\n".repeat(5000)).expect("a file");
    let said = audit_json(root.path(), &["--last"]);
    let read = said["sessions"][0]["steps"].as_array().expect("steps").last().expect("a step");
    assert_eq!(read["given"][0]["fate"], "loaded", "{read}");
}
