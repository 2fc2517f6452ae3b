// One live truth: after each change from outside, everything on the screen says the same as a server that has just started.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { until, write } from '../host.mjs';
import { rules } from './everyday.mjs';
import { Window } from './window.mjs';

export async function truth(host, step) {
  write(host.home, { '.codex/AGENTS.md': '- Answer in English.\n', '.claude/settings.json': '{}\n' });
  const ws = write(path.join(host.dir, 'project'), {
    'AGENTS.md': rules(400),
    'CLAUDE.md': '@AGENTS.md\n',
    'src/AGENTS.md': '- Below.\n',
    'src/api/handler.rs': 'fn handle() {}\n',
  });
  const at = name => path.join(ws, name);
  const git = (...args) => execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd: ws });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message=One');
  git('checkout', '--quiet', '-b', 'long');
  write(ws, { 'AGENTS.md': `${rules(600)}\n## More\n\n- One more.\n`, 'GEMINI.md': 'o\u200bne\n' });
  git('add', '.');
  git('commit', '--quiet', '--message=Two');
  git('checkout', '--quiet', 'main');
  const window = await Window.open(host, ws);
  const { page } = window;

  const texts = async selector => (await page.locator(selector).allInnerTexts()).map(text => text.replace(/\s+/g, ' '));
  /** Everything that shows a number, as it stands on the screen. */
  const seen = async () => {
    const problems = page.locator('.statusbar-item[id="status.problems"] [aria-label]').first();
    return {
      status: await window.status(),
      instructions: await window.view(),
      notLoaded: await window.view('Not Loaded'),
      problems: await problems.getAttribute('aria-label'),
      lenses: await texts('.codelens-decoration'),
      // What the server puts at the ends of lines stands in them.
      lines: await texts('.editor-group-container.active .view-line'),
      badges: await texts('.explorer-folders-view .monaco-list-row'),
    };
  };
  const shows = (what, wanted) => window.shows(what, async () => [(await seen())[what]].flat().join('\n'), wanted);
  /** A server that has just started shows the same. */
  const isFresh = async () => {
    const before = await seen();
    await window.command('Briefing: Restart Server');
    let after;
    await until('the same of a fresh server', async () => {
      after = await seen();
      return JSON.stringify(after) === JSON.stringify(before);
    }).catch(() => assert.deepEqual(after, before));
  };

  await step('shows one number in every place', async () => {
    await window.file(at('src/api/handler.rs'));
    await window.command('Briefing: Show Instructions');
    await window.viewShows(/\nCodex/);
    await window.file(at('AGENTS.md'));
    const size = fs.statSync(at('AGENTS.md')).size;
    assert.ok(size > 24_000 && size < 26_000, String(size));
    await shows('status', /^Codex 23\.\d\/32 KiB · 2 files/);
    await shows('lenses', /Codex: 2\d \d\d\d of 32 768 bytes \(7\d %\)/);
    await isFresh();
  });

  await step('follows a settings file outside of the workspace, with lens, status and view', async () => {
    write(host.home, { '.codex/config.toml': 'project_doc_max_bytes = 30000\n' });
    await shows('lenses', /Codex: 2\d \d\d\d of 30 000 bytes \(8\d %\)/);
    await shows('status', /^Codex 23\.\d\/29\.3 KiB/);
    await isFresh();
  });

  await step('follows a checkout of another branch', async () => {
    git('checkout', '--quiet', 'long');
    await shows('status', /1 cut$/);
    await shows('lenses', /Codex: \d \d\d\d bytes over the limit of 30 000/);
    await shows('problems', /Warnings: 2, Infos: 2/);
    await isFresh();
    git('checkout', '--quiet', 'main');
    await shows('status', /^Codex 23\.\d\/29\.3 KiB · 2 files$/);
    await shows('lenses', /Codex: 2\d \d\d\d of 30 000 bytes/);
    await shows('problems', /^Infos: 1$/);
    await isFresh();
  });

  await step('follows a folder that is renamed', async () => {
    await window.file(at('src/api/handler.rs'));
    await window.viewShows(/AGENTS\.mdbelow start folder · src/, 'Not Loaded');
    await window.command('View: Close All Editors');
    fs.renameSync(at('src'), at('lib'));
    await window.file(at('lib/api/handler.rs'));
    await window.viewShows(/AGENTS\.mdbelow start folder · lib/, 'Not Loaded');
    assert.doesNotMatch(await window.view('Not Loaded'), / src(\n|$)/);
    await isFresh();
  });
  await window.close();
}

truth.options = {};
