//! Clients that keep all sessions in one database: each session is read as lines, one about itself and one per message
//! or part.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::Head;
use super::lines::Lines;
use super::place::{Database, Found};
use super::session::{Builder, Kind};

/// Queries for the sessions of a client's database.
pub struct Tables {
    /// Query for all sessions: the name of each, its line as in [`Line`], and the size of its texts in bytes.
    pub sessions: &'static str,
    /// Query for the lines of one session.
    pub lines: &'static str,
    /// Names of the tables in both queries.
    pub names: &'static [&'static str],
}

/// Line about a session; all times are in milliseconds.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    session: Cow<'a, str>,
    #[serde(borrow)]
    parent: Option<Cow<'a, str>>,
    #[serde(borrow)]
    directory: Option<Cow<'a, str>>,
    #[serde(borrow)]
    version: Option<Cow<'a, str>>,
    created: Option<i64>,
    updated: Option<i64>,
}

/// Converts a time as databases keep it.
pub fn millis(millis: i64) -> Option<jiff::Timestamp> {
    jiff::Timestamp::from_millisecond(millis).ok()
}

/// Updates the head of a session with the line about it.
pub fn head(line: &[u8], head: &mut Head) {
    if head.id.is_some() {
        return;
    }
    let Ok(line) = serde_json::from_slice::<Line>(line) else { return };
    head.id = Some(line.session.into_owned());
    head.parent = line.parent.map(Cow::into_owned);
    head.cwd = line.directory.map(|directory| PathBuf::from(&*directory));
    head.version = line.version.map(Cow::into_owned);
    head.start = line.created.and_then(millis);
}

/// Begins a session with the line about it, and returns its first step; `None` if it has begun or this is another line.
pub fn begin(line: &[u8], builder: &mut Builder) -> Option<usize> {
    let mut head = Head::default();
    if builder.session.id.is_empty() {
        self::head(line, &mut head);
    }
    let session = &mut builder.session;
    session.id = head.id?;
    (session.parent, session.cwd, session.version) = (head.parent, head.cwd, head.version);
    builder.at(head.start);
    Some(builder.step(head.start, Kind::Start, None))
}

/// Finds the sessions of a database that were started in or below `project`, or all of them.
pub fn find(file: &Path, project: Option<&Path>, tables: &Tables) -> Vec<Found> {
    let Some(of_file) = Found::at(file.to_owned()) else { return Vec::new() };
    if of_file.problem.is_some() {
        return vec![of_file];
    }
    let read =
        Database::open(file).map(Arc::new).and_then(|database| Ok((database.rows(tables.sessions, "")?, database)));
    let (rows, database) = match read {
        Ok((rows, database)) if rows.is_empty() && !tables.are_in(&database) => {
            let names = tables.names.join(", ");
            let problem = Some(format!("not read, since some of its tables are missing: {names}"));
            return vec![Found { problem, ..of_file }];
        }
        Ok(read) => read,
        Err(problem) => return vec![Found { problem: Some(problem), ..of_file }],
    };
    let mut found = Vec::new();
    for row in rows {
        let [Some(key), Some(line), bytes] = &row[..] else { continue };
        let mut head = Head::default();
        self::head(line.as_bytes(), &mut head);
        if project.is_some_and(|project| head.cwd.as_ref().is_none_or(|cwd| !cwd.starts_with(project))) {
            continue;
        }
        let written = serde_json::from_str::<Line>(line).ok().and_then(|line| millis(line.updated?));
        let bytes = bytes.as_ref().and_then(|bytes| bytes.parse().ok()).unwrap_or_default();
        let (database, key) = (Some(database.clone()), Some(key.clone()));
        found.push(Found { head, written, bytes, key, database, ..of_file.clone() });
    }
    found
}

impl Tables {
    /// Returns true if a database has all tables that are read.
    fn are_in(&self, database: &Database) -> bool {
        const TABLES: &str = "select name from sqlite_master where type = 'table' and ?1 = ''";
        let is_there = |names: &[crate::snapshot::Row], name: &str| {
            names.iter().any(|row| row.first().is_some_and(|found| found.as_deref() == Some(name)))
        };
        database.rows(TABLES, "").is_ok_and(|found| self.names.iter().all(|name| is_there(&found, name)))
    }
}

/// Opens a session of a database as lines.
pub fn open(found: &Found, key: &str, tables: &Tables) -> Result<Lines, String> {
    let database = match &found.database {
        Some(database) => database.clone(),
        None => Arc::new(Database::open(&found.file)?),
    };
    let line_of = |row: &Vec<Option<String>>| row.first().cloned().flatten();
    let mut text = String::new();
    let session =
        database.rows(tables.sessions, "")?.into_iter().find(|row| row.first() == Some(&Some(key.to_owned())));
    let session = session.and_then(|row| row.get(1).cloned().flatten()).into_iter();
    for line in session.chain(database.rows(tables.lines, key)?.iter().filter_map(line_of)) {
        text.push_str(&line);
        text.push('\n');
    }
    Ok(Lines::new(std::io::Cursor::new(text.into_bytes())))
}
