// What sessions were really told: asked about once, shown as a list, a timeline, and for one line.

import fs from 'node:fs';
import path from 'node:path';
import { until, write } from '../host.mjs';
import { Window } from './window.mjs';

/** Puts records of Claude Code into a home: of a session that goes on, and of one of yesterday. */
export function record(home, ws) {
  const project = fs.realpathSync(ws);
  const session = (id, minutes, content, ...more) => {
    const at = ago => new Date(Date.now() - ago * 60_000);
    const line = (attachment, ago, rest = { type: 'attachment', attachment }) =>
      JSON.stringify({ sessionId: id, version: '2.1.330', cwd: project, timestamp: at(ago).toISOString(), ...rest });
    const use = { type: 'tool_use', id: 'one', name: 'Edit', input: { file_path: `${project}/db/a.sql` } };
    const lines = [
      line(undefined, minutes, { type: 'user', message: { role: 'user', content: 'a secret prompt' } }),
      line({ type: 'instructions', files: [{ path: `${project}/CLAUDE.md`, content }] }, minutes),
      line(undefined, minutes - 1, { type: 'assistant', message: { role: 'assistant', content: [use] } }),
      ...more.map(attachment => line(attachment, minutes - 1)),
    ];
    const folder = `.claude/projects/${project.replace(/[^a-zA-Z0-9]/g, '-')}`;
    write(home, { [`${folder}/${id}.jsonl`]: `${lines.join('\n')}\n` });
    fs.utimesSync(path.join(home, folder, `${id}.jsonl`), at(minutes - 1), at(minutes - 1));
  };
  const rule = { path: `${project}/.claude/rules/db.md`, type: 'Project', content: '- Never edit a migration.\n' };
  session('running0', 2, '- Use spaces.\n');
  session('earlier0', 24 * 60, '- Use tabs.\n', { type: 'nested_memory', path: rule.path, content: rule });
}

export async function recorded(host, step) {
  const ws = write(path.join(host.dir, 'project'), {
    'CLAUDE.md': '# House\n\n- Use tabs.\n',
    'db/a.sql': 'select 1;\n',
    '.claude/rules/db.md': '---\npaths: ["db/**"]\n---\n- Never edit a migration.\n',
  });
  record(host.home, ws);
  const window = await Window.open(host, ws);
  const { page } = window;
  const pane = window.pane('Sessions');

  await step('reads no record before somebody wants it, and asks once', async () => {
    await window.file(path.join(ws, 'CLAUDE.md'));
    await window.command('Briefing: Show Instructions');
    await window.viewShows(/Claude Code/);
    await pane.locator('.pane-header').click();
    await pane.getByText('Read the Records').click();
    const question = window.notification('read the records that your agents keep');
    await question.waitFor();
    await question.getByText('Read', { exact: true }).click();
  });

  await step('lists the sessions, those that go on first, and says which hold an older file', async () => {
    await window.viewShows(
      /^Claude Coderunning · holds an older CLAUDE\.md\nholds an older CLAUDE\.md\nClaude Code.* · \.claude\/rules\/db\.md came after the first edit it is about$/,
      'Sessions',
    );
  });

  await step('opens the timeline of one', async () => {
    await window.row('running', 'Sessions').click();
    const text = () => window.webview().locator('body').innerText();
    await window.shows(
      'page',
      text,
      /holds an older CLAUDE\.md[^]*0\. start[^]*CLAUDE\.md[^]*the file is another now[^]*1\. edit db\/a\.sql/,
    );
  });

  await step('says whether the line under the cursor reached the last session', async () => {
    await window.file(path.join(ws, 'CLAUDE.md'));
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowUp');
    await window.command('Briefing: Was This Line in My Last Session?');
    const text = () => window.webview().locator('body').innerText();
    await window.shows('page', text, /Use tabs\.[^]*Claude Code 2\.1\.330\s+No[^]*nothing in the record says it/);
    await until('no prompt is shown', async () => !(await text()).includes('secret'));
  });
}
