// A workspace that nobody trusts: its settings run nothing and lead nowhere.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { write } from '../host.mjs';
import { Window } from './window.mjs';

export async function untrusted(host, step) {
  const elsewhere = write(path.join(host.dir, 'elsewhere'), { 'AGENTS.md': '- From elsewhere.\n' });
  const trap = path.join(host.dir, 'trap');
  const ws = write(path.join(host.dir, 'project'), {
    'AGENTS.md': '- Rules.\n',
    program: `#!/bin/sh\necho >>${trap}\nexit 1\n`,
    '.vscode/settings.json': JSON.stringify({
      'briefing.server.path': path.join(host.dir, 'project/program'),
      'briefing.environment': { CODEX_HOME: elsewhere },
      'briefing.harnesses': ['codex', 'opencode'],
    }),
  });
  fs.chmodSync(path.join(ws, 'program'), 0o755);
  const window = await Window.open(host, ws);
  const { page } = window;
  const restricted = page.locator('.statusbar-item', { hasText: 'Restricted Mode' });

  await step('shows what agents are told, and heeds only settings that harm nobody', async () => {
    await restricted.waitFor();
    await window.statusIs('Codex 9 B/32 KiB · 1 file');
    await window.command('Briefing: Show Instructions');
    await window.viewShows(/^In .*\nCodex.*\nAGENTS\.md.*\n[^]*OpenCode/);
    const seen = await window.view();
    assert.doesNotMatch(seen, /Crush|elsewhere/);
    assert.ok(!fs.existsSync(trap));
  });

  await step('offers nothing that uses the network', async () => {
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget .quick-input-box input').fill('>Briefing: Fetch Remote Instructions Once');
    await window.choice('.monaco-list-row', 'similar commands').waitFor();
    assert.equal(await page.locator('.quick-input-list .monaco-list-row[aria-label*="Fetch Remote"]').count(), 0);
    await page.keyboard.press('Escape');
  });

  await step('heeds the others once the workspace is trusted', async () => {
    // From then on the program that the workspace names is the one that runs.
    fs.writeFileSync(path.join(ws, 'program'), `#!/bin/sh\nexec ${host.program} "$@"\n`);
    await restricted.click();
    await page
      .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ })
      .first()
      .click();
    await restricted.waitFor({ state: 'detached' });
    await window.viewShows(/AGENTS\.md\d+ B · .*elsewhere/);
  });
  await window.close();
}

untrusted.options = {
  settings: { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never' },
};
