// VS Code as people see and use it: the packed extension, installed, in a window that is driven by mouse and keyboard.

import path from 'node:path';
import { Host, repo } from './host.mjs';
import { everyday } from './ui/everyday.mjs';
import { screens } from './ui/screens.mjs';
import { trouble } from './ui/trouble.mjs';
import { untrusted } from './ui/untrusted.mjs';

const vsix = new URL('../dist/test.vsix', import.meta.url).pathname;

/** Each is one person's session in a VS Code of its own; its steps build on each other. */
const SESSIONS = [everyday, trouble, untrusted, ...(process.env.UPDATE ? [screens] : [])];

export async function uiTests(name) {
  let [passed, failed] = [0, 0];
  for (const session of SESSIONS.filter(({ name }) => name.includes(process.env.SESSION ?? ''))) {
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
    } catch (error) {
      failed += 1;
      console.log(error.stack);
      const shot = path.join(repo, `target/editors/vscode-${session.name}-failed.png`);
      await host.page?.screenshot({ path: shot }).catch(() => undefined);
      console.log(`what was on the screen: ${shot}`);
    } finally {
      await host.stop();
    }
  }
  console.log(`# windows of ${name}: ${passed} steps passed, ${failed} sessions failed`);
  return failed === 0;
}
