// The first day: the walkthrough, the choice of agents, the settings, and what other agents in the editor find.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { until, write } from '../host.mjs';
import { Window } from './window.mjs';

export async function welcome(host, step) {
  write(host.home, { '.codex/AGENTS.md': '- Answer in English.\n', '.claude/settings.json': '{}\n' });
  const ws = write(path.join(host.dir, 'project'), { 'AGENTS.md': '- Rules.\n', 'a.rs': 'fn a() {}\n' });
  const window = await Window.open(host, ws, { viewport: { width: 1280, height: 800 } });
  const { page } = window;
  const steps = page.locator('.getting-started-step');

  await step('shows a picture with each of its five steps', async () => {
    await window.statusIs('Codex 9 B/32 KiB · 2 files');
    // Where there is little room, there are no pictures.
    await page.keyboard.press('Control+B');
    await window.command('Briefing: Open Walkthrough');
    await steps.nth(4).waitFor();
    assert.equal(await steps.count(), 5);
    const pictures = ['A list of agents', 'The view', 'The exact prompt', 'A list: agent', 'Two prompts'];
    for (const [at, alt] of pictures.entries()) {
      await steps.nth(at).locator('.step-title').click();
      const picture = page.locator(`.getting-started-media img[alt^="${alt}"]`);
      const width = () => picture.first().evaluate(({ naturalWidth }) => naturalWidth);
      // VS Code shows them at two thirds.
      await until(`the picture of step ${at + 1}`, async () => (await picture.count()) > 0 && (await width()) >= 200);
    }
    await steps.first().locator('.step-title').click();
  });

  await step('asks first which agents are used, and has ticked those that are found', async () => {
    await steps.first().locator('.monaco-button', { hasText: 'Choose My Agents' }).click();
    await page.locator('.quick-input-title', { hasText: 'Which agents do you use?' }).waitFor();
    const rows = page.locator('.quick-input-list .monaco-list-row');
    await rows.nth(5).waitFor();
    const ticked = await rows.evaluateAll(rows =>
      rows
        .filter(row => row.querySelector('[aria-checked=true], input:checked'))
        .map(row => row.querySelector('.monaco-icon-label-container').textContent.replaceAll('\u00a0', ' ')),
    );
    assert.deepEqual(ticked, ['Codexconfigured: ~/.codex', 'Claude Codeconfigured: ~/.claude']);
    for (const harness of ['Claude Code', 'Crush']) await window.choose(harness);
    await page.keyboard.press('Enter');
    const user = path.join(host.dir, 'user/User/settings.json');
    // VS Code writes the file in place, so it may be half there.
    const chosen = () =>
      /"briefing\.harnesses": \[([^\]]*)\]/.exec(fs.readFileSync(user, 'utf8'))?.[1].replace(/[\s"]/g, '');
    await until('the setting of the user', () => chosen() === 'codex,crush');
    await steps.first().locator('.codicon-getting-started-step-checked').waitFor();
    await window.command('View: Close All Editors');
  });

  await step('has settings that are fields, lists and check boxes, in groups', async () => {
    await window.command('Preferences: Open Settings (UI)');
    await page.locator('.settings-editor .suggest-input-container .monaco-editor').first().click();
    await page.keyboard.type('@ext:briefing.briefing');
    const groups = page.locator('.settings-toc-container .monaco-list-row');
    const names = ['Which agents', 'How they start', 'What is found', 'The extension'];
    for (const name of names) await groups.filter({ hasText: name }).first().waitFor();
    const setting = name =>
      page.locator('.settings-editor .setting-item-contents', {
        has: page.locator('.setting-item-label', { hasText: new RegExp(`^${name}$`) }),
      });
    await setting('Edition').locator('select').waitFor();
    const harnesses = setting('Harnesses');
    const offered = harnesses.locator('select option');
    // While the list of settings still grows, a click may be lost.
    await until('a choice of agents', async () => {
      if (!(await offered.count())) await harnesses.locator('.monaco-button', { hasText: 'Add Item' }).click();
      return (await offered.allTextContents()).includes('claude-code');
    });
    await page.keyboard.press('Escape');
    await harnesses.locator('a', { hasText: 'Choose with check boxes' }).click();
    await page.locator('.quick-input-list .monaco-list-row [aria-checked], .quick-input-list input').first().waitFor();
    await page.keyboard.press('Escape');
    await groups.filter({ hasText: 'How they start' }).first().click();
    for (const name of ['Cwd', 'Home'])
      await setting(name).locator('input[type=text], .monaco-inputbox input').waitFor();
    await window.command('View: Close All Editors');
  });

  await step('is offered to agents in the editor as a server of the Model Context Protocol', async () => {
    await window.command('MCP: List Servers');
    await window.choice('.monaco-list-row', 'Briefing').waitFor();
    await page.keyboard.press('Escape');
  });
  await window.close();
}

welcome.options = {
  settings: {
    'workbench.settings.editor': 'ui',
    'workbench.editor.useModal': 'off',
    'chat.disableAIFeatures': false,
  },
};
