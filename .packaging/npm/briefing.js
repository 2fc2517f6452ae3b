#!/usr/bin/env node
// Starts the program of the package for this platform, in its place: same streams, same signals, same exit code.
'use strict';

const { spawn } = require('node:child_process');

const name = `@briefing/cli-${process.platform}-${process.arch}`;
const suffix = process.platform === 'win32' ? '.exe' : '';
let program;
try {
  program = require.resolve(`${name}/briefing${suffix}`);
} catch {
  console.error(
    `briefing: the package ${name} is not installed. Either there is no program for this platform, or optional dependencies ` +
      'were left out (--omit=optional): then install again with them.',
  );
  process.exit(2);
}
const child = spawn(program, process.argv.slice(2), { stdio: 'inherit', windowsHide: true });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}
child.on('error', error => {
  console.error(`briefing: ${program} cannot be started: ${error.message}`);
  process.exit(2);
});
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code ?? 2);
  // What ended the program ends this as well.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
