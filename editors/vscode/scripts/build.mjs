// Bundles the extension, and with `--tests` the tests that run in VS Code's extension host.

import { build } from 'esbuild';

const common = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
  logLevel: 'warning',
};
const production = process.argv.includes('--production');
await build({
  ...common,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  minify: production,
  sourcemap: !production,
});
if (process.argv.includes('--tests')) {
  await build({
    ...common,
    entryPoints: ['test/extension/index.ts'],
    outfile: 'dist/tests.js',
    // Mocha's parallel runs, which are not used here.
    logOverride: { 'require-resolve-not-external': 'silent' },
  });
}
