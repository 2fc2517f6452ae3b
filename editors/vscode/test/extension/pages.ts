// Where things lead: links of findings, the outline, hovers and notes in rules, why a file is loaded, prompts, other agents.

import * as assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { definitions } from '../../src/agents';
import { drawn, folder, remove, rules, show, started, until, write } from './harness';

const run = vscode.commands.executeCommand;

/** Since which version of VS Code something is there. */
function isSince(version: string): boolean {
  return vscode.version.localeCompare(version, undefined, { numeric: true }) >= 0;
}

function tabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
}

describe('what leads somewhere', () => {
  const rule = ['.claude/rules/rust.md', '---\npaths: "src/**/*.rs"\n---\n- No unwrap.\n'] as const;
  before(() => {
    write(folder('two'), { 'AGENTS.md': `# Top\n\n## Inner\n\n${rules(2000)}`, 'CLAUDE.md': '@docs/gone.md\n' });
    write(folder('two'), { 'src/a.rs': 'fn a() {}\n', 'src/b.rs': 'fn b() {}\n', [rule[0]]: rule[1] });
  });
  after(() => {
    ['CLAUDE.md', 'src', '.claude'].forEach(name => remove(folder('two'), name));
    write(folder('two'), { 'AGENTS.md': '- Two.\n' });
  });

  it('opens the page about a finding, rendered, and from there the others', async () => {
    const { findings, server } = await started();
    const { document } = await show(folder('two'), 'AGENTS.md');
    const target = await until('a link', () => {
      const codes = vscode.languages.getDiagnostics(document.uri).map(({ code }) => code);
      const code = codes.find(code => typeof code === 'object' && code.value === 'over-budget');
      return typeof code === 'object' ? code.target : undefined;
    });
    assert.equal(target.toString(), 'briefing:/findings/over-budget');
    await run('vscode.open', target);
    await until('the page', () => findings.content.includes('<h1'));
    assert.match(findings.content, /over-budget<\/h1>\s*<p[^>]*><em>warning<\/em>/);
    assert.match(findings.content, /href="command:briefing\.explainFinding\?/);
    assert.ok(!findings.content.includes('briefing:/'), findings.content);
    const page = () => tabs().find(({ input }) => input instanceof vscode.TabInputCustom);
    assert.equal(page()?.label, 'over-budget');
    await run('briefing.explainFinding', 'dead-glob');
    await until('another page', () => findings.content.includes('dead-glob</h1>'));
    // The same as text.
    const { uri } = await vscode.workspace.openTextDocument(vscode.Uri.parse('briefing:/findings/dead-glob'));
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    assert.match(text, /^# dead-glob\n\n\*warning\*/);
    // And the same on a terminal, but for the addresses of its links, and for the last line, which leads to all of them.
    const above = (page: string) => page.trim().split('\n\n').slice(0, -1);
    const told = execFileSync(server.program?.command ?? '', ['explain', 'dead-glob'], { encoding: 'utf8' });
    assert.deepEqual(above(told), above(text.replace(/\[([^\]]*)\]\(briefing:[^)]*\)/g, '$1')));
  });

  it('leaves the outline of Markdown to VS Code', async () => {
    await started();
    const { document } = await show(folder('two'), 'AGENTS.md');
    // It starts a server of its own, whose start is none of ours.
    await vscode.extensions.getExtension('vscode.markdown-language-features')?.activate();
    const symbols = await until('an outline', async () => {
      const found = await run<vscode.DocumentSymbol[] | undefined>(
        'vscode.executeDocumentSymbolProvider',
        document.uri,
      );
      return found?.length ? found : undefined;
    });
    assert.deepEqual(
      symbols.map(({ name }) => name),
      ['# Top'],
    );
  });

  it('shows in a hover what the pattern of a rule matches', async () => {
    await started();
    const { document } = await show(folder('two'), rule[0]);
    const hovers = await until('a hover', async () => {
      const at = new vscode.Position(1, 12);
      const found = await run<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, at);
      return found.length ? found : undefined;
    });
    const text = hovers
      .flatMap(({ contents }) => contents.map(part => (part as vscode.MarkdownString).value))
      .join('\n');
    assert.match(text, /`src\/\*\*\/\*\.rs` matches 2 files[^]*- src\/a\.rs\n- src\/b\.rs/);
  });

  it('marks one line, and puts notes at the ends of lines', async () => {
    await started();
    const { document } = await show(folder('two'), 'AGENTS.md');
    const found = await until('findings', () => {
      const all = vscode.languages.getDiagnostics(document.uri).filter(({ tags }) => !tags?.length);
      return all.length ? all : undefined;
    });
    assert.ok(found.every(({ range }) => range.isSingleLine));
    const all = new vscode.Range(0, 0, document.lineCount, 0);
    const hints = await until('notes', async () => {
      const hints = await run<vscode.InlayHint[]>('vscode.executeInlayHintProvider', document.uri, all);
      return hints.length ? hints : undefined;
    });
    assert.ok(hints.every(({ position }) => position.isEqual(document.lineAt(position.line).range.end)));
  });

  it('says what concerns a whole file on its first line, and once what several agents meet', async () => {
    await started();
    const of = async (name: string, wanted: string) => {
      const { document } = await show(folder('two'), name);
      return until(wanted, () => {
        const all = vscode.languages.getDiagnostics(document.uri);
        const found = all.filter(({ code }) => typeof code === 'object' && code.value === wanted);
        return found.length ? found : undefined;
      });
    };
    for (const { range } of await of('AGENTS.md', 'agents-displaced')) {
      assert.deepEqual([range.start.line, range.isSingleLine], [0, true]);
    }
    const [missing, ...others] = await of('CLAUDE.md', 'import-missing');
    assert.match(missing?.message ?? '', /^Claude Code: .* does not exist \(also Copilot CLI\b/);
    assert.deepEqual(others, []);
  });

  it('creates the file that an import or a settings entry names, where there is none', async () => {
    await started();
    write(folder('two'), { 'opencode.json': '{"instructions": ["docs/testing.md"]}\n' });
    for (const [name, at, wanted] of [
      ['CLAUDE.md', 5, 'gone'],
      ['opencode.json', 24, 'testing'],
    ] as const) {
      const { document } = await show(folder('two'), name);
      const fix = await until(`the fix of ${name}`, async () => {
        const range = new vscode.Range(0, at, 0, at);
        const found = await run<vscode.CodeAction[]>(
          'vscode.executeCodeActionProvider',
          document.uri,
          range,
          'quickfix',
          9,
        );
        return found.find(({ title }) => title === `Create docs/${wanted}.md`);
      });
      assert.ok(fix.edit && (await vscode.workspace.applyEdit(fix.edit)));
      const made = vscode.Uri.file(path.join(folder('two'), `docs/${wanted}.md`));
      assert.equal((await vscode.workspace.openTextDocument(made)).getText(), `# ${wanted}\n`);
      await vscode.workspace.saveAll();
    }
    ['docs', 'opencode.json'].forEach(name => remove(folder('two'), name));
  });

  it('says why of the file in the editor, with what was looked for', async () => {
    const { why, focus, views } = await started();
    await focus.choose('claude-code');
    await show(folder('two'), 'src/a.rs');
    await until('the rule', () => drawn(views.instructions.outline()).includes('rust.md  on read'));
    const asked = vscode.Uri.file(path.join(folder('two'), rule[0]));
    await run('briefing.whyNotLoaded', asked);
    const claude = () => why.content.split('<section>').find(part => part.includes('Claude Code')) ?? '';
    await until('the page', () => claude().includes('loads all of it when it reads a.rs'));
    assert.match(why.content, /before it reads two\/src\/a\.rs/);
    assert.match(claude(), /How Claude Code looked[^]*<ol>[^]*rust\.md<\/code> was read: \d+ B/);
    // In the rule itself it is still the file that was looked at before.
    await show(folder('two'), rule[0]);
    await run('briefing.whyNotLoaded', asked);
    await until('the same', () => claude().includes('loads all of it when it reads a.rs'));
  });

  it('names the tab of a prompt by its file and agent, and keeps it', async () => {
    const { focus } = await started();
    await focus.choose('codex');
    await show(folder('two'), 'src/a.rs');
    await run('briefing.openPreview');
    const tab = await until('the tab', () => tabs().find(({ label }) => label === 'a.rs · Codex'));
    assert.equal(tab.isPreview, false);
    const { uri } = tab.input as vscode.TabInputText;
    const document = vscode.workspace.textDocuments.find(document => document.uri.toString() === uri.toString());
    assert.equal(document?.languageId, 'markdown');
  });

  it('knows which kinds of session an agent has', async () => {
    const { focus } = await started();
    const of = (harness: string) => focus.harnesses.find(({ id }) => id === harness)?.sessions;
    assert.deepEqual(of('codex'), ['main']);
    assert.deepEqual(of('claude-code'), ['main', 'subagent']);
    assert.ok(of('openclaw')?.includes('cron'));
  });

  it('copies what an agent is told, and what a report of a fault needs', async () => {
    const { focus, server } = await started();
    await focus.choose('codex');
    await show(folder('two'), 'src/a.rs');
    await run('briefing.attachTold');
    const told = await vscode.env.clipboard.readText();
    assert.match(told, /^What Codex is told before it reads two\/src\/a\.rs:\n\n# codex [\d.]+\n[^]*## Inner/);
    const user = vscode.workspace.getConfiguration('briefing');
    await user.update('environment', { BRIEFING_TEST: 'not to be told' }, vscode.ConfigurationTarget.Global);
    await run('briefing.copyDebugInformation');
    const debug = await vscode.env.clipboard.readText();
    await user.update('environment', undefined, vscode.ConfigurationTarget.Global);
    assert.match(debug, /- program: briefing \d[^]*\(from the extension\)\n- server: running\n/);
    assert.ok(debug.includes('BRIEFING_TEST') && !debug.includes('not to be told'), debug);
    assert.match(server.program?.version ?? '', /^briefing \d/);
  });

  it('offers the MCP server of the program that runs', async () => {
    const { server } = await started();
    const [first] = definitions(server) as { command: string; args: string[]; version: string }[];
    if (!isSince('1.101')) {
      assert.equal(first, undefined);
      return;
    }
    assert.equal(
      typeof (vscode.lm as unknown as Record<string, unknown>).registerMcpServerDefinitionProvider,
      'function',
    );
    assert.deepEqual([first?.command, first?.args], [server.program?.command, ['mcp']]);
  });
});
