// Pictures of everything there is to see, in a light, a dark and a high contrast theme, wide and narrow, to be looked at; some of
// them stand in the README and in the walkthrough.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { repo, write } from '../host.mjs';
import { rules } from './everyday.mjs';
import { record } from './recorded.mjs';
import { Window } from './window.mjs';

/** All of them are here. */
const ALL = path.join(repo, 'target/editors/vscode-screens');
const at = name => new URL(`../../${name}/`, import.meta.url).pathname;
/** Those that the README shows, and those of the walkthrough, with fewer colours. */
const SHOWN = at('screens');
const WALKTHROUGH = at('media/walkthrough');
const KEPT = ['view-light', 'cut-dark', 'prompt-light', 'diff-dark', 'report-light', 'why-light', 'session-dark'];
const STEPS = { agents: 'agents', view: 'view', prompt: 'prompt', status: 'assume', diff: 'compare' };

const THEMES = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  contrast: { colorScheme: 'dark', forcedColors: 'active' },
};
/** What of the window a picture of the walkthrough shows, by element, so that it can be read there; else all of it. */
const SEEN = {
  agents: '.quick-input-widget',
  view: '.part.sidebar',
  prompt: '.part.editor',
  status: '.quick-input-widget',
  diff: '.part.editor',
};
const WIDE = { width: 1280, height: 720 };
const NARROW = { width: 800, height: 720 };

const FILES = {
  'AGENTS.md': `# Shop\n\nPayments are idempotent. Ask before you change a migration.\n\n## House rules\n\n${rules(600)}`,
  'CLAUDE.md': '@AGENTS.md\n\n- Run `make check` before you say that you are done.\n',
  'src/api/AGENTS.md': '- Every endpoint has a contract test.\n',
  'src/api/handler.rs': 'pub fn handle(order: &Order) -> Receipt {\n    order.pay()\n}\n',
  '.claude/rules/rust.md': '---\npaths: "**/*.rs"\n---\n- No unwrap on input.\n',
  '.claude/skills/release/SKILL.md': '---\nname: release\ndescription: Makes a release\n---\nTag it.\n',
};

export async function screens(host, step) {
  fs.mkdirSync(ALL, { recursive: true });
  // Paths are in the pictures, so these are always the same.
  const ws = path.join(os.tmpdir(), 'briefing-pictures', 'shop');
  fs.rmSync(ws, { recursive: true, force: true });
  write(ws, FILES);
  write(host.home, { '.codex/AGENTS.md': '- Answer in English.\n', '.claude/settings.json': '{}\n' });
  const themes = Object.keys(THEMES).filter(theme => theme.includes(process.env.THEME ?? ''));
  try {
    for (const theme of themes) {
      await step(`are made in the ${theme} theme`, () => tour(host, ws, theme));
    }
  } finally {
    fs.rmSync(ws, { recursive: true, force: true });
  }
}

async function tour(host, ws, theme) {
  const handler = path.join(ws, 'src/api/handler.rs');
  const window = await Window.open(host, ws, { ...THEMES[theme], viewport: WIDE });
  const { page } = window;
  const quantized = (from, to) => execFileSync('pngquant', ['--force', '--strip', '--output', to, from]);
  const shot = async name => {
    const wide = path.join(ALL, `${name}-${theme}.png`);
    // Of an animation that is cancelled, `finished` is rejected; it moves nothing any more either.
    await page.evaluate(() => Promise.allSettled(document.getAnimations().map(animation => animation.finished)));
    await window.shot(wide);
    if (KEPT.includes(`${name}-${theme}`)) quantized(wide, path.join(SHOWN, `${name}-${theme}.png`));
    if (STEPS[name]) {
      const part = path.join(ALL, `${name}-${theme}-part.png`);
      await page.locator(SEEN[name]).first().screenshot({ path: part });
      quantized(part, path.join(WALKTHROUGH, `${STEPS[name]}-${theme}.png`));
    }
    // Lists close when the window changes.
    if (await page.locator('.quick-input-widget').isVisible()) return;
    await page.setViewportSize(NARROW);
    await page.waitForFunction(
      width => document.querySelector('.monaco-workbench')?.clientWidth === width,
      NARROW.width,
    );
    await window.shot(path.join(ALL, `${name}-${theme}-narrow.png`));
    await page.setViewportSize(WIDE);
    await page.waitForFunction(width => document.querySelector('.monaco-workbench')?.clientWidth === width, WIDE.width);
  };
  const closed = () => window.command('View: Close All Editors');

  await window.file(handler);
  await window.command('Briefing: Show Instructions');
  await window.row('32 of 35').waitFor();
  await page.mouse.move(700, 400);
  await shot('view');

  await window.command('Briefing: Which Agents Do You Use?');
  await page.locator('.quick-input-list .monaco-list-row').nth(5).waitFor();
  await shot('agents');
  await page.keyboard.press('Escape');

  await window.row('32 of 35').locator('.label-name').click();
  await page.locator('.squiggly-warning').first().waitFor();
  await window.hover(page.locator('.view-line', { hasText: /rule\s545/ }).first(), /Codex cuts 3 \d\d\d of/);
  await shot('cut');
  await page.keyboard.press('Escape');

  await window.command('Briefing: Explain the Findings');
  await window.webview().locator('h1').waitFor();
  await window.webview().locator('a', { hasText: 'dead-glob' }).first().click();
  await window.webview().locator('h1', { hasText: 'dead-glob' }).waitFor();
  await shot('finding');
  await closed();

  await window.file(handler);
  await window.command('Briefing: Show the Exact Prompt');
  await page.locator('.codelens-decoration', { hasText: 'AGENTS.md' }).first().waitFor();
  await shot('prompt');
  await closed();

  await window.file(handler);
  await window.command('Briefing: Compare Agents, Versions or Commits…');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'OpenCode' }).first().waitFor();
  await shot('compare');
  await window.choose('OpenCode 1.18');
  await page.keyboard.press('Control+B');
  const other = page.locator('.monaco-diff-editor .view-line', { hasText: /Instructions\sfrom/ });
  await other.first().waitFor();
  await shot('diff');
  await page.keyboard.press('Control+B');
  await closed();

  for (const [name, title, there, choice] of [
    ['report', 'Briefing: Context Report', 'svg.chart rect'],
    ['why', 'Briefing: Why Is This File Loaded or Not?', 'section', 'src/api/AGENTS.md'],
  ]) {
    await window.file(handler);
    await window.command(title);
    if (choice) {
      await window.choice('.monaco-list-row', choice).waitFor();
      await shot('files');
      await window.choose(choice);
    }
    await window.webview().locator(there).first().waitFor();
    await shot(name);
    await closed();
  }

  await window.file(handler);
  await page.locator('.statusbar-item[id$="briefing.status"]').click();
  await window.choice('.monaco-list-row', 'Agent in the status…').waitFor();
  await shot('status');
  await window.choose('Agent in the status…');
  await window.choose('Claude Code');
  await window.command('Briefing: Show a Session Step by Step…');
  await page
    .locator('.quick-input-widget .quick-input-box input')
    .fill('read src/api/handler.rs; compact; subagent Explore');
  await page.keyboard.press('Enter');
  await window.webview().locator('section.turn').nth(3).waitFor();
  await shot('session');
  await closed();

  record(host.home, ws);
  // Else it is as old as the first theme, and the session that is recorded now would have seen it.
  write(ws, { 'CLAUDE.md': FILES['CLAUDE.md'] });
  await window.file(path.join(ws, 'CLAUDE.md'));
  await window.command('Briefing: Was This Line in My Last Session?');
  await window.webview().locator('h1').waitFor();
  await shot('line');
  await closed();
  await window.pane('Sessions').locator('.pane-header').click();
  await window.row('running', 'Sessions').click();
  await window.webview().locator('section').nth(1).waitFor();
  await shot('sessions');
  await closed();
  await window.pane('Sessions').locator('.pane-header').click();

  await page.keyboard.press('Control+B');
  await window.command('Briefing: Open Walkthrough');
  await page.locator('.getting-started-step').nth(4).waitFor();
  await shot('walkthrough');
  await closed();
  await window.command('Preferences: Open Settings (UI)');
  await page.locator('.settings-editor .suggest-input-container .view-lines').first().click();
  await page.keyboard.type('briefing.');
  await page.locator('.setting-item-contents', { hasText: 'Briefing' }).nth(1).waitFor();
  await shot('settings');
  await window.close();
}

screens.options = {
  settings: {
    'briefing.records': 'on',
    'window.autoDetectColorScheme': true,
    'workbench.reduceMotion': 'on',
    'editor.occurrencesHighlight': 'off',
    'editor.selectionHighlight': false,
  },
};
