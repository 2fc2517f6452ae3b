// The extension for Zed, in a double of Zed: which commands it gives, and which settings it hands on.
// usage: node test.mjs COMPONENT DIRECTORY-WITH-JCO      in a scratch directory
import assert from 'node:assert/strict';
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import path from 'node:path';

const [component, jco] = process.argv.slice(2);
const out = path.resolve('zed');
await mkdir(out);
await writeFile(path.join(out, 'package.json'), '{"type": "module"}');
const made = spawnSync(path.join(jco, 'node_modules/.bin/jco'), ['transpile', component, '-o', out, '--name', 'zed', '--instantiation', 'async']);
assert.equal(made.status, 0, String(made.stderr));
const shim = createRequire(path.join(jco, 'package.json')).resolve('@bytecodealliance/preview2-shim/instantiation');
const { WASIShim } = await import(pathToFileURL(shim));
const { instantiate } = await import(pathToFileURL(path.join(out, 'zed.js')));

/** What Zed has in its settings, by category. */
let settings = {};
class Worktree {
  found = undefined;
  id() {
    return 1n;
  }
  which(program) {
    return program === 'briefing' ? this.found : undefined;
  }
  shellEnv() {
    return [['CODEX_HOME', '/h/codex']];
  }
}
class Project {
  worktreeIds() {
    return new BigUint64Array([1n]);
  }
}
const imports = {
  'get-settings': { default: (_where, category, key) => JSON.stringify(settings[category]?.[key] ?? {}) },
  worktree: { default: Worktree },
  project: { default: Project },
  'key-value-store': { default: class KeyValueStore {} },
};
for (const name of ['common', 'context-server', 'dap', 'lsp', 'process', 'slash-command']) {
  imports[`zed:extension/${name}`] = {};
}
const compiled = async name => WebAssembly.compile(await readFile(path.join(out, name)));
const wasi = new WASIShim({ sandbox: { env: { PWD: '/' } } }).getImportObject();
const extension = await instantiate(compiled, { ...wasi, ...imports });
extension.initExtension();

let failed = 0;
function it(sentence, test) {
  try {
    test();
    console.log(`ok - ${sentence}`);
  } catch (error) {
    failed += 1;
    console.log(`not ok - ${sentence}\n${error.stack}`);
  }
}
const worktree = new Worktree();

it('a program that is not there is said in words', () => {
  assert.throws(() => extension.languageServerCommand('briefing', worktree), error => /not on PATH: install it/.test(error.payload));
});
it('the server is the program on PATH, with the variables of the shell', () => {
  worktree.found = '/bin/briefing';
  const command = extension.languageServerCommand('briefing', worktree);
  assert.deepEqual(command, { command: '/bin/briefing', args: ['lsp'], env: [['CODEX_HOME', '/h/codex']] });
});
it('settings name another program, its arguments and variables', () => {
  settings = { lsp: { briefing: { binary: { path: '/x/b', arguments: ['lsp', '--stdio'], env: { A: 'b' } } } } };
  const command = extension.languageServerCommand('briefing', worktree);
  assert.deepEqual(command, { command: '/x/b', args: ['lsp', '--stdio'], env: [['CODEX_HOME', '/h/codex'], ['A', 'b']] });
});
it('settings of the server are handed on, in its section', () => {
  settings = { lsp: { briefing: { settings: { harnesses: ['codex'] }, initialization_options: { longFile: 0 } } } };
  const [section, options] = ['Workspace', 'Initialization'].map(what =>
    JSON.parse(extension[what === 'Workspace' ? 'languageServerWorkspaceConfiguration' : 'languageServerInitializationOptions']('briefing', worktree)),
  );
  assert.deepEqual([section, options], [{ briefing: { harnesses: ['codex'] } }, { longFile: 0 }]);
});
it('the same program is the MCP server', () => {
  assert.deepEqual(extension.contextServerCommand('briefing', new Project()), { command: 'briefing', args: ['mcp'], env: [] });
  settings = { context_servers: { briefing: { command: { path: '/x/b' } } } };
  assert.equal(extension.contextServerCommand('briefing', new Project()).command, '/x/b');
});
console.log(`${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
