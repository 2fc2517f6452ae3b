//! Finds the file that a shell command shows, following Claude Code's own detection.

use std::path::{Path, PathBuf};

/// Effect of a shell command, as the client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shows {
    /// It shows one file.
    File(PathBuf),
    /// It shows one file if it finds something there.
    IfFound(PathBuf),
    /// It does not show one file.
    Nothing,
    /// Commands like it were not tested with the client.
    Unknown,
}

/// Returns what `command`, run in `dir`, shows. Observed on Claude Code 2.1.329 with about 140 commands.
///
/// Only a single plain command counts, with options that were seen to count. A pipe, a second command, a redirection, a
/// pattern or a variable makes it `Nothing`.
pub fn shows(command: &str, dir: &Path, home: &Path) -> Shows {
    let Some(words) = words(command.trim().trim_end_matches(';')) else { return Shows::Nothing };
    let is_assignment = |word: &&String| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    let mut words = words.iter().skip_while(is_assignment);
    let Some(program) = words.next() else { return Shows::Nothing };
    let Some((is_option, needs)) = options_of(program) else { return Shows::Nothing };
    let (mut options, mut rest) = (Vec::new(), Vec::new());
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        if !word.starts_with('-') || word == "-" {
            rest.push(word.as_str());
        } else if is_option(word) {
            options.push(word.as_str());
        } else if let Some(number) = words.peek().filter(|value| is_option(&format!("{word} {value}"))) {
            options.push(number);
            words.next();
        } else {
            return if is_asked(program, word) { Shows::Nothing } else { Shows::Unknown };
        }
    }
    let place = |file: &str| match file.strip_prefix("~/") {
        Some(below) => home.join(below),
        None => dir.join(file),
    };
    match (needs, rest.as_slice()) {
        (Needs::File, [file]) => Shows::File(place(file)),
        (Needs::Lines, [lines, file]) if !options.is_empty() => match first_line(lines) {
            Some(1) => Shows::File(place(file)),
            Some(_) => Shows::IfFound(place(file)),
            None => Shows::Nothing,
        },
        (Needs::Pattern, [_, file]) => Shows::IfFound(place(file)),
        _ => Shows::Nothing,
    }
}

/// Arguments that a program needs besides its options.
#[derive(Clone, Copy)]
enum Needs {
    File,
    /// A line range such as `1,3p`, and a file.
    Lines,
    /// A pattern, and a file.
    Pattern,
}

/// Returns true if the client accepts the option.
type IsOption = fn(&str) -> bool;

/// Returns the accepted options of a program and the arguments it needs, or `None` if the program never counts. An
/// option is joined to its value by a space.
fn options_of(program: &str) -> Option<(IsOption, Needs)> {
    let lines: IsOption = |option| {
        let count = option
            .strip_prefix("--lines=")
            .or_else(|| option.strip_prefix("-n "))
            .or_else(|| option.strip_prefix("-n"));
        count.or_else(|| option.strip_prefix('-')).is_some_and(is_number)
    };
    let found: IsOption = |option| match option.split_once(' ') {
        Some((name, number)) => name == "-A" && is_number(number),
        None => ["-n", "-i", "-in", "--color=never"].contains(&option),
    };
    Some(match program {
        "cat" => (|option| option == "-n", Needs::File),
        "nl" => (|_| false, Needs::File),
        "head" | "tail" => (lines, Needs::File),
        "sed" => (|option| option == "-n" || option == "-ne", Needs::Lines),
        "grep" | "egrep" | "fgrep" | "rg" => (found, Needs::Pattern),
        _ => return None,
    })
}

/// Returns true if the client was observed to show nothing for this program with this option.
fn is_asked(program: &str, option: &str) -> bool {
    let asked: &[&str] = match program {
        "cat" => &["-A", "-b", "-E", "--"],
        "head" | "tail" => &["-c", "-qn", "-n", "-f"],
        "sed" => &["-i", "-e"],
        "grep" => &["-r", "-c", "-l", "-A2", "-E", "-m", "-v", "-o", "-q"],
        _ => &[],
    };
    asked.contains(&option)
}

/// Returns the first line that `sed -n` prints, or `None` if the script is not `Np` or `N,Mp`.
fn first_line(script: &str) -> Option<usize> {
    let lines = script.strip_suffix('p')?;
    let (first, last) = lines.split_once(',').unwrap_or((lines, lines));
    (is_number(first) && is_number(last)).then(|| first.parse().ok())?
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Splits a plain command into its words. Returns `None` if the shell would interpret anything else in it.
fn words(command: &str) -> Option<Vec<String>> {
    let (mut words, mut word): (Vec<String>, Option<String>) = (Vec::new(), None);
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let quoted: String = chars.by_ref().take_while(|c| *c != '\'').collect();
                word.get_or_insert_default().push_str(&quoted);
            }
            '"' => {
                let quoted: String = chars.by_ref().take_while(|c| *c != '"').collect();
                if quoted.contains(['$', '`', '\\']) {
                    return None;
                }
                word.get_or_insert_default().push_str(&quoted);
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            ' ' | '\t' => words.extend(word.take()),
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '{' | '}' | '$' | '`' | '*' | '?' | '[' | '#' | '!' | '\n' => {
                return None;
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_command_that_shows_one_file_counts() {
        let file = || Shows::File("/r/a/x.txt".into());
        let found = || Shows::IfFound("/r/a/x.txt".into());
        for (command, expected) in [
            ("cat a/x.txt", file()),
            (" cat '/r/a/x.txt';", file()),
            ("cat \"a/x.txt\"", file()),
            ("cat a\\/x.txt", file()),
            ("FOO=1 cat -n a/x.txt", file()),
            ("cat ~/x.txt", Shows::File("/h/x.txt".into())),
            ("head a/x.txt", file()),
            ("head -n 5 a/x.txt", file()),
            ("tail -5 a/x.txt", file()),
            ("head -n5 a/x.txt", file()),
            ("head --lines=5 a/x.txt", file()),
            ("sed -n 1,3p a/x.txt", file()),
            ("sed 1,3p -n a/x.txt", file()),
            ("sed -n '2p' a/x.txt", found()),
            ("grep -n x a/x.txt", found()),
            ("grep x -n a/x.txt", found()),
            ("grep -A 2 x a/x.txt", found()),
            ("nl a/x.txt", file()),
            ("cat a/x.txt | head", Shows::Nothing),
            ("cat a/x.txt && ls", Shows::Nothing),
            ("cat a/x.txt a/y.txt", Shows::Nothing),
            ("cat $HOME/x.txt", Shows::Nothing),
            ("cat a/*.txt", Shows::Nothing),
            ("cat < a/x.txt", Shows::Nothing),
            ("sed -n '1,$p' a/x.txt", Shows::Nothing),
            ("sed s/a/b/ a/x.txt", Shows::Nothing),
            ("tail -n +2 a/x.txt", Shows::Nothing),
            ("head -c 5 a/x.txt", Shows::Nothing),
            ("/bin/cat a/x.txt", Shows::Nothing),
            ("less a/x.txt", Shows::Nothing),
            ("ls a", Shows::Nothing),
            ("", Shows::Nothing),
            ("cat -u a/x.txt", Shows::Unknown),
            ("grep --include=a x a/x.txt", Shows::Unknown),
        ] {
            assert_eq!(shows(command, Path::new("/r"), Path::new("/h")), expected, "{command}");
        }
    }
}
