// The room in the activity bar, as somebody uses it who sees it, who hears it, and who has no mouse; and where its links lead.

import assert from 'node:assert/strict';
import path from 'node:path';
import { until, write } from '../host.mjs';
import { rules } from './everyday.mjs';
import { Window } from './window.mjs';

export async function room(host, step) {
  write(host.home, { '.codex/AGENTS.md': '- Answer in English.\n', '.claude/settings.json': '{}\n' });
  const ws = write(path.join(host.dir, 'project'), {
    'AGENTS.md': rules(650),
    'CLAUDE.md': '@AGENTS.md\n\n# Project\n\n## Rules\n',
    'src/api/AGENTS.md': '- Below.\n',
    'src/api/handler.rs': 'fn handle() {}\n',
    '.claude/rules/zig.md': '---\npaths: "none/**/*.zig"\n---\n- No zig.\n',
    '.claude/skills/release/SKILL.md': '---\nname: release\ndescription: Makes a release\n---\nTag it.\n',
  });
  const window = await Window.open(host, ws, { viewport: { width: 1280, height: 800 } });
  const { page } = window;
  const handler = path.join(ws, 'src/api/handler.rs');

  await step('has three views behind an icon of its own, and none in the Explorer', async () => {
    await window.file(handler);
    assert.equal(await page.locator('.pane-header h3', { hasText: 'Effective Instructions' }).count(), 0);
    await page.locator('.activitybar .action-label[aria-label^="Briefing"]').first().click();
    await window.row('32 of').waitFor();
    for (const title of ['Not Loaded', 'Skills, Agents and Commands']) await window.pane(title).waitFor();
    await window.pane('Skills, Agents and Commands').locator('.pane-header').click();
    await window.viewShows(/^Claude Code1 file\nreleaselisted · \.claude\/skills$/, 'Skills, Agents and Commands');
    await window.viewShows(/\nOther agents \(\d\d\)$/);
    await window.row('Other agents').click();
    await window.viewShows(/\nOther agents \(\d\d\)\n[^]*OpenCode/);
    await window.row('Other agents').click();
    await window.viewShows(/\nOther agents \(\d\d\)$/);
  });

  await step('cuts off no fate where the side bar is as wide as it is by default', async () => {
    const cut = await page.locator('.sidebar .monaco-list-row').evaluateAll(rows =>
      rows.flatMap(row => {
        const text = row.querySelector('.label-description')?.firstChild;
        // Agents have long names; files are below them.
        if (!text || row.getAttribute('aria-level') === '1') return [];
        const range = document.createRange();
        range.setStart(text, 0);
        // What stands behind the fate and the size may be cut off.
        const parts = text.textContent.split(' · ');
        range.setEnd(
          text,
          Math.min(text.length, (parts[0] === 'cut' ? parts.slice(0, 2).join(' · ') : parts[0]).length),
        );
        const room = row.querySelector('.monaco-icon-label-container').getBoundingClientRect().right;
        return range.getBoundingClientRect().right > room ? [row.textContent] : [];
      }),
    );
    assert.deepEqual(cut, []);
  });

  await step('says to a screen reader what it shows, in sentences', async () => {
    const session = await page.context().newCDPSession(page);
    const heard = async () => {
      const { nodes } = await session.send('Accessibility.getFullAXTree');
      return nodes
        .filter(({ ignored, name }) => !ignored && name?.value)
        .map(({ role, name }) => `${role?.value}: ${name.value}`);
    };
    const says = (what, wanted) => until(what, async () => (await heard()).some(line => wanted.test(line)));
    await says('where it starts', /^treeitem: Started in project\/, main session, Codex [\d.]+; choose another/);
    await says('a file with its fate', /^treeitem: AGENTS\.md, cut, 32 of \d\d(\.\d)? KiB, at start/);
    await says('a file that is not loaded', /^treeitem: src\/api\/AGENTS\.md, below start folder/);
    await says('the status', /^button: Briefing: Codex 32\/32 KiB, 2 files, 1 cut, started in /);
    const raw = (await heard()).filter(line => /&nbsp;|\*\*|\]\(command:|▰/.test(line));
    assert.deepEqual(raw, []);
    await session.detach();
  });

  await step('is used with the keyboard alone', async () => {
    await window.file(handler);
    await window.command('Briefing: Show Instructions');
    const focused = window.pane().locator('.monaco-list-row.focused');
    /** Goes down from the first row to one that says `wanted`. */
    const goTo = async wanted => {
      await window.pane().locator('.monaco-list:focus, .monaco-list:focus-within').first().waitFor();
      await page.keyboard.press('Home');
      await until(`the row ${wanted}`, async () => {
        const text = (await focused.count()) ? await focused.first().textContent() : '';
        if (text?.includes(wanted)) return true;
        await page.keyboard.press('ArrowDown');
        return false;
      });
    };
    await goTo('In project/');
    await page.keyboard.press('Enter');
    await window.choice('.monaco-list-row', 'Kind of session…').waitFor();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    // Codex has one kind, and nothing else is offered.
    const kinds = page.locator('.quick-input-list .monaco-list-row');
    await until(
      'one kind',
      async () => (await kinds.count()) === 1 && (await kinds.textContent())?.includes('you start'),
    );
    await page.keyboard.press('Escape');
    await window.command('Briefing: Show Instructions');
    await goTo('32 of');
    await page.keyboard.press('ArrowRight');
    await window.row('by default').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.tab.active', { hasText: 'AGENTS.md' }).waitFor();
    await window.command('View: Close All Editors');
  });

  await step('opens the page about a finding from Problems and from a hover', async () => {
    await window.file(path.join(ws, '.claude/rules/zig.md'));
    await page.locator('.squiggly-warning').first().waitFor();
    await window.hover(page.locator('.view-line', { hasText: /zig"/ }).first(), /dead-glob/);
    await page.locator('.monaco-hover:visible a', { hasText: 'dead-glob' }).first().click();
    const title = window.webview().locator('h1', { hasText: 'dead-glob' });
    await title.waitFor();
    await window.command('View: Close All Editors');
    await window.file(path.join(ws, '.claude/rules/zig.md'));
    await window.command('Problems: Focus on Problems View');
    await page.locator('.markers-panel a', { hasText: 'dead-glob' }).first().click();
    await title.waitFor();
    await window.webview().locator('a', { hasText: 'All findings' }).click();
    await window.webview().locator('li', { hasText: 'over-budget' }).first().waitFor();
    await page.locator('.tab.active', { hasText: 'findings' }).waitFor();
    await window.command('View: Toggle Panel Visibility');
    await window.command('View: Close All Editors');
  });

  await step('leaves the way to a heading to Markdown', async () => {
    await window.file(path.join(ws, 'CLAUDE.md'));
    await page.keyboard.press('Control+End');
    const way = page.locator('.breadcrumbs-control .monaco-breadcrumb-item');
    await way.filter({ hasText: '## Rules' }).waitFor();
    const names = (await way.allTextContents()).map(name => name.trim());
    assert.deepEqual(names, ['CLAUDE.md', '# Project', '## Rules']);
    await window.command('View: Close All Editors');
  });

  await step('has settings that are fields, lists and check boxes', async () => {
    await window.command('Preferences: Open Settings (UI)');
    await page.locator('.settings-editor .suggest-input-container .monaco-editor').first().click();
    await page.keyboard.type('@ext:briefing.briefing');
    const setting = name =>
      page.locator('.settings-editor .setting-item-contents', {
        has: page.locator('.setting-item-label', { hasText: new RegExp(`^${name}$`) }),
      });
    await setting('Harnesses').locator('.monaco-button', { hasText: 'Add Item' }).waitFor();
    await setting('Edition').locator('select').waitFor();
    await setting('Harnesses').locator('a', { hasText: 'Choose with check boxes' }).click();
    await page
      .locator(
        '.quick-input-list .monaco-list-row input[type=checkbox], .quick-input-list .monaco-list-row .monaco-checkbox',
      )
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await window.command('View: Close All Editors');
  });
  await window.close();
}

room.options = { settings: { 'workbench.settings.editor': 'ui', 'workbench.editor.useModal': 'off' } };
