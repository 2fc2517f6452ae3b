// A working day: rules that have outgrown a limit, and everything that can be done about it.

import { execFileSync } from 'node:child_process';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { program, running, until, write } from '../host.mjs';
import { Window } from './window.mjs';

/** `count` lines of 60 bytes or so. */
export const rules = count =>
  Array.from({ length: count }, (_, at) => `- rule ${at}: keep every function short, and say why, not what\n`).join('');

const LONG = `# House rules\n\n${rules(600)}`;

export async function everyday(host, step) {
  write(host.home, { '.codex/AGENTS.md': '- Answer in English.\n' });
  const ws = write(path.join(host.dir, 'project'), {
    'AGENTS.md': LONG,
    'CLAUDE.md': '@AGENTS.md\n\n- Only for Claude.\n',
    'src/AGENTS.md': '- Below.\n',
    'src/api/handler.rs': 'fn handle() {}\n',
  });
  const at = name => path.join(ws, name);
  const git = (...args) => execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd: ws });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message=One');
  const handler = at('src/api/handler.rs');
  const cut = 'Codex 32/32 KiB · 2 files · 1 cut';
  const window = await Window.open(host, ws);
  const { page } = window;
  const faded = page.locator('.squiggly-inline-unnecessary');

  await step('starts where there are instruction files, before one is opened', async () => {
    await window.statusIs(cut);
  });

  await step('lists what is told before the active file is read, and what is not', async () => {
    await window.file(handler);
    await window.command('Briefing: Show Instructions');
    await window.viewShows(
      /^In project\/main · .*\nCodex.*1 cut\nAGENTS\.md21 B · ~\/\.codex\nAGENTS\.mdcut · 32 of 35\.\d KiB\n/,
    );
    await window.viewShows(/^Codex1 file\nAGENTS\.mdbelow start folder · src/, 'Not Loaded');
  });

  await step('opens a file where the model stops reading, and says why', async () => {
    await window.row('32 of 35').click();
    await page.locator('.tab.active', { hasText: 'AGENTS.md' }).waitFor();
    // Other agents load the whole file: what Codex cuts is underlined, and nothing is faded.
    await page.locator('.squiggly-warning').first().waitFor();
    const line = page.locator('.view-line', { hasText: /rule\s545/ }).first();
    await window.hover(line, /Codex cuts 3 \d\d\d of 36 5\d\d B here/);
    await page.keyboard.press('Escape');
  });

  await step('follows what is typed, in the view, the status and the text', async () => {
    await window.focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('- Short.');
    await window.statusIs('Codex 8 B/32 KiB · 2 files');
    await window.viewShows(/\nAGENTS\.md8 B\n/);
    await until('nothing is faded', async () => (await faded.count()) === 0);
    await window.command('File: Revert File');
    await window.statusIs(cut);
  });

  await step('follows what other programs write', async () => {
    await window.file(handler);
    write(ws, { 'AGENTS.override.md': '- Instead.\n' });
    await window.viewShows(/\nAGENTS\.override\.md11 B\n/);
    await window.viewShows(/^Codex2 files\nAGENTS\.mdhidden by AGENTS\.override\.md\n/, 'Not Loaded');
    fs.rmSync(at('AGENTS.override.md'));
    await window.statusIs(cut);
  });

  await step('shows the exact prompt, byte for byte, and what is typed in it', async () => {
    await window.file(handler);
    await window.command('Briefing: Show the Exact Prompt');
    const lens = page.locator('.codelens-decoration', { hasText: /AGENTS\.md · 32 of 35/ });
    await lens.first().waitFor();
    await window.focus(2);
    const shown = await window.copied();
    const args = ['show', handler, '--cwd', ws, '--harness', 'codex', '--format', 'prompt', '--only', 'instructions'];
    assert.equal(shown, String(execFileSync(program, args, { env: host.env, cwd: host.dir })));
    await window.focus(1);
    await window.file(at('AGENTS.md'));
    await window.top(/^#\sHouse\srules/);
    await page.keyboard.type('- Typed just now.');
    await page.keyboard.press('Enter');
    // In the editor, and beside it in the prompt.
    const typed = page.locator('.view-line', { hasText: /^-\sTyped\sjust\snow/ });
    await until('the typed line twice', async () => (await typed.count()) === 2);
    await window.command('File: Revert File');
    await window.statusIs(cut);
  });

  await step('compares two harnesses in a diff editor', async () => {
    await window.file(handler);
    await window.command('Briefing: Compare Agents, Versions or Commits…');
    await window.choose('OpenCode 1.18');
    await page.locator('.tab.active', { hasText: /Codex .* ↔ OpenCode 1\.18 · handler\.rs/ }).waitFor();
    for (const text of [/^#\sAGENTS\.md\sinstructions/, /^Instructions\sfrom:/]) {
      await page.locator('.monaco-diff-editor .view-line', { hasText: text }).first().waitFor();
    }
    await window.command('View: Close All Editors');
  });

  await step('shows what changed since the last commit, in a diff editor', async () => {
    write(ws, { 'AGENTS.md': '- One rule is left.\n' });
    await window.file(handler);
    await window.statusIs('Codex 20 B/32 KiB · 2 files');
    await window.command('Briefing: What Changed Since the Last Commit');
    const side = name => page.locator(`.monaco-diff-editor .editor.${name} .view-line`);
    await side('original')
      .filter({ hasText: /^-\srule\s1:/ })
      .first()
      .waitFor();
    await side('modified')
      .filter({ hasText: /^-\sOne\srule\sis\sleft/ })
      .first()
      .waitFor();
    await window.command('View: Close All Editors');
    write(ws, { 'AGENTS.md': LONG });
  });

  await step('says what each file takes, and opens it', async () => {
    await window.file(handler);
    await window.command('Briefing: Context Report');
    const report = window.webview();
    await report.locator('h1', { hasText: 'Context report' }).waitFor();
    await report.locator('svg.chart rect').first().waitFor();
    await report.locator('a', { hasText: 'src/AGENTS.md' }).first().click();
    await page.locator('.tab.active', { hasText: 'AGENTS.md' }).waitFor();
    await window.command('View: Close All Editors');
  });

  await step('says why a file is not loaded', async () => {
    await window.file(handler);
    await window.command('Briefing: Why Is This File Loaded or Not?');
    await window.choose('src/AGENTS.md');
    const why = window.webview();
    await why.locator('section', { hasText: 'below the start directory' }).first().waitFor();
    await why.locator('header', { hasText: 'before it reads src/api/handler.rs' }).waitFor();
    await why.locator('li', { hasText: 'src/AGENTS.md is not looked for' }).first().waitFor();
    await window.command('View: Close All Editors');
  });

  await step('lets the harness be chosen in the status, and harnesses in the view', async () => {
    await window.file(handler);
    await page.locator('.statusbar-item[id$="briefing.status"]').click();
    await window.choose('Agent in the status…');
    await window.choose('Claude Code');
    await window.shows('status', () => window.status(), /^Claude Code .* files?$/);
    await window.command('Briefing: Choose the Agents of This Workspace…');
    // Those that are used here are picked already.
    for (const harness of ['Codex', 'Claude Code', 'Crush']) await window.choose(harness);
    await page.keyboard.press('Enter');
    await window.viewShows(/^In .*\nCrush/);
    await window.command('Briefing: Back to the Agents I Use');
    await window.viewShows(/^In .*\nCodex/);
  });

  await step('keeps showing a pinned file', async () => {
    const about = window.pane().locator('.pane-header .description');
    await window.command('Briefing: Keep Showing This File');
    await window.file(at('CLAUDE.md'));
    await about.filter({ hasText: 'src/api/handler.rs (pinned)' }).waitFor();
    await window.command('Briefing: Follow the Active Editor');
    await about.filter({ hasText: /^CLAUDE\.md$/ }).waitFor();
  });

  await step('fetches what instructions name by a URL, once that is allowed', async () => {
    const server = http
      .createServer((_, response) => response.end('Served.'))
      .listen(0, '127.0.0.1')
      .unref();
    await once(server, 'listening');
    const url = `http://127.0.0.1:${server.address().port}/rules.md`;
    write(ws, { 'opencode.json': JSON.stringify({ instructions: [url] }) });
    await window.file(handler);
    // Its own file in the repository speaks for OpenCode; the others are unpicked.
    await window.command('Briefing: Choose the Agents of This Workspace…');
    for (const harness of ['Codex', 'Claude Code']) await window.choose(harness);
    await page.keyboard.press('Enter');
    await window.viewShows(new RegExp(`${url}not fetched`), 'Not Loaded');
    await window.command('Briefing: Fetch Remote Instructions Once');
    await window.notification(url).locator('.monaco-button', { hasText: 'Fetch' }).click();
    await window.notification('1 of 1 URLs were fetched').waitFor();
    await window.viewShows(new RegExp(`${url}7 B`));
    fs.rmSync(at('opencode.json'));
    await window.command('Briefing: Back to the Agents I Use');
    await window.command('Notifications: Clear All Notifications');
  });

  await step('creates an instruction file where it is wanted', async () => {
    await window.file(handler);
    await window.command('Briefing: Create Instruction File…');
    await window.choose('GEMINI.md');
    await window.choose('src/api');
    await page.locator('.tab.active', { hasText: 'GEMINI.md' }).waitFor();
    assert.equal(fs.readFileSync(at('src/api/GEMINI.md'), 'utf8'), '');
    fs.rmSync(at('src/api/GEMINI.md'));
  });

  await step('puts the prompt into the clipboard', async () => {
    await window.file(handler);
    await window.clip('');
    await window.command('Briefing: Copy the Exact Prompt');
    await until('the prompt', async () => (await window.clipboard()).includes('rule 7:'));
  });

  await step('goes on with another process when the server is killed, and when it is told to', async () => {
    const server = host.program;
    const another = async old => {
      const now = await until('another process', () => {
        const pids = running(server);
        return pids.length === 1 && pids[0] !== old && pids[0];
      });
      write(ws, { 'AGENTS.md': `- As told by ${now}.\n` });
      await window.file(handler);
      await window.shows('view', () => window.view(), new RegExp(`\nAGENTS\\.md${15 + String(now).length} B`));
      return now;
    };
    const first = running(server)[0];
    assert.ok(first);
    process.kill(first, 'SIGKILL');
    const second = await another(first);
    await window.command('Briefing: Restart Server');
    await another(second);
    write(ws, { 'AGENTS.md': LONG });
  });
  await window.close();
}

everyday.options = {};
