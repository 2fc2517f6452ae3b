// The tests in a real VS Code. usage: node test/run.mjs [package|extension|extension-oldest|ui|ui-oldest]…

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { extensionTests } from './extension.mjs';
import { program } from './host.mjs';
import { packageTests } from './package.mjs';
import { uiTests } from './ui.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
const parts = process.argv.slice(2);

// What is tested is what is shipped, but for the program: a debug build without its symbols.
const run = (command, ...args) => execFileSync(command, args, { stdio: 'inherit' });
mkdirSync('dist', { recursive: true });
run('strip', '-o', 'dist/briefing', program);
run(process.execPath, 'scripts/package.mjs', '--program', 'dist/briefing', '--out', 'dist/test.vsix');
rmSync('dist/unpacked', { recursive: true, force: true });
run('unzip', '-q', 'dist/test.vsix', '-d', 'dist/unpacked');
run(process.execPath, 'scripts/build.mjs', '--tests');

const failed = [];
for (const part of parts) {
  const start = Date.now();
  const passed = await {
    package: packageTests,
    extension: () => extensionTests('current'),
    'extension-oldest': () => extensionTests('oldest'),
    ui: () => uiTests('current'),
    'ui-oldest': () => uiTests('oldest'),
  }[part]();
  console.log(`-- ${part}: ${passed ? 'passed' : 'FAILED'} in ${Math.round((Date.now() - start) / 1000)} s`);
  if (!passed) failed.push(part);
}
process.exitCode = failed.length ? 1 : 0;
