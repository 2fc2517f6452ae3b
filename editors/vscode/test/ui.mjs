// VS Code as people see and use it: the packed extension, installed, in a window that is driven by mouse and keyboard.

import path from 'node:path';
import { Host, repo } from './host.mjs';
import { everyday } from './ui/everyday.mjs';
import { lines } from './ui/lines.mjs';
import { recorded } from './ui/recorded.mjs';
import { room } from './ui/room.mjs';
import { screens } from './ui/screens.mjs';
import { trouble } from './ui/trouble.mjs';
import { truth } from './ui/truth.mjs';
import { untrusted } from './ui/untrusted.mjs';
import { welcome } from './ui/welcome.mjs';
import { Window } from './ui/window.mjs';

const vsix = new URL('../dist/test.vsix', import.meta.url).pathname;

/** Each is one person's session in a VS Code of its own; its steps build on each other. */
const SESSIONS = [
  everyday,
  room,
  lines,
  truth,
  welcome,
  trouble,
  untrusted,
  recorded,
  ...(process.env.UPDATE ? [screens] : []),
];

/**
 * Whether every session succeeded, each of its steps in one run. One that failed is begun once more, and that is said with what
 * was on the screen: whoever reads "repeated" has a fault to look for, in the tests or in the extension. `ONCE=1` allows none.
 */
export async function uiTests(name) {
  let [passed, failed, repeated] = [0, 0, 0];
  for (const session of SESSIONS.filter(({ name }) => name.includes(process.env.SESSION ?? ''))) {
    let steps = await run(name, session);
    if (!steps && !process.env.ONCE) {
      repeated += 1;
      console.log(`${session.name}: failed, once more`);
      steps = await run(name, session);
    }
    if (steps) passed += steps;
    else failed += 1;
  }
  console.log(`# windows of ${name}: ${passed} steps passed, ${failed} sessions failed, ${repeated} repeated`);
  return failed === 0;
}

/** Runs a session in a VS Code of its own: how many steps succeeded, or none where one failed, after saying what was seen. */
async function run(name, session) {
  let passed = 0;
  const host = await Host.start(name, { vsix, ...session.options });
  const step = async (sentence, run) => {
    const start = Date.now();
    try {
      await run();
    } catch (error) {
      error.message = `not ok ${session.name}: ${sentence}\n${error.message}`;
      throw error;
    }
    passed += 1;
    console.log(`ok ${session.name}: ${sentence} (${Date.now() - start} ms)`);
  };
  try {
    await session(host, step);
    if (host.offsite.size) throw new Error(`not ok ${session.name}: asked for ${[...host.offsite].join()}`);
    return passed;
  } catch (error) {
    console.log(error.stack);
    const shot = path.join(repo, `target/editors/vscode-${session.name}-failed.png`);
    await host.page?.screenshot({ path: shot }).catch(() => undefined);
    console.log(`what was on the screen: ${shot}`);
    if (host.page) console.log(await new Window(host.page).screen().catch(String));
    return 0;
  } finally {
    await host.stop();
  }
}
