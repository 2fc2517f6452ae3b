// Pictures of everything there is to see, in a light and a dark theme, to be looked at; some of them stand in the README.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { repo, write } from '../host.mjs';
import { rules } from './everyday.mjs';
import { Window } from './window.mjs';

/** All of them are here. */
const ALL = path.join(repo, 'target/editors/vscode-screens');
/** Those that the README shows, with fewer colours. */
const SHOWN = new URL('../../screens/', import.meta.url).pathname;
const KEPT = ['view-light.png', 'cut-dark.png', 'prompt-light.png', 'diff-dark.png', 'report-light.png'];

const FILES = {
  'AGENTS.md': `# Shop\n\nPayments are idempotent. Ask before you change a migration.\n\n## House rules\n\n${rules(600)}`,
  'CLAUDE.md': '@AGENTS.md\n\n- Run `make check` before you say that you are done.\n',
  'src/api/AGENTS.md': '- Every endpoint has a contract test.\n',
  'src/api/handler.rs': 'pub fn handle(order: &Order) -> Receipt {\n    order.pay()\n}\n',
  '.cursor/rules/rust.mdc': '---\nglobs: "**/*.rs"\n---\n- No unwrap on input.\n',
};

export async function screens(host, step) {
  for (const dir of [ALL, SHOWN]) fs.mkdirSync(dir, { recursive: true });
  // Paths are in the pictures, so these are always the same.
  const ws = path.join(os.tmpdir(), 'briefing-pictures', 'shop');
  fs.rmSync(ws, { recursive: true, force: true });
  write(ws, FILES);
  try {
    for (const theme of ['light', 'dark']) {
      await step(`are made in the ${theme} theme`, () => tour(host, ws, theme));
    }
  } finally {
    fs.rmSync(ws, { recursive: true, force: true });
  }
}

async function tour(host, ws, theme) {
  const handler = path.join(ws, 'src/api/handler.rs');
  write(host.home, { '.codex/AGENTS.md': '- Answer in English.\n' });
  const viewport = { width: 1100, height: 640 };
  let window = await Window.open(host, ws, { colorScheme: theme, viewport });
  const { page } = window;
  const shot = async name => {
    const file = `${name}-${theme}.png`;
    await window.shot(path.join(ALL, file));
    if (KEPT.includes(file)) {
      execFileSync('pngquant', ['--force', '--strip', '--output', path.join(SHOWN, file), path.join(ALL, file)]);
    }
  };

  // More room for the view: a wider side bar, and the folder closed.
  const bar = await page.locator('.part.sidebar').boundingBox();
  const edge = bar.x + bar.width;
  await page.mouse.move(edge, 300);
  await page.mouse.down();
  await page.mouse.move(edge + 100, 300, { steps: 5 });
  await page.mouse.up();
  await window.file(handler);
  await page.locator('.pane-header', { hasText: 'shop' }).click();
  await window.command('Briefing: Show Effective Instructions');
  await window.row('32 of 35').waitFor();
  await window.row('32 of 35').locator('.monaco-tl-twistie').click();
  await window.row('by default').waitFor();
  await page.mouse.move(700, 400);
  await shot('view');

  await window.row('32 of 35').locator('.label-name').click();
  await page.locator('.squiggly-inline-unnecessary').first().waitFor();
  await window.hover(
    page.locator('.view-line', { hasText: /rule\s545/ }).first(),
    /bytes are cut for codex[^]*32 768 of/,
  );
  await shot('cut');
  await page.keyboard.press('Escape');

  await window.file(handler);
  await window.command('Briefing: Show the Exact Prompt');
  await page.locator('.codelens-decoration', { hasText: 'AGENTS.md' }).first().waitFor();
  await shot('prompt');
  await window.focus(2);
  await page.keyboard.press('Control+End');
  await page.locator('.view-line', { hasText: '</INSTRUCTIONS>' }).first().waitFor();
  await shot('prompt-end');
  await window.command('View: Close All Editors');

  await window.file(handler);
  await window.command('Briefing: Compare Harnesses, Editions or Commits…');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'OpenCode' }).first().waitFor();
  await shot('compare');
  await window.choose('OpenCode 1.18');
  await page.keyboard.press('Control+B');
  await page
    .locator('.monaco-diff-editor .view-line', { hasText: /Instructions\sfrom/ })
    .first()
    .waitFor();
  await shot('diff');
  await page.keyboard.press('Control+B');
  await window.command('View: Close All Editors');

  await window.file(handler);
  await window.command('Briefing: Context Report');
  await window.webview().locator('svg.chart rect').first().waitFor();
  await shot('report');
  await window.command('View: Close All Editors');

  await window.file(handler);
  await window.command('Briefing: Why Is This File Not Loaded?');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'src/api/AGENTS.md' }).first().waitFor();
  await shot('files');
  await window.choose('src/api/AGENTS.md');
  await window.webview().locator('section').first().waitFor();
  await shot('why');
  await window.command('View: Close All Editors');

  await window.file(handler);
  await page.locator('.statusbar-item[id$="briefing.status"]').click();
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Harness in the status…' }).first().waitFor();
  await shot('status');
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+B');
  await window.command('Briefing: Open Walkthrough');
  await page.locator('.getting-started-step').nth(3).waitFor();
  await window.webview().locator('h2').waitFor();
  await shot('walkthrough');
  await window.close();

  fs.rmSync(path.join(host.home, '.codex'), { recursive: true });
  const empty = write(path.join(host.dir, 'empty'), { 'notes.md': 'Notes.\n' });
  window = await Window.open(host, empty, { colorScheme: theme, viewport });
  await window.file(path.join(empty, 'notes.md'));
  await window.command('Briefing: Show Effective Instructions');
  await window.pane().locator('.welcome-view-content', { hasText: 'No agent loads instructions here' }).waitFor();
  await shot('welcome');
  await window.close();
}

screens.options = { settings: { 'window.autoDetectColorScheme': true } };
