// The room in the activity bar, as somebody uses it who sees it, who hears it, and who has no mouse; and where its links lead.

import assert from 'node:assert/strict';
import fs from 'node:fs';
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
    await page.locator('.activitybar .action-item:has(.action-label[aria-label^="Briefing"])').first().click();
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

  await step('cuts off no word where the side bar is as wide as it is by default', async () => {
    const cut = await page.locator('.sidebar .monaco-list-row').evaluateAll(rows =>
      rows.flatMap(row => {
        const text = row.querySelector('.label-description')?.firstChild;
        if (!text) return [];
        const range = document.createRange();
        range.setStart(text, 0);
        // What stands behind the fate and the size of a file may be cut off.
        const parts = text.textContent.split(' · ');
        const whole = row.getAttribute('aria-level') === '1';
        const words = (whole ? parts : parts.slice(0, parts[0] === 'cut' ? 2 : 1)).join(' · ');
        range.setEnd(text, words.length);
        const box = row.querySelector('.monaco-icon-label-container');
        // The dots that stand for the rest take the place of a letter or two.
        const dots = box.scrollWidth > box.clientWidth ? 14 : 0;
        return range.getBoundingClientRect().right > box.getBoundingClientRect().right - dots ? [row.textContent] : [];
      }),
    );
    assert.deepEqual(cut, []);
    await window.viewShows(
      /\nClaude Code2 files\nzig\.mdnot for this file · .*\nAGENTS\.mdhidden by CLAUDE\.md$/,
      'Not Loaded',
    );
    // Where several files of a name are hidden, each says where it is.
    write(ws, { 'src/AGENTS.md': '- Of src.\n' });
    await window.viewShows(/\nAGENTS\.mdhidden · src(\n|$)/, 'Not Loaded');
    fs.rmSync(path.join(ws, 'src/AGENTS.md'));
    await window.viewShows(/\nAGENTS\.mdhidden by CLAUDE\.md$/, 'Not Loaded');
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
    /** Goes to the row of a view that says `wanted`. */
    const goTo = async (wanted, title) => {
      const focused = window.pane(title).locator('.monaco-list-row.focused');
      await window.pane(title).locator('.monaco-list:focus, .monaco-list:focus-within').first().waitFor();
      const at = async row => Number(await row.getAttribute('data-index'));
      const now = async () => ((await focused.count()) ? at(focused.first()) : -1);
      await until(`the row ${wanted}`, async () => {
        const [from, goal] = [await now(), await at(window.row(wanted, title))];
        if (from === goal) return true;
        await page.keyboard.press(from < goal ? 'ArrowDown' : 'ArrowUp');
        await until('another row', async () => (await now()) !== from, 1_000).catch(() => undefined);
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
    await window.file(handler);
    // The view may be drawn anew meanwhile: a file was opened.
    await until('the reason', async () => {
      await window.command('Briefing: Focus on Not Loaded View');
      await goTo('below start', 'Not Loaded');
      await page.keyboard.press('ArrowRight');
      const reason = window.row('below the start directory', 'Not Loaded');
      return reason.waitFor({ timeout: 2_000 }).then(
        () => true,
        () => false,
      );
    });
    // The reason leads to the page about it.
    await goTo('below the start directory', 'Not Loaded');
    await page.keyboard.press('Enter');
    await window.webview().locator('h1', { hasText: 'Is src/api/AGENTS.md loaded?' }).waitFor();
    await window.command('Briefing: Focus on Skills, Agents and Commands View');
    await goTo('release', 'Skills, Agents and Commands');
    await page.keyboard.press('Enter');
    await page.locator('.tab.active', { hasText: 'SKILL.md' }).waitFor();
    await window.command('View: Close All Editors');
  });

  await step('has lists that are used with the keyboard alone', async () => {
    const rows = page.locator('.quick-input-list .monaco-list-row');
    /** Opens a list, goes down to what says `wanted`, and takes it, or ticks it, with `key`. */
    const take = async (title, wanted, key = 'Enter') => {
      if (title) await window.command(title);
      const row = window.choice('.monaco-list-row.focused', wanted);
      await rows.first().waitFor();
      await until(`the choice ${wanted}`, async () => {
        if (await row.count()) return true;
        await page.keyboard.press('ArrowDown');
        return false;
      });
      await page.keyboard.press(key);
    };
    await window.file(handler);
    await take('Briefing: Choose the Start Folder…', 'project/src/api');
    await window.viewShows(/^In project\/src\/api\//);
    await take('Briefing: Choose the Start Folder…', 'The workspace folder');
    await window.viewShows(/^In project\/ ?main/);
    await take('Briefing: Choose the Agent in the Status…', 'Claude Code');
    await window.viewShows(/^In project\/main · Claude Code/);
    await take('Briefing: Choose the Agent in the Status…', 'Codex');
    await take('Briefing: Choose the Agents of This Workspace…', 'Crush', 'Space');
    await page.keyboard.press('Enter');
    await window.viewShows(/\nCrush/);
    await window.command('Briefing: Back to the Agents I Use');
    await take('Briefing: Go to Instruction File…', 'CLAUDE.md, Claude Code');
    await page.locator('.tab.active', { hasText: 'CLAUDE.md' }).waitFor();
    await window.file(handler);
    await take('Briefing: Why Is This File Loaded or Not?', 'src/api/AGENTS.md');
    await window.webview().locator('h1', { hasText: 'Is src/api/AGENTS.md loaded?' }).waitFor();
    await window.file(handler);
    await take('Briefing: Compare Agents, Versions or Commits…', 'OpenCode 1.18');
    await page.locator('.tab.active', { hasText: 'OpenCode 1.18' }).waitFor();
    await window.file(handler);
    await take('Briefing: Create Instruction File…', 'AGENTS.override.md');
    await take('', 'src/api');
    await page.locator('.tab.active', { hasText: 'AGENTS.override.md' }).waitFor();
    await window.command('View: Close All Editors');
    fs.rmSync(path.join(ws, 'src/api/AGENTS.override.md'));
  });

  await step('says of each file what becomes of it for the one in the editor', async () => {
    const rule = path.join(ws, '.claude/rules/rust.md');
    write(path.dirname(rule), { 'rust.md': '---\npaths: "**/*.rs"\n---\n- No unwrap.\n' });
    await window.file(handler);
    await window.command('Briefing: Go to Instruction File…');
    await window.choice('.monaco-list-row', '.claude/rules/rust.md, Claude Code: loaded on read').waitFor();
    await page.locator('.quick-input-title', { hasText: 'before it reads src/api/handler.rs' }).waitFor();
    await window.choice('.monaco-list-row', 'SKILL.md, Claude Code: listed').waitFor();
    await page.keyboard.press('Escape');
    // Instructions are read about the file in question; about themselves only if somebody asks for that.
    await window.file(path.join(ws, 'CLAUDE.md'));
    await window.command('Briefing: Go to Instruction File…');
    await window.choice('.monaco-list-row', '.claude/rules/rust.md, Claude Code: loaded on read').waitFor();
    await page.keyboard.press('Escape');
    await window.command('Briefing: Show What Agents Load for This File');
    // The view that is revealed takes the focus, and a list that is open before goes with it.
    const other = window.choice('.monaco-list-row', '.claude/rules/rust.md, Claude Code: not for this file');
    await until('the list about CLAUDE.md', async () => {
      await window.command('Briefing: Go to Instruction File…');
      return other.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    });
    await page.keyboard.press('Escape');
    fs.rmSync(rule);
    await window.command('View: Close All Editors');
  });

  await step('is in the Explorer as well, for those who want it there', async () => {
    await window.command('Explorer: Focus on Effective Instructions View');
    await window.shows('view', () => window.view('Effective Instructions'), /^In project\/.*\nCodex/);
    await window.command('Briefing: Show Instructions');
  });

  await step('opens the page about a finding from Problems and from a hover', async () => {
    await window.file(path.join(ws, '.claude/rules/zig.md'));
    await page.locator('.squiggly-warning').first().waitFor();
    const link = page.locator('.monaco-hover:visible a', { hasText: 'dead-glob' }).first();
    await until('a click on the link', async () => {
      // On a slow machine the hover goes before the mouse is there.
      await window.hover(page.locator('.view-line', { hasText: /zig"/ }).first(), /dead-glob/);
      return link.click({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    });
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

  await window.close();
}

room.options = {};
