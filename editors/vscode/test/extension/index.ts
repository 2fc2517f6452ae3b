// The tests that run in VS Code's extension host, in the order of the files below.

import * as fs from 'node:fs';
import * as path from 'node:path';
import Mocha from 'mocha';
import * as vscode from 'vscode';
import { DEADLINE, chooseNothing, closeAll, started } from './harness';

export async function run(): Promise<void> {
  const log = path.join(vscode.workspace.workspaceFile?.fsPath ?? '', '../log');
  const say = (text: string) => fs.appendFileSync(log, `${text}\n`);
  try {
    const mocha = new Mocha({
      ui: 'bdd',
      timeout: 2 * DEADLINE,
      reporter: class extends Mocha.reporters.Base {},
      grep: process.env.ONLY ?? '',
    });
    mocha.suite.emit('pre-require', globalThis, '', mocha);
    await import('./answers');
    await import('./lines');
    await import('./fixes');
    await import('./pages');
    await import('./trouble');
    // Where the server does not even start, one failure says it.
    mocha.suite.beforeAll(started);
    mocha.suite.afterEach(closeAll);
    // What a test chose and did not take back is not the next one's trouble.
    mocha.suite.afterEach(chooseNothing);
    const failures = await new Promise<number>(resolve => {
      const runner = mocha.run(resolve);
      runner.on('pass', test => say(`ok ${test.fullTitle()} (${test.duration ?? 0} ms)`));
      runner.on('pending', test => say(`skipped ${test.fullTitle()}`));
      runner.on('fail', (test, error: Error) =>
        say(`not ok ${test.fullTitle()}\n${(error.stack ?? error.message).slice(0, 1500)}`),
      );
      runner.on('end', () =>
        say(`# VS Code ${vscode.version}: ${runner.stats?.passes ?? 0} passed, ${runner.failures} failed`),
      );
    });
    if (failures) {
      throw new Error(`${failures} tests failed`);
    }
  } catch (error) {
    say(`# ${String((error as Error).stack)}`);
    throw error;
  }
}
