// Instruction files as they are read and mended: who reads which line, and what can be done at a finding.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { until, write } from '../host.mjs';
import { rules } from './everyday.mjs';
import { Window } from './window.mjs';

export async function lines(host, step) {
  write(host.home, { '.codex/AGENTS.md': '- Answer in English.\n', '.claude/settings.json': '{}\n' });
  const ws = write(path.join(host.dir, 'project'), {
    'AGENTS.md': `# House rules\n\n${rules(560)}\n## Testing\n\n${rules(20)}\n## Deploying\n\n${rules(20)}`,
    'CLAUDE.md': '@AGENTS.md\n\n@docs/gone.md\n',
    'src/pins.rs': 'fn pin() {}\n',
    '.claude/rules/rust.md': '---\npaths: "**/*.rs"\n---\n# Rust\n\n- No unwrap.\n',
  });
  const at = name => path.join(ws, name);
  const window = await Window.open(host, ws);
  const { page } = window;
  const line = text => page.locator('.editor-group-container.active .view-line', { hasText: text }).first();

  await step('are opened by a click on a row that changes nothing else', async () => {
    await window.file(at('src/pins.rs'));
    await window.command('Briefing: Show Instructions');
    await window.viewShows(/\nrust\.md.*on read/);
    const before = await window.view();
    const left = await window.view('Not Loaded');
    for (const [row, tab] of [
      ['rust.md', 'rust.md'],
      ['CLAUDE.md', 'CLAUDE.md'],
      ['32 of', 'AGENTS.md'],
    ]) {
      await window.row(row).click();
      await page.locator('.tab.active', { hasText: tab }).waitFor();
      await window.command('Briefing: Refresh');
      assert.equal(await window.view(), before);
      assert.equal(await window.view('Not Loaded'), left);
    }
    await page.locator('.pane-header .description', { hasText: 'src/pins.rs' }).first().waitFor();
  });

  await step('say who reads them at headings, and are marked where one of two agents does not', async () => {
    await window.file(at('AGENTS.md'));
    await window.top(/^#\sHouse\srules/);
    await line(/House\srules.*Claude\sCode\sat\sstart/).waitFor();
    const marks = page.locator('.editor-group-container.active .glyph-margin-widgets .cgmr');
    await until('no mark', async () => (await marks.count()) === 0);
    await page.keyboard.press('Control+End');
    await line(/##\sDeploying.*Claude\sCode\sat\sstart;\snot\sCodex/).waitFor();
    await until('marks', async () => (await marks.count()) > 10);
  });

  await step('have a badge in the Explorer with the agents that load their file', async () => {
    await window.command('Explorer: Focus on Folders View');
    await page.locator('.explorer-folders-view [aria-label*="Codex: cut"]').first().waitFor();
    await page.locator('.explorer-folders-view [class*="monaco-decoration-badge"]').first().waitFor();
    await window.command('Briefing: Show Instructions');
  });

  /** Opens the fixes at the cursor, and takes the one that says `wanted`. */
  const fix = async wanted => {
    const choice = page.locator('.action-widget .monaco-list-row', { hasText: wanted }).first();
    await until(`the fix ${wanted}`, async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+.');
      return choice.waitFor({ timeout: 4_000 }).then(
        () => true,
        () => false,
      );
    });
    await choice.click();
  };

  await step('are ignored with a reason that is typed in its place', async () => {
    await window.file(at('CLAUDE.md'));
    await page.locator('.squiggly-warning').first().waitFor();
    await window.top(/@AGENTS/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await fix(/Ignore here \(reason, until .*import-missing/);
    await line(/briefing-ignore/).waitFor();
    await page.keyboard.type('it comes later');
    await until('no finding', async () => (await page.locator('.squiggly-warning').count()) === 0);
    await page.keyboard.press('Tab');
    await page.keyboard.type('2027-01-31');
    await page.keyboard.press('Control+S');
    await until('the file', () =>
      fs
        .readFileSync(at('CLAUDE.md'), 'utf8')
        .includes('<!-- briefing-ignore import-missing until=2027-01-31: it comes later -->\n@docs/gone.md'),
    );
  });

  /** Ticks everything in the preview, and applies it. */
  const confirm = async () => {
    const boxes = page.locator('.part.panel .edit-checkbox');
    await until('all is ticked', async () => {
      for (let at = 0; at < (await boxes.count()); at += 1) {
        const box = boxes.nth(at);
        const ticked = await box.evaluate(box => box.checked ?? box.getAttribute('aria-checked') === 'true');
        if (!ticked) {
          await box.click();
          return false;
        }
      }
      return true;
    });
    await page.locator('.part.panel .monaco-button', { hasText: 'Apply' }).click();
  };

  await step('show what a fix does to several files before it does it', async () => {
    await window.file(at('AGENTS.md'));
    await window.top(/^#\sHouse\srules/);
    await page.keyboard.press('Control+End');
    await fix(/^Move “.*point to it|^Move “/);
    await page.locator('.part.panel .monaco-list-row', { hasText: /deploying\.md.*creating/ }).waitFor();
    assert.equal(fs.existsSync(at('docs/deploying.md')), false);
    await confirm();
    await until('the new file', () => fs.existsSync(at('docs/deploying.md')));
    await window.command('Notifications: Clear All Notifications');
  });

  await step('show a plan with its proof before it changes anything', async () => {
    const rule = 'Never log personal data in any of the services.\n';
    await window.command('File: Save All Files');
    await window.command('View: Close All Editors');
    write(ws, {
      'AGENTS.md': `# House\n\n${rule}`,
      'CLAUDE.md': `# House\n\n${rule}\nUse the shell tool for searches.\n`,
    });
    await window.file(at('AGENTS.md'));
    await window.top(/^#\sHouse/);
    const choice = page.locator('.action-widget .monaco-list-row', { hasText: 'Plan one AGENTS.md' }).first();
    await until('the plan', async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+Shift+R');
      return choice.waitFor({ timeout: 4_000 }).then(
        () => true,
        () => false,
      );
    });
    await choice.click();
    await page.locator('.part.panel .edit-checkbox').first().waitFor();
    await window.notification('nothing is lost').waitFor();
    assert.match(fs.readFileSync(at('CLAUDE.md'), 'utf8'), /^# House/);
    await confirm();
    await window.file(at('CLAUDE.md'));
    await line(/^@(\.\/)?AGENTS\.md/).waitFor();
  });
  await window.close();
}

lines.options = {};
