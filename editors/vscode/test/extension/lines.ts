// What stays in question while instructions are read, and who reads which of their lines.

import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { DEADLINE, drawn, folder, remove, rules, show, started, until, write } from './harness';

const AGENTS = ['codex', 'claude-code'];
/** Codex reads 32 KiB; Claude Code reads the same file whole, by an import. */
const LONG = `# House rules\n\n${rules(1500)}\n## Above the cut\n\n${rules(200)}\n## Below the cut\n\n${rules(20)}`;

async function hintsOf(document: vscode.TextDocument): Promise<string[]> {
  const range = new vscode.Range(0, 0, document.lineCount, 0);
  const hints = await vscode.commands.executeCommand<vscode.InlayHint[]>(
    'vscode.executeInlayHintProvider',
    document.uri,
    range,
  );
  const labels = hints.map(({ label, position }) => `${position.line + 1} ${label as string}`);
  return labels.filter(label => !label.includes('✂') && !label.includes('%'));
}

describe('the lines of instructions', () => {
  before(async () => {
    write(folder('two'), {
      'AGENTS.md': LONG,
      'CLAUDE.md': '@AGENTS.md\n',
      'lib/pins.rs': 'fn pin() {}\n',
      'lib/other.rs': 'fn other() {}\n',
      '.claude/rules/pins.md': '---\npaths: "**/*.rs"\n---\n# Rust\n\n- No unwrap.\n',
    });
    const { settings } = await started();
    await settings.choose(AGENTS);
  });

  after(async () => {
    ['AGENTS.md', 'CLAUDE.md', 'lib', '.claude'].forEach(name => remove(folder('two'), name));
    write(folder('two'), { 'AGENTS.md': '- Two.\n' });
    await (await started()).settings.choose(undefined);
  });

  beforeEach(async () => (await started()).settings.choose(AGENTS));

  it('are read beside a view that goes on about the same file', async function () {
    // Five times another file is looked at.
    this.timeout(6 * DEADLINE);
    const { focus, views } = await started();
    await show(folder('two'), 'lib/pins.rs');
    const told = () => drawn(views.explorer.outline());
    await until('the rule', () => /pins\.md {2}.*on read/.test(told()) && focus.file?.path.endsWith('/pins.rs')).catch(
      () => assert.fail(told()),
    );
    const before = told();
    // By a click on its row, from the list of files, or from the Explorer.
    const rule = path.join(folder('two'), '.claude/rules/pins.md');
    await vscode.commands.executeCommand('briefing.openFile', { path: rule });
    await until('the rule is open', () => vscode.window.activeTextEditor?.document.uri.fsPath === rule);
    await show(folder('two'), 'AGENTS.md');
    await vscode.commands.executeCommand('briefing.refresh');
    assert.equal(told(), before);
    assert.equal(views.instructions.description, 'two/lib/pins.rs');
    // Whoever wants to know what is loaded before the rule itself is read says so.
    await vscode.commands.executeCommand('briefing.showFor', vscode.Uri.file(rule));
    await until('the rule in question', () => views.instructions.description === 'two/.claude/rules/pins.md');
    // Any other file is the next one in question, and a settings file that a row leads to is none.
    await show(folder('two'), 'lib/other.rs');
    await until('the other file', () => views.instructions.description === 'two/lib/other.rs');
    write(folder('two'), { 'notes.txt': 'x\n' });
    await vscode.commands.executeCommand('briefing.openFile', { path: path.join(folder('two'), 'notes.txt') });
    await vscode.commands.executeCommand('briefing.refresh');
    assert.equal(views.instructions.description, 'two/lib/other.rs');
    remove(folder('two'), 'notes.txt');
  });

  it('say at their headings who reads them, and when', async () => {
    await started();
    const { document } = await show(folder('two'), 'AGENTS.md');
    const wanted = [
      '1 Codex and Claude Code at start',
      '1504 Codex and Claude Code at start',
      '1707 Claude Code at start; not Codex',
    ];
    await until('the hints', async () => (await hintsOf(document)).join('\n') === wanted.join('\n')).catch(async () =>
      assert.deepEqual(await hintsOf(document), wanted),
    );
    // One that is the same for the whole file is said once.
    const rule = (await show(folder('two'), '.claude/rules/pins.md')).document;
    await until('the rule', async () => (await hintsOf(rule)).join() === '4 Claude Code on read');
    const user = vscode.workspace.getConfiguration('briefing');
    await user.update('readers', 'off', vscode.ConfigurationTarget.Global);
    await until('none', async () => !(await hintsOf(document)).length);
    await user.update('readers', 'lines', vscode.ConfigurationTarget.Global);
    // The cut is in a line above the heading: from there on each line says it.
    await until('lines', async () =>
      (await hintsOf(document)).some(hint => /^1[67]\d\d Claude Code at start; not Codex$/.test(hint)),
    );
    await user.update('readers', undefined, vscode.ConfigurationTarget.Global);
  });

  it('are marked where one of several agents does not get them', async () => {
    const { readers } = await started();
    const editor = await show(folder('two'), 'AGENTS.md');
    const marked = await until('the marks', () => readers.marksOf(editor)[0]);
    const [first, last] = [editor.document.offsetAt(marked.start), marked.end.line];
    assert.equal(first, 32_768);
    assert.ok(last >= 1727, String(last));
    // Shorter, all get it.
    await editor.edit(edit => edit.delete(new vscode.Range(1000, 0, 1800, 0)));
    await until('no marks', () => !readers.marksOf(editor).length);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await until('the marks again', () => readers.marksOf(editor).length);
  });

  it('have a badge in the Explorer with the agents that load their file', async () => {
    const { badges } = await started();
    const badge = (name: string) => badges.provideFileDecoration(vscode.Uri.file(path.join(folder('two'), name)));
    // What an earlier test changed is read again first.
    const cut = /^(Codex: cut · Claude Code: at start|Claude Code: at start · Codex: cut)$/;
    await until('two agents, one with a cut', () => cut.test(badge('AGENTS.md')?.tooltip ?? ''));
    assert.equal(badge('AGENTS.md')?.badge, '2');
    assert.equal(badge('.claude/rules/pins.md')?.tooltip, 'Claude Code: on read');
    assert.equal(badge('lib/pins.rs'), undefined);
    const user = vscode.workspace.getConfiguration('briefing');
    await user.update('explorerBadges', false, vscode.ConfigurationTarget.Global);
    await until('no badge', () => badge('AGENTS.md') === undefined);
    await user.update('explorerBadges', undefined, vscode.ConfigurationTarget.Global);
    await until('the badge again', () => badge('AGENTS.md'));
  });
});
