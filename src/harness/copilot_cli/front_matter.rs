//! What the front matter of an instruction file says: the patterns it applies to, and its description.

/// The front matter, as far as Copilot CLI reads it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FrontMatter {
    /// `applyTo` or `paths`, split at commas outside of braces.
    pub patterns: Vec<String>,
    /// `description`, on one line.
    pub description: String,
}

impl FrontMatter {
    /// Whether the file applies to everything, so that it is sent at once.
    pub(super) fn is_everywhere(&self) -> bool {
        match self.patterns.as_slice() {
            [] => true,
            [only] => matches!(only.as_str(), "**" | "**/*" | "*"),
            _ => false,
        }
    }
}

/// A value of the few shapes that matter.
enum Value {
    Text(String),
    List(Vec<String>),
    /// A number, a boolean, null.
    Other,
}

/// Reads the front matter of `text`. Where it is no YAML, such as `applyTo: **/*.ts` without quotation marks, the client
/// still takes the pattern from its line, and nothing else.
pub(super) fn parse(text: &str) -> FrontMatter {
    let mut lines = text.lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return FrontMatter::default();
    }
    let mut block = Vec::new();
    let closed = lines.by_ref().any(|line| {
        let ends = line.trim_end() == "---";
        if !ends {
            block.push(line);
        }
        ends
    });
    if !closed {
        return FrontMatter::default();
    }
    let yaml = entries(&block);
    let find = |key: &str| yaml.as_ref()?.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value);
    let patterns = match (yaml.is_some(), find("applyTo").or_else(|| find("paths"))) {
        (true, Some(Value::Text(text))) => split(text),
        (true, Some(Value::List(list))) => {
            list.iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
        }
        (true, Some(Value::Other) | None) => Vec::new(),
        (false, _) => raw(&block, "applyTo").or_else(|| raw(&block, "paths")).map_or_else(Vec::new, split),
    };
    let description = match find("description") {
        Some(Value::Text(text)) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        _ => String::new(),
    };
    FrontMatter { patterns, description }
}

/// The keys and values of a block of YAML; `None` where it is none.
fn entries(block: &[&str]) -> Option<Vec<(String, Value)>> {
    let mut entries = Vec::new();
    let mut lines = block.iter().peekable();
    while let Some(line) = lines.next() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let (key, rest) = line.split_once(':')?;
        if line.starts_with([' ', '\t', '-']) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
            return None;
        }
        let rest = uncommented(rest).trim();
        let mut below = Vec::new();
        while let Some(next) = lines.next_if(|next| next.starts_with([' ', '\t', '-']) || next.trim().is_empty()) {
            below.push(next.trim());
        }
        let value = if rest.is_empty() {
            let items = below.iter().filter(|item| !item.is_empty());
            let items: Option<Vec<String>> = items.map(|item| scalar(item.strip_prefix('-')?.trim())).collect();
            match items? {
                list if list.is_empty() => Value::Other,
                list => Value::List(list),
            }
        } else if rest.starts_with(['>', '|']) {
            Value::Text(below.join(if rest.starts_with('>') { " " } else { "\n" }))
        } else if let Some(inner) = rest.strip_prefix('[') {
            let inner = inner.strip_suffix(']')?;
            let items = split_flow(inner);
            Value::List(items.iter().map(|item| scalar(item)).collect::<Option<_>>()?)
        } else if !rest.starts_with(['"', '\'']) && is_plain_other(rest) {
            Value::Other
        } else {
            Value::Text(scalar(rest)?)
        };
        entries.push((key.trim().to_owned(), value));
    }
    Some(entries)
}

/// A scalar; `None` where YAML would not have it.
fn scalar(text: &str) -> Option<String> {
    let text = uncommented(text).trim();
    if let Some(inner) = text.strip_prefix('"') {
        let inner = inner.strip_suffix('"')?;
        return Some(inner.replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\"));
    }
    if let Some(inner) = text.strip_prefix('\'') {
        return Some(inner.strip_suffix('\'')?.replace("''", "'"));
    }
    let forbidden = text.starts_with(['*', '&', '!', '%', '@', '`', '|', '>', ']', '}']) || text.contains(": ");
    (!forbidden).then(|| text.to_owned())
}

fn is_plain_other(text: &str) -> bool {
    matches!(text, "null" | "~" | "true" | "false" | "Null" | "NULL") || text.parse::<f64>().is_ok()
}

/// Without a comment, which begins with ` #` outside of quotation marks.
fn uncommented(text: &str) -> &str {
    if text.trim_start().starts_with(['"', '\'']) {
        return text;
    }
    text.find(" #").map_or(text, |at| &text[..at])
}

/// The items of a flow list.
fn split_flow(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (',', None) => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        items.last_mut().expect("starts with one").push(c);
    }
    items.into_iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

/// The value on the line of `key`, as it stands.
fn raw<'a>(block: &[&'a str], key: &str) -> Option<&'a str> {
    let line = block.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    let value = line.trim();
    let unquoted = value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
    Some(unquoted.unwrap_or(value))
}

/// Patterns separated by commas, but for those between braces.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("starts with one").push(c);
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}
