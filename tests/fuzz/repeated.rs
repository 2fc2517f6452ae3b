//! A few signs again and again: what is quadratic in the length of a file is found by that, in every parser and every
//! harness.

use std::path::Path;
use std::sync::LazyLock;

use briefing::formats;
use briefing::harness;
use briefing::report::markdown;

use super::{PIECES, fuzz};
use crate::cases::answer;
use crate::incremental::changes::Random;
use crate::world::{Case, World};

/// How long such a text is: a quadratic cost of one step for each pair of bytes is seconds of it.
const BYTES: usize = 64 << 10;

/// Where harnesses look for instructions and rules, as they themselves say it.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let names = harness::ALL.iter().flat_map(|profile| profile.instruction_names);
    let mut names: Vec<String> = names.map(|name| name.replace("**/", "").replace('*', "x")).collect();
    names.sort();
    names.dedup();
    names
});

/// One to four pieces, again and again, between two others.
fn repeated(random: &mut Random, bytes: usize) -> String {
    let unit: String = (0..1 + random.below(4)).map(|_| piece(random)).collect();
    let (before, after) = (piece(random), piece(random));
    format!("{before}{}{after}", unit.repeat(bytes / unit.len()))
}

fn piece(random: &mut Random) -> &'static str {
    const MORE: [&str; 14] = [
        "a",
        "b\n",
        "- a\n",
        "> a\n",
        "a\n",
        "\n\n",
        "<a ",
        "<script>",
        "</script>",
        "<?",
        "<![CDATA[",
        "<!a ",
        "\\[",
        "\"a\": ",
    ];
    match random.chance(30) {
        true => MORE[random.below(MORE.len())],
        false => PIECES[random.below(PIECES.len())],
    }
}

#[test]
fn markdown_that_repeats_itself() {
    fuzz("repeated Markdown", 20, |random| {
        let text = repeated(random, BYTES);
        let _ = formats::marked::parse(&text).texts();
        let _ = markdown::outline(&text);
    });
}

#[test]
fn settings_that_repeat_themselves() {
    fuzz("repeated settings", 20, |random| {
        let text = repeated(random, BYTES);
        for parse in [
            formats::parse_json,
            formats::parse_jsonc,
            formats::parse_json5,
            formats::parse_toml,
            formats::parse_yaml,
            formats::parse_npm_yaml,
            formats::parse_js_yaml,
            formats::parse_rust_yaml,
        ] {
            let _ = parse(&text);
        }
        let _ = formats::parse_rust_yaml_in_part(&text);
        let _ = formats::parse_leniently(&text).map(formats::with_merges);
        let _ = formats::dotenv(&text);
        let _ = formats::without_comments(&text);
        let _ = briefing::text::without_passwords(&text);
    });
}

#[test]
fn instructions_that_repeat_themselves() {
    fuzz("repeated instructions", 200, |random| {
        let text = repeated(random, BYTES / 4);
        let text = if random.chance(30) { format!("---\n{text}\n---\nRule.\n") } else { text };
        let mut world = World::empty();
        world.git(Path::new("/p"));
        world.directory(Path::new("/h"));
        world.file(Path::new("/p/a.rs"), b"a\n".to_vec());
        for name in &*NAMES {
            let path = Path::new("/p").join(name);
            if world.make_directory(path.parent().expect("a directory")) {
                world.write(&path, text.clone().into_bytes());
            }
        }
        let profile = random.pick(harness::ALL);
        let ask = format!("{} from /p reading /p/a.rs", profile.id);
        let resolution = answer(&Case::parse(""), &world, &ask).expect("a question");
        assert!(!resolution.is_broken(), "{ask}: {text:.200}");
    });
}
