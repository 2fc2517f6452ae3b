// Runs the tests of test/extension in VS Code's extension host, on the packed extension.
// usage: node test/extension.mjs current|oldest

import fs from 'node:fs';
import path from 'node:path';
import { DEADLINE, Host, program, write } from './host.mjs';

const here = new URL('..', import.meta.url).pathname;

export async function extensionTests(name) {
  const host = await Host.start(name, {
    env: { BRIEFING_PROGRAM: program },
    settings: { 'briefing.harnesses': ['all'] },
    // Only the oldest one heeds `extensionTestsPath` without this.
    options: [
      '--disable-workspace-trust',
      ...(name === 'oldest' ? [] : ['--vscode-option', 'enable-smoke-test-driver']),
    ],
  });
  let code;
  try {
    const ws = write(path.join(host.dir, 'ws'), { 'one/': '', 'two/': '', 'notes.txt': 'Plain.\n' });
    const workspace = path.join(ws, 'test.code-workspace');
    fs.writeFileSync(workspace, JSON.stringify({ folders: [{ path: 'one' }, { path: 'two' }] }));
    const log = path.join(host.dir, 'tests.log');
    fs.writeFileSync(log, '');
    const at = file => `vscode-remote://${new URL(host.origin).host}${file}`;
    const payload = [
      ['extensionDevelopmentPath', at(path.join(here, 'dist/unpacked/extension'))],
      ['extensionTestsPath', at(path.join(here, 'dist/tests.js'))],
      ['skipWelcome', 'true'],
    ];
    const page = await host.open(workspace, { payload: JSON.stringify(payload) });
    let finish;
    const finished = new Promise((resolve, reject) => {
      finish = resolve;
      setTimeout(() => reject(new Error('the tests do not end')), 8 * DEADLINE).unref();
    });
    await page.exposeFunction('codeAutomationExit', finish);
    await page.exposeFunction('codeAutomationLog', () => undefined);
    page.on('console', message => {
      const exit = /vscode:exit (-?\d+)/.exec(message.text());
      if (exit) finish(Number(exit[1]));
    });
    await host.goto();
    try {
      code = await finished;
    } catch (error) {
      console.error(error.message);
    } finally {
      const said = fs.readFileSync(path.join(ws, 'log'), { encoding: 'utf8', flag: 'a+' });
      process.stdout.write(said);
      if (!/^# .* 0 failed/m.test(said)) code ??= 1;
      if (!/^# /m.test(said)) code = 1;
    }
  } finally {
    await host.stop();
  }
  return code === 0;
}
