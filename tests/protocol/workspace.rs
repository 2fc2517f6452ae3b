//! What lies in the workspace folders is found in the background, and known whatever happens to it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use briefing::harness;
use serde_json::{Value, json};

use super::editor::Editor;
use crate::client::{DEADLINE, tests};

/// The instruction files of the workspace, relative to the scratch directory.
async fn files(editor: &mut Editor) -> (Vec<String>, bool) {
    let answer = editor.ask("briefing/instructionFiles", json!({"harness": "codex"})).await.expect("an answer");
    let scratch = format!("{}/", editor.path("").display()).replace("//", "/");
    let relative = |file: &Value| file["path"].as_str().map(|path| path.replace(&scratch, "")).expect("a path");
    let files = answer["files"].as_array().expect("files").iter().map(relative).collect();
    (files, answer["complete"] == true)
}

async fn until_files(editor: &mut Editor, wanted: &[&str]) {
    let started = Instant::now();
    loop {
        let (found, _) = files(editor).await;
        if found == wanted {
            return;
        }
        assert!(started.elapsed() < DEADLINE, "{found:?} instead of {wanted:?}");
    }
}

async fn begun(editor: &mut Editor) -> Value {
    let question = editor.said().await;
    assert_eq!(question["method"], "window/workDoneProgress/create", "{question}");
    question
}

fn git(dir: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"];
    let mut git = Command::new("git");
    git.args(identity).args(arguments).current_dir(dir).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let done = git.env("GIT_CONFIG_NOSYSTEM", "1").output().expect("git is installed");
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

tests! {
    async fn a_scan_says_how_far_it_is_and_can_be_cancelled() {
        let abilities = json!({"capabilities": {"window": {"workDoneProgress": true}}});
        let mut editor = Editor::with(abilities.clone()).await;
        editor.write("project/AGENTS.md", "Rules.\n");
        let question = begun(&mut editor).await;
        let token = question["params"]["token"].clone();
        editor.answer(&question, Value::Null).await;
        let begin = editor.said().await;
        assert_eq!((&begin["method"], &begin["params"]["token"]), (&json!("$/progress"), &token));
        assert_eq!((&begin["params"]["value"]["kind"], &begin["params"]["value"]["cancellable"]), (&json!("begin"), &json!(true)));
        assert_eq!(begin["params"]["value"]["title"], "Briefing: looking through project");
        loop {
            let value = editor.said().await["params"]["value"].take();
            if value["kind"] == "end" {
                assert_eq!(value["message"], "1 instruction files");
                break;
            }
            assert_eq!(value["kind"], "report");
        }
        assert_eq!(files(&mut editor).await, (vec!["project/AGENTS.md".to_owned()], true));
        let status = editor.ask("briefing/status", json!({})).await.expect("an answer");
        assert_eq!((&status["instructionFiles"], &status["complete"], &status["watching"]), (&json!(1), &json!(true), &json!("directories")));
        editor.leave().await;

        let mut editor = Editor::with(abilities).await;
        editor.write("project/AGENTS.md", "Rules.\n");
        let question = begun(&mut editor).await;
        editor.tell("window/workDoneProgress/cancel", json!({"token": question["params"]["token"]})).await;
        // Answers do not depend on it.
        assert!(editor.text().await.contains("Rules."));
        editor.answer(&question, json!(null)).await;
        while editor.said().await["params"]["value"]["kind"] != "end" {}
        // What the harness reads at the start is known all the same.
        assert_eq!(files(&mut editor).await, (vec!["project/AGENTS.md".to_owned()], false));
        editor.leave().await;
    }

    async fn files_are_known_when_they_come_and_go_in_any_way() {
        let mut editor = Editor::open().await;
        editor.write("project/AGENTS.md", "Rules.\n");
        until_files(&mut editor, &["project/AGENTS.md"]).await;
        for _ in 0..3 {
            // Faster than anybody can watch the new directories.
            editor.write("project/a/b/c/AGENTS.md", "Deep.\n");
            until_files(&mut editor, &["project/AGENTS.md", "project/a/b/c/AGENTS.md"]).await;
            fs::rename(editor.path("project/a"), editor.path("project/moved")).expect("it is there");
            until_files(&mut editor, &["project/AGENTS.md", "project/moved/b/c/AGENTS.md"]).await;
            editor.write("project/moved/b/AGENTS.md", "Watched where it is now.\n");
            until_files(&mut editor, &["project/AGENTS.md", "project/moved/b/AGENTS.md", "project/moved/b/c/AGENTS.md"]).await;
            fs::rename(editor.path("project/moved"), editor.path("outside")).expect("it is there");
            until_files(&mut editor, &["project/AGENTS.md"]).await;
            fs::rename(editor.path("outside"), editor.path("project/back")).expect("it is there");
            until_files(&mut editor, &["project/AGENTS.md", "project/back/b/AGENTS.md", "project/back/b/c/AGENTS.md"]).await;
            fs::remove_dir_all(editor.path("project/back")).expect("it is there");
            editor.write("project/node_modules/p/AGENTS.md", "Foreign.\n");
            until_files(&mut editor, &["project/AGENTS.md"]).await;
            fs::remove_dir_all(editor.path("project/node_modules")).expect("it is there");
        }
        // The folder itself goes and comes back.
        fs::rename(editor.path("project"), editor.path("away")).expect("it is there");
        until_files(&mut editor, &[]).await;
        fs::rename(editor.path("away"), editor.path("project")).expect("it is there");
        until_files(&mut editor, &["project/AGENTS.md"]).await;
        editor.leave().await;
    }

    async fn folders_come_and_go() {
        let mut editor = Editor::open().await;
        editor.write("project/AGENTS.md", "Rules.\n");
        editor.write("other/AGENTS.md", "Others.\n");
        editor.write("project/inner/AGENTS.md", "Inner.\n");
        let all = ["other/AGENTS.md", "project/AGENTS.md", "project/inner/AGENTS.md"];
        let folder = |editor: &Editor, name: &str| json!({"uri": editor.uri(name), "name": name});
        let event = json!({"added": [folder(&editor, "other"), folder(&editor, "project/inner")], "removed": []});
        editor.tell("workspace/didChangeWorkspaceFolders", json!({"event": event})).await;
        until_files(&mut editor, &all).await;
        let answer = editor.ask("briefing/instructionFiles", json!({"harness": "codex"})).await.expect("an answer");
        // Each file is seen from its own folder.
        for file in answer["files"].as_array().expect("files") {
            assert_eq!(file["harnesses"][0]["fate"], "loaded", "{answer}");
            assert_eq!(file["harnesses"][0]["trigger"], "session", "{answer}");
        }
        let event = json!({"added": [], "removed": [folder(&editor, "project"), folder(&editor, "project/inner")]});
        editor.tell("workspace/didChangeWorkspaceFolders", json!({"event": event})).await;
        until_files(&mut editor, &["other/AGENTS.md"]).await;
        editor.leave().await;
    }

    async fn where_too_few_directories_can_be_watched_the_user_is_told_and_answers_stay_right() {
        for (client_tells, watching) in [(false, "nothing"), (true, "client")] {
            let mut editor = Editor::with(json!({
                "initializationOptions": {"watchLimit": 0},
                "capabilities": {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": client_tells}}},
            })).await;
            if client_tells {
                let question = editor.said().await;
                assert_eq!(question["method"], "client/registerCapability");
                editor.answer(&question, Value::Null).await;
            }
            let message = editor.said().await;
            assert_eq!(message["method"], "window/showMessage", "{message}");
            assert!(message["params"]["message"].as_str().is_some_and(|words| words.contains("briefing.watchLimit")));
            for count in 0..3 {
                let name = format!("project/d{count}/AGENTS.md");
                editor.write("project/AGENTS.md", format!("Count {count}.\n"));
                editor.write(&name, "Nested.\n");
                if client_tells {
                    let changes = json!([{"uri": editor.uri(&name), "type": 1}, {"uri": editor.uri("project/AGENTS.md"), "type": 1}]);
                    editor.tell("workspace/didChangeWatchedFiles", json!({"changes": changes})).await;
                }
                assert!(editor.text().await.contains(&format!("Count {count}.")));
                assert_eq!(files(&mut editor).await.0.len(), count + 2);
            }
            let status = editor.ask("briefing/status", json!({})).await.expect("an answer");
            assert_eq!((&status["watching"], &status["watchedDirectories"]), (&json!(watching), &json!(0)));
            editor.leave().await;
        }
    }

    async fn an_edit_at_the_root_of_many_files_answers_for_the_open_ones_only() {
        const DIRS: usize = 10_000;
        let mut editor = Editor::open().await;
        for count in 0..DIRS {
            editor.write(&format!("project/d{}/e{count}/AGENTS.md", count % 100), "Nested.\n");
        }
        editor.write("project/AGENTS.md", "Rules.\n");
        let open = ["project/AGENTS.md", "project/d7/e7/AGENTS.md", "project/d8/e8/x.rs"];
        let uris = open.map(|file| editor.uri(file));
        for file in open {
            editor.open_document(file, "Rules.\n").await;
            if file.ends_with(".md") {
                editor.diagnostics(file).await;
            }
        }
        for file in open {
            editor.effective(json!({"textDocument": {"uri": editor.uri(file)}})).await;
        }
        let started = Instant::now();
        loop {
            let status = editor.ask("briefing/status", json!({})).await.expect("an answer");
            if status["instructionFiles"] == DIRS + 1 {
                break;
            }
            // Ten thousand files are written and found while other tests run.
            assert!(started.elapsed() < DEADLINE * 6, "they are not found: {status}");
        }
        let worked_out = async |editor: &mut Editor| {
            let status = editor.ask("briefing/status", json!({})).await.expect("an answer");
            status["workedOut"].as_u64().expect("a number")
        };
        let before = worked_out(&mut editor).await;
        for version in 2..7 {
            editor.change("project/AGENTS.md", version, &format!("Rules {version}.\n")).await;
            let announced = editor.announced().await;
            let named = announced["documents"].as_array().expect("documents");
            let named: Vec<_> = named.iter().map(|document| document["uri"].as_str().unwrap_or_default()).collect();
            assert_eq!(named, uris.each_ref().map(String::as_str), "{announced}");
            editor.until_diagnostics("project/AGENTS.md", |found| found["version"] == version).await;
        }
        let since = worked_out(&mut editor).await - before;
        assert!((5..100).contains(&since), "{since} answers were worked out after five edits of one file");
        editor.leave().await;
    }

    async fn a_branch_switch_is_one_update() {
        const FILES: usize = 3_000;
        let mut editor = Editor::open().await;
        let project = editor.path("project");
        fs::remove_dir_all(project.join(".git")).expect("it is there");
        git(&project, &["init", "-q", "-b", "main"]);
        for branch in ["main", "other"] {
            if branch != "main" {
                git(&project, &["checkout", "-q", "-b", branch]);
            }
            for count in 0..FILES {
                editor.write(&format!("project/src/d{}/f{count}.rs", count % 100), format!("// {branch} {count}"));
            }
            editor.write("project/AGENTS.md", format!("Rules of {branch}.\n"));
            editor.write(&format!("project/{branch}/AGENTS.md"), "Of one branch.\n");
            git(&project, &["add", "-A"]);
            git(&project, &["commit", "-q", "-m", branch]);
        }
        editor.open_document("project/src/d1/f1.rs", "// other 1").await;
        let question = json!({"textDocument": {"uri": editor.uri("project/src/d1/f1.rs")}, "harness": "codex", "include": ["text"]});
        until_files(&mut editor, &["project/AGENTS.md", "project/main/AGENTS.md", "project/other/AGENTS.md"]).await;
        for branch in ["main", "other", "main"] {
            editor.effective(question.clone()).await;
            git(&project, &["checkout", "-q", branch]);
            let mut announcements = 0;
            loop {
                let announced = editor.announced().await;
                announcements += 1;
                assert_eq!(announced["documents"][0]["uri"], editor.uri("project/src/d1/f1.rs"), "{announced}");
                let now = editor.effective(question.clone()).await;
                if super::editor::text_of(&now).contains(&format!("Rules of {branch}.")) {
                    break;
                }
            }
            assert!(announcements <= 2, "{announcements} announcements of one switch");
            let nested = if branch == "main" { vec!["project/main/AGENTS.md"] } else {
                vec!["project/main/AGENTS.md", "project/other/AGENTS.md"]
            };
            until_files(&mut editor, &[vec!["project/AGENTS.md"], nested].concat()).await;
            let mut fresh = editor.another().await;
            for profile in harness::ALL {
                let question = json!({"textDocument": question["textDocument"], "harness": profile.id, "include": ["text"]});
                let (remembered, now) = (editor.effective(question.clone()).await, fresh.effective(question).await);
                assert_eq!(remembered["briefings"], now["briefings"], "{} on {branch}", profile.id);
            }
            fresh.leave().await;
        }
        editor.leave().await;
    }
}
