//! What is shipped agrees with itself: one version, one repository, and archives of the name that everybody asks for.

use std::path::Path;

use serde_json::Value;

fn read(file: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file))
        .unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn json(file: &str) -> Value {
    serde_json::from_str(&read(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn manifest() -> toml::Table {
    read("Cargo.toml").parse().expect("the manifest is TOML")
}

/// npm, Homebrew, Mason, the image and the registry of MCP servers are told by `.packaging/channels.py`, from
/// Cargo.toml.
#[test]
fn versions_agree_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(json("editors/vscode/package.json")["version"], version);
    let lock = json("editors/vscode/package-lock.json");
    assert_eq!((&lock["version"], &lock["packages"][""]["version"]), (&version.into(), &version.into()));
    let lock: toml::Table = read("Cargo.lock").parse().expect("the lock file is TOML");
    let packages = lock["package"].as_array().expect("packages");
    let own = packages.iter().find(|package| package["name"].as_str() == Some(env!("CARGO_PKG_NAME")));
    assert_eq!(own.expect("it is in its own lock file")["version"].as_str(), Some(version));
    let zed: toml::Table = read("editors/zed/extension.toml").parse().expect("TOML");
    assert_eq!(zed["version"].as_str(), Some(version));
    let python: toml::Table = read(".packaging/pypi/pyproject.toml").parse().expect("TOML");
    assert!(python["project"].get("version").is_none(), "maturin takes the version from Cargo.toml");
    for example in ["examples/github/briefing.yml", "action.yml"] {
        assert!(read(example).contains(&format!("v{version}")), "{example} names another version");
    }
}

#[test]
fn descriptions_agree_everywhere() {
    let python: toml::Table = read(".packaging/pypi/pyproject.toml").parse().expect("TOML");
    assert_eq!(python["project"]["description"].as_str(), Some(env!("CARGO_PKG_DESCRIPTION")));
    assert_eq!(python["project"]["license"].as_str(), Some(env!("CARGO_PKG_LICENSE")));
    assert!(env!("CARGO_PKG_DESCRIPTION").len() <= 100, "the registry of MCP servers takes no more");
}

/// The workflow makes them, the action, `cargo binstall` and the package managers ask for them.
#[test]
fn every_platform_is_built_by_the_release() {
    let release = read(".github/workflows/release.yml");
    let action = read("action.yml");
    let channels = read(".packaging/channels.py");
    let targets: Vec<&str> = channels
        .lines()
        .filter_map(|line| line.strip_prefix("    \"")?.split_once("\": {\"node\""))
        .map(|(target, _)| target)
        .collect();
    assert_eq!(targets.len(), 6, "{targets:?}");
    for target in targets {
        assert!(release.contains(&format!("target: {target},")), "{target} is not built");
        assert!(action.contains(&format!("target={target} ")), "the action does not know {target}");
    }
    let binstall = &manifest()["package"]["metadata"]["binstall"];
    let url = binstall["pkg-url"].as_str().expect("an address");
    assert_eq!(url, "{ repo }/releases/download/v{ version }/{ name }-{ target }.tar.gz");
    assert_eq!(binstall["bin-dir"].as_str(), Some("{ name }-{ target }/{ bin }{ binary-ext }"));
    assert!(action.contains("briefing-$target.tar.gz") && channels.contains("f\"{NAME}-{target}.tar.gz\""));
}

/// What is shipped, packed into the extension, measured or tested as shipped is built with the profile for it.
#[test]
fn what_is_shipped_is_built_as_it_is_shipped() {
    for file in [
        ".github/workflows/release.yml",
        "editors/vscode/scripts/package.mjs",
        "benches/compare",
        "benches/instructions",
        ".packaging/dry-run",
        ".packaging/pypi/pyproject.toml",
    ] {
        let text = read(file);
        assert!(
            !text.contains("--release") && !text.contains("/release/"),
            "{file} builds for people, not for a release"
        );
        assert!(text.contains("dist"), "{file} does not name the profile `dist`");
    }
    let profiles = &manifest()["profile"];
    assert_eq!(profiles["dist"]["lto"].as_str(), Some("fat"));
    assert!(profiles["release"].get("lto").is_none(), "the first build of a fresh clone takes minutes more with LTO");
    let features = |name: &str| manifest()["dependencies"][name]["features"].to_string();
    assert!(
        features("tracing").contains("release_max") && features("log").contains("release_max"),
        "0.7 MB of logging"
    );
}

/// Anybody who installs the Rust package gets what the program is built from.
#[test]
fn the_rust_package_has_every_file_that_the_sources_include() {
    let patterns = manifest()["package"]["include"].clone();
    let patterns: Vec<&str> = patterns.as_array().expect("a list").iter().filter_map(toml::Value::as_str).collect();
    let within = |path: &str| {
        patterns.iter().any(|pattern| {
            let pattern = pattern.trim_start_matches('/');
            match pattern.split_once('*') {
                Some((head, tail)) => path.starts_with(head) && path.ends_with(tail),
                None => path == pattern || path.starts_with(&format!("{pattern}/")),
            }
        })
    };
    for file in super::tidy::sources() {
        let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
        // What only tests include is not needed.
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let included = ["include_str!(\"", "include_bytes!(\""].map(|word| text.split(word).skip(1));
        for name in included.into_iter().flatten().filter_map(|rest| rest.split('"').next()) {
            let path = file.parent().expect("a directory").join(name);
            let path = path.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().expect("it is there");
            let path = path.strip_prefix(root).expect("inside of the repository").to_string_lossy().replace('\\', "/");
            assert!(within(&path), "{path}, which {} includes, is not in the package", file.display());
        }
    }
    // The questions of `verify` are named by a macro.
    for profile in briefing::harness::ALL {
        for sentinel in briefing::verify::suite::of(profile.id) {
            assert!(within(&format!("tests/cases/{}.txt", sentinel.name)), "{} is not in the package", sentinel.name);
        }
    }
}
