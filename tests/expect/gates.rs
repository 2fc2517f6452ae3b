//! Gates that public repositories write by hand, as expectations: each holds, and fails when its files are broken.

use super::expect;

/// A gate: the repository and its check, the files of a tree like it, the declaration, and what breaks it: a file, its
/// new text, and the part of the row that says so.
struct Gate {
    of: &'static str,
    files: &'static [(&'static str, &'static str)],
    declaration: &'static str,
    breaks: &'static [(&'static str, &'static str, &'static str)],
}

const GATES: &[Gate] = &[
    Gate {
        of: "LuthienResearch/luthien-proxy, scripts/check_agents_claude_parity.sh: each AGENTS.md has a CLAUDE.md that leads to it",
        files: &[
            ("home/p/AGENTS.md", "Ask before a deploy.\n"),
            ("home/p/CLAUDE.md", "@AGENTS.md\n"),
            (
                "home/p/migrations/AGENTS.md",
                "Migrations are additive.\n\n```sh\nalembic upgrade\n# then\nalembic check\n```\n",
            ),
            ("home/p/migrations/CLAUDE.md", "@AGENTS.md\n"),
            ("home/p/migrations/1.sql", ""),
        ],
        declaration: r#"
            [[expect]]
            id = "root"
            same_for = ["codex", "claude-code"]
            [[expect]]
            id = "migrations"
            file = "migrations/AGENTS.md"
            agents = ["claude-code"]
            paths = ["migrations/*.sql"]
            when = "before-read"
        "#,
        breaks: &[
            (
                "home/p/CLAUDE.md",
                "Be brief.\n",
                "root claude-code / : Codex gets “Ask before a deploy.”, Claude Code does not",
            ),
            (
                "home/p/migrations/CLAUDE.md",
                "Be brief.\n",
                "migrations claude-code / migrations/1.sql: “Migrations are additive.”:",
            ),
        ],
    },
    Gate {
        of: "stackoverworld/fyreflow, scripts/check-agent-context.mjs: each chain of AGENTS.md files has at most 32 KiB",
        files: &[("home/p/AGENTS.md", "Plan first.\n"), ("home/p/apps/api/AGENTS.md", "Routes are thin.\n")],
        declaration: r#"
            [[expect]]
            id = "chain"
            max_share = "100%"
            agents = ["codex"]
            from = ["/", "apps/api"]
        "#,
        breaks: &[("home/p/apps/api/AGENTS.md", LONG, "chain codex /apps/api : 109 % of the limit are used")],
    },
    Gate {
        of: "FormingWorlds/PROTEUS, tools/check_file_sizes.sh: .github/copilot-instructions.md has at most 750 lines",
        files: &[("home/p/.github/copilot-instructions.md", "Run the tests.\n")],
        declaration: r#"
            [[expect]]
            id = "readable"
            max_tokens = 8000
            agents = ["copilot-vscode"]
        "#,
        breaks: &[(
            "home/p/.github/copilot-instructions.md",
            LONG,
            "readable copilot-vscode / : the instructions have about",
        )],
    },
    Gate {
        of: "ambient-code/platform, test_agents_md_symlink.sh: whoever reads AGENTS.md finds the key sections of CLAUDE.md",
        files: &[
            ("home/p/CLAUDE.md", "# Platform\n\n## Critical conventions\n\nNever log tokens.\n"),
            ("home/p/AGENTS.md", "# Platform\n\n## Critical conventions\n\nNever log tokens.\n"),
        ],
        declaration: r#"
            [[expect]]
            id = "conventions"
            section = "CLAUDE.md#Critical conventions"
            agents = ["codex", "claude-code", "cursor"]
        "#,
        breaks: &[
            ("home/p/AGENTS.md", "# Platform\n", "conventions codex / : "),
            ("home/p/CLAUDE.md", "# Platform\n", "conventions: CLAUDE.md has no heading `Critical conventions`"),
        ],
    },
    Gate {
        of: "netresearch/agent-rules-skill, checkpoint AG-31: where there is a .claude folder, Claude Code is told what AGENTS.md says",
        files: &[
            ("home/p/AGENTS.md", "Sign each commit.\n"),
            ("home/p/CLAUDE.md", "@AGENTS.md\n"),
            ("home/p/.claude/settings.json", "{}\n"),
        ],
        declaration: r#"
            [[expect]]
            id = "ag-31"
            file = "AGENTS.md"
            agents = ["claude-code@2.1.197"]
        "#,
        breaks: &[("home/p/CLAUDE.md", "", "ag-31 claude-code / : this version reads no AGENTS.md")],
    },
];

/// Stands for a text of more than 32 KiB and 8000 tokens.
const LONG: &str = "(long)";

#[test]
fn the_gates_of_public_repositories_hold_and_fail_when_their_files_are_broken() {
    for gate in GATES {
        let (code, rows) = expect(gate.files, gate.declaration, "codex");
        assert_eq!(code, Some(0), "{}: {rows:?}", gate.of);
        for (broken, text, row) in gate.breaks {
            let kept = gate.files.iter().filter(|(path, _)| path != broken);
            let text = text.replace(LONG, &"- Keep each function small, and its name a verb.\n".repeat(730));
            let files: Vec<_> = kept.copied().chain([(*broken, &*text)]).collect();
            let (code, rows) = expect(&files, gate.declaration, "codex");
            assert_eq!(code, Some(1), "{} without {broken}: {rows:?}", gate.of);
            assert!(rows.iter().any(|found| found.starts_with(row)), "{} without {broken}: {rows:?}", gate.of);
        }
    }
}
