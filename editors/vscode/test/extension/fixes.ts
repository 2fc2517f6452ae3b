// What can be done about a finding where it stands: fix it, fix all, ignore it with a reason, turn its kind off; and plans.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { folder, remove, rules, show, started, until, write } from './harness';

async function actionsAt(document: vscode.TextDocument, line: number, kind?: string): Promise<vscode.CodeAction[]> {
  const range = document.lineAt(line).range;
  const command = 'vscode.executeCodeActionProvider';
  return vscode.commands.executeCommand<vscode.CodeAction[]>(command, document.uri, range, kind, 20);
}

const codesOf = (uri: vscode.Uri) =>
  vscode.languages.getDiagnostics(uri).map(({ code }) => String(typeof code === 'object' ? code.value : code));

describe('at a finding', () => {
  before(async () => {
    await (await started()).settings.choose(['codex', 'claude-code']);
  });

  beforeEach(async () => {
    await (await started()).settings.choose(['codex', 'claude-code']);
  });

  after(async () => {
    ['CLAUDE.md', 'briefing.toml', '.claude'].forEach(name => remove(folder('two'), name));
    write(folder('two'), { 'AGENTS.md': '- Two.\n' });
    await (await started()).settings.choose(undefined);
  });

  it('is ignored with a reason that is typed where it stands', async () => {
    write(folder('two'), { 'CLAUDE.md': '# Rules\n\n@docs/gone.md\n' });
    const editor = await show(folder('two'), 'CLAUDE.md');
    const { document } = editor;
    await until('the finding', () => codesOf(document.uri).includes('import-missing'));
    const action = await until('the action', async () =>
      (await actionsAt(document, 2, 'quickfix')).find(({ title }) => /^Ignore here .*: import-missing$/.test(title)),
    );
    assert.match(action.title, /^Ignore here \(reason, until \d{4}-\d\d-\d\d\): import-missing$/);
    assert.ok(action.edit);
    await vscode.workspace.applyEdit(action.edit);
    // The cursor stands where the reason belongs; without one, nothing is ignored.
    assert.match(document.lineAt(2).text, /^<!-- briefing-ignore import-missing until=\d{4}-\d\d-\d\d: {2}-->$/);
    await until('the mistake', () => codesOf(document.uri).includes('exception'));
    const at = new vscode.Position(2, document.lineAt(2).text.length - 4);
    await editor.edit(edit => edit.insert(at, 'it comes later'));
    await until('no finding', () => !codesOf(document.uri).length);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('has its kind turned off for the project, for everybody', async () => {
    write(folder('two'), { 'CLAUDE.md': '# Rules\n\n@docs/gone.md\n' });
    const { document } = await show(folder('two'), 'CLAUDE.md');
    await until('the finding', () => codesOf(document.uri).includes('import-missing'));
    const action = await until('the action', async () =>
      (await actionsAt(document, 2, 'quickfix')).find(
        ({ title }) => title === 'Turn off in this project: import-missing',
      ),
    );
    assert.ok(action.edit);
    assert.ok(await vscode.workspace.applyEdit(action.edit));
    const toml = await vscode.workspace.openTextDocument(path.join(folder('two'), 'briefing.toml'));
    await toml.save();
    const declared = fs.readFileSync(path.join(folder('two'), 'briefing.toml'), 'utf8');
    assert.equal(declared, '[[exceptions]]\ncode = "import-missing"\nreason = "turned off for this project"\n');
    await until('no finding', () => !codesOf(document.uri).length);
    remove(folder('two'), 'briefing.toml');
    await until('the finding again', () => codesOf(document.uri).includes('import-missing'));
  });

  it('is fixed with all others of the file that can be fixed safely', async () => {
    write(folder('two'), { 'CLAUDE.md': 'Use a zero\u200bwidth space.\n\nAnd o\u200bne more.\n' });
    const { document } = await show(folder('two'), 'CLAUDE.md');
    await until('two findings', () => codesOf(document.uri).filter(code => code === 'hidden-characters').length === 2);
    const [action] = await until('the action', async () => {
      const found = await actionsAt(document, 0, 'source.fixAll.briefing');
      return found.length ? found : undefined;
    });
    assert.equal(action?.title, 'Fix all that can be fixed safely in this file');
    assert.ok(action.edit);
    await vscode.workspace.applyEdit(action.edit);
    assert.equal(document.getText(), 'Use a zerowidth space.\n\nAnd one more.\n');
    await until('no finding', () => !codesOf(document.uri).length);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('is offered a plan, with its proof, which the editor shows before it does anything', async () => {
    const rule = 'Never log personal data in any of the services.\n';
    write(folder('two'), {
      'AGENTS.md': `# House rules\n\n${rule}`,
      'CLAUDE.md': `# House rules\n\n${rule}\nUse the shell tool for searches.\n`,
    });
    const { document } = await show(folder('two'), 'AGENTS.md');
    const plans = await until('the plans', async () => {
      const found = await actionsAt(document, 0, 'refactor.rewrite.briefing.one-truth').catch(() => []);
      return found.some(({ title }) => title.startsWith('Plan one AGENTS.md')) ? found : undefined;
    });
    const plan = plans.find(({ title }) => title === 'Plan one AGENTS.md for all agents, with proof');
    assert.ok(plan?.edit, JSON.stringify(plans.map(({ title }) => title)));
    const changed = plan.edit.entries().map(([uri]) => path.basename(uri.fsPath));
    assert.deepEqual(changed, ['CLAUDE.md']);
    await vscode.workspace.applyEdit(plan.edit);
    const claude = await vscode.workspace.openTextDocument(path.join(folder('two'), 'CLAUDE.md'));
    await until('the import', () => /^@(\.\/)?AGENTS\.md\n[^]*shell tool/.test(claude.getText())).catch(() =>
      assert.fail(claude.getText()),
    );
    await vscode.window.showTextDocument(claude);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('is offered to move a section, with a preview since two files change', async () => {
    const section = `## Testing\n\n${rules(100)}\n## Deploying\n\n${rules(1200)}`;
    write(folder('two'), { 'AGENTS.md': `# House rules\n\n- One.\n\n${rules(800)}\n${section}` });
    const { document } = await show(folder('two'), 'AGENTS.md');
    await until('the finding', () => codesOf(document.uri).includes('over-budget'));
    const line = document.positionAt(32_768).line;
    const moves = await until('the moves', async () => {
      const found = (await actionsAt(document, line, 'quickfix')).filter(({ edit }) => (edit?.size ?? 0) > 1);
      return found.length ? found : undefined;
    }).catch(async () =>
      assert.fail((await actionsAt(document, line, 'quickfix')).map(({ title }) => title).join('\n')),
    );
    assert.ok(moves.length);
  });
});
