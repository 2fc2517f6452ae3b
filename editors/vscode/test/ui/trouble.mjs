// What people see when something is wrong, and what they can do about it.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { write } from '../host.mjs';
import { Window } from './window.mjs';

export async function trouble(host, step) {
  const ws = write(path.join(host.dir, 'project'), { 'AGENTS.md': '- Rules.\n', 'a.rs': 'fn a() {}\n' });
  const healthy = 'Codex 9 B/32 KiB · 1 file';
  const named = path.join(host.dir, 'named');
  /** Makes the program that the settings name. */
  const program = script => {
    fs.writeFileSync(named, `#!/bin/sh\n${script}\n`);
    fs.chmodSync(named, 0o755);
  };
  host.settings({ 'briefing.server.path': named, 'briefing.trace.server': 'messages' });
  const window = await Window.open(host, ws);

  await step('says which program is missing, and what can be done', async () => {
    const why = `\`${named}\` (from the setting briefing.server.path) cannot be run: there is no such file`;
    await window.notification(why).waitFor();
    await window.statusIs('Briefing is stopped');
    await window.command('Briefing: Show Instructions');
    await window.pane().locator('.welcome-view-content', { hasText: 'The Briefing server is not running' }).waitFor();
    program(`exec ${host.program} "$@"`);
    await window.pane().locator('.monaco-button', { hasText: 'Restart Server' }).click();
    await window.statusIs(healthy);
    await window.command('Notifications: Clear All Notifications');
  });

  await step('says which server runs, and has its messages in a channel of their own', async () => {
    await window.command('Briefing: Server Version');
    const said = window.notification(`from the setting briefing.server.path: ${named}`);
    await said.filter({ hasText: /briefing \d+\.\d+/ }).waitFor();
    await said.locator('.monaco-button', { hasText: 'Copy Debug Information' }).waitFor();
    await window.command('Notifications: Clear All Notifications');
    const lines = window.page.locator('.output-view .view-line');
    await window.command('Briefing: Show Trace');
    await lines
      .filter({ hasText: /Sending\srequest\s'/ })
      .first()
      .waitFor();
    await window.command('Briefing: Show Output');
    await lines
      .filter({ hasText: /starting/ })
      .first()
      .waitFor();
    assert.equal(await lines.filter({ hasText: /Sending/ }).count(), 0);
    await window.command('View: Toggle Panel Visibility');
  });

  await step('gives up a server that dies five times, and has a button to start it again', async () => {
    const starts = path.join(host.dir, 'starts');
    program(`[ "$1" = --version ] && exec ${host.program} --version\necho >>${starts}\nexit 3`);
    await window.command('Briefing: Restart Server');
    const message = window.notification('The Briefing server crashed 5 times within 3 minutes');
    await message.waitFor();
    assert.equal(fs.readFileSync(starts).length, 5);
    assert.equal(await window.page.locator('.notification-toast').count(), 1);
    await window.statusIs('Briefing is stopped');
    // The failed state offers what helps; and when it runs again, the message goes.
    await window.page.mouse.move(600, 300);
    await window.page.locator('.statusbar-item[id$="briefing.status"]').hover();
    const tooltip = window.page.locator('.monaco-hover:visible', { hasText: 'crashed 5 times' });
    await tooltip.locator('a', { hasText: 'Output' }).waitFor();
    program(`exec ${host.program} "$@"`);
    await tooltip.locator('a', { hasText: 'Restart' }).click();
    await window.statusIs(healthy);
    await message.waitFor({ state: 'detached' });
  });

  await step('shows a folder that is deleted while it is open as one where nobody can start', async () => {
    await window.file(path.join(ws, 'a.rs'));
    fs.rmSync(ws, { recursive: true });
    await window.viewShows(/refuses to start/);
    write(ws, { 'AGENTS.md': '- Rules.\n', 'a.rs': 'fn a() {}\n' });
    await window.command('Briefing: Refresh');
    await window.statusIs(healthy);
  });
  await window.close();

  const empty = write(path.join(host.dir, 'empty'), { 'notes.md': 'Notes.\n' });
  const other = await Window.open(host, empty);
  await step('says what to do where no agent is told anything', async () => {
    await other.file(path.join(empty, 'notes.md'));
    await other.command('Briefing: Show Instructions');
    await other.pane().locator('.welcome-view-content', { hasText: 'No agent loads instructions here' }).waitFor();
    await other.pane().locator('.monaco-button', { hasText: 'Create Instruction File' }).waitFor();
  });
  await other.close();
}

trouble.options = {};
