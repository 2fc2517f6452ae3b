// What goes wrong: no program, a program that dies, too many files, a folder that is gone.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Node } from '../../src/view';
import { DEADLINE, drawn, extension, folder, remove, show, started, until, write } from './harness';

/** A program that counts its starts and is then what `script` says. */
function programThat(script: string): { file: string; starts: () => number } {
  const file = path.join(folder('two'), 'program');
  const count = `${file}.count`;
  fs.writeFileSync(count, '');
  const real = path.join(extension().extensionPath, 'server/briefing');
  fs.writeFileSync(file, `#!/bin/sh\n[ "$1" = --version ] && exec ${real} --version\necho >>${count}\n${script}\n`);
  fs.chmodSync(file, 0o755);
  return { file, starts: () => fs.readFileSync(count).length };
}

async function useProgram(file: string | undefined): Promise<void> {
  const user = vscode.workspace.getConfiguration('briefing');
  await user.update('server.path', file, vscode.ConfigurationTarget.Global);
}

describe('in trouble', () => {
  after(async () => {
    await useProgram(undefined);
    remove(folder('two'), 'program');
    await started();
  });

  it('says which program is missing, and who named it', async () => {
    const { server, status } = await started();
    // A change of the setting takes effect at once.
    await useProgram('/nowhere/briefing');
    await until('the failure', () => server.phase === 'failed');
    assert.equal(
      server.problem,
      '`/nowhere/briefing` (from the setting briefing.server.path) cannot be run: there is no such file',
    );
    assert.equal(status.text, 'Briefing is stopped');
  });

  it('runs nothing that is not Briefing', async () => {
    const { server } = (await extension().activate()).parts;
    await useProgram('/bin/echo');
    await until('the failure', () => server.problem.includes('it is not Briefing'));
  });

  it('gives up a server that dies five times, and starts it again when told to', async () => {
    const { server } = (await extension().activate()).parts;
    const { file, starts } = programThat('exit 3');
    await useProgram(file);
    await until('the failure', () => server.problem.includes('crashed 5 times'));
    assert.equal(starts(), 5);
    await useProgram(undefined);
    await until('the server', () => server.phase === 'running');
  });

  it('starts a server again that was killed, with what is not saved', async () => {
    const { server, api } = await started();
    write(folder('two'), { 'AGENTS.md': '- Saved.\n' });
    const editor = await show(folder('two'), 'AGENTS.md');
    await until('the saved text', () => editor.document.getText() === '- Saved.\n');
    await editor.edit(edit => edit.insert(new vscode.Position(0, 0), '- Typed.\n'));
    const program = path.join(extension().extensionPath, 'server/briefing');
    const [pid] = running(program);
    assert.ok(pid);
    process.kill(pid, 'SIGKILL');
    await until('another process', () => {
      const now = running(program);
      return server.phase === 'running' && now.length > 0 && !now.includes(pid);
    });
    const { briefings } = await api.effectiveInstructions(editor.document.uri, { harness: 'codex', include: ['text'] });
    assert.match(briefings[0]?.messages[0]?.text ?? '', /- Typed\.\n- Saved\.\n/);
  });

  it('says that a server does not answer, and goes on once it does', async function () {
    // Twice it is waited for as long as people are.
    this.timeout(6 * DEADLINE);
    const { server, status, focus } = await started();
    const [pid] = running(path.join(extension().extensionPath, 'server/briefing'));
    assert.ok(pid);
    await show(folder('two'), 'AGENTS.md');
    process.kill(pid, 'SIGSTOP');
    try {
      void focus.refresh();
      await until('the words', () => status.text === 'Briefing does not answer');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until('the answer', () => !server.isHung && status.text !== 'Briefing does not answer');
    // One that does not answer from the beginning is named as well, and another one is started when told to.
    await useProgram(programThat('exec sleep 600').file);
    await until('the words', () => status.text === 'Briefing does not answer', 2 * DEADLINE);
    await useProgram(undefined);
    await until('the server', () => server.phase === 'running' && !server.isHung);
  });

  it('shows five thousand sources a page at a time', async () => {
    const { views, focus, settings } = await started();
    const view = views.instructions;
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`rules/${at}.md`, `- ${at}\n`]));
    write(folder('two'), { ...many, 'opencode.json': '{"instructions": ["rules/*.md"]}' });
    await show(folder('two'), 'b.rs');
    await settings.choose(['opencode']);
    const count = () => focus.briefings[0]?.sources.filter(({ path }) => path?.includes('/rules/')).length;
    await until('all of them', () => count() === 5000);
    const below = (node?: Node) => view.getChildren(node) as Node[];
    const [, harness] = below();
    const shown = below(harness);
    assert.ok(shown.length <= 501, String(shown.length));
    const last = shown.at(-1);
    assert.ok(last?.kind === 'more');
    const { label, accessibilityInformation } = view.getTreeItem(last);
    assert.match(label as string, /^Show 4\u00a0\d\d\d more$/);
    assert.match(accessibilityInformation?.label ?? '', /^Show 4 \d\d\d more$/);
    view.more(last);
    assert.ok(below(harness).length > 900);
    // A file that was opened counts as it was, even when it is gone; one that is written anew is read anew.
    write(folder('two'), { 'opencode.json': '{}' });
    remove(folder('two'), 'rules');
    await until('none of them', () => count() === 0);
    remove(folder('two'), 'opencode.json');
    await settings.choose(undefined);
  });

  it('shows a folder that is deleted while it is open as one where nobody can start', async () => {
    const { views } = await started();
    const view = views.explorer;
    await show(folder('one'), 'src/a.rs');
    await until('the folder', () => drawn(view.outline()).includes('AGENTS.md'));
    const away = `${folder('one')}.away`;
    fs.renameSync(folder('one'), away);
    await vscode.commands.executeCommand('briefing.refresh');
    await until('the refusal', () => drawn(view.outline()).includes('does not exist'));
    fs.renameSync(away, folder('one'));
    await vscode.commands.executeCommand('briefing.refresh');
    await until('the folder again', () => !drawn(view.outline()).includes('does not exist'));
  });
});

function running(program: string): number[] {
  return fs
    .readdirSync('/proc')
    .filter(pid => /^\d+$/.test(pid))
    .filter(pid => {
      try {
        return fs.readlinkSync(`/proc/${pid}/exe`) === program;
      } catch {
        return false;
      }
    })
    .map(Number);
}
