// Packs the extension with the server's program in it, for one platform, and says how large that is.
// usage: npm run package -- [--target linux-x64] [--program PATH] [--out FILE]
// Without --program the program is built here, as it is shipped; `--program none` packs an extension that looks for it on PATH.

import { execFileSync } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

process.chdir(new URL('..', import.meta.url).pathname);
const musl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
const here = `${musl ? 'alpine' : process.platform}-${process.arch}`;
const { values } = parseArgs({
  options: {
    target: { type: 'string', default: here },
    program: { type: 'string' },
    out: { type: 'string' },
  },
});
const { GITHUB_REPOSITORY: repository, GITHUB_SHA: commit = 'HEAD' } = process.env;
const run = (command, ...args) => execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
const bundled = values.program !== 'none';
const out = values.out ?? `dist/briefing-${bundled ? values.target : 'universal'}.vsix`;

// What is packed is put together apart from what it is made of.
const stage = 'dist/stage';
await rm(stage, { recursive: true, force: true });
await mkdir(`${stage}/server`, { recursive: true });
if (bundled) {
  if (!values.program) {
    run('cargo', 'build', '--locked', '--profile', 'dist', '--manifest-path', '../../Cargo.toml');
  }
  const suffix = values.target.startsWith('win32') ? '.exe' : '';
  const program = values.program ?? `${process.env.CARGO_TARGET_DIR ?? '../../target'}/dist/briefing${suffix}`;
  const [found, wanted] = [await kindOf(program), kindFor(values.target)];
  if (found !== wanted) {
    throw new Error(`${program} is ${found}, and ${values.target} runs ${wanted}`);
  }
  await copyFile(program, `${stage}/server/briefing${suffix}`);
  await chmod(`${stage}/server/briefing${suffix}`, 0o755);
}
run(process.execPath, 'scripts/build.mjs', '--production');
for (const part of ['dist/extension.js', 'media', '.vscodeignore', 'CHANGELOG.md']) {
  await cp(part, `${stage}/${part}`, { recursive: true });
}
await writeFile(`${stage}/LICENSE.txt`, await licence());
await writeFile(`${stage}/README.md`, await page());
await writeFile(`${stage}/package.json`, JSON.stringify(await manifest(), undefined, 2));
const target = bundled ? ['--target', values.target] : [];
// A release knows where the pages are that the README leads to.
const pages = `https://github.com/${repository}/blob/${commit}/editors/vscode`;
const links = repository ? ['--baseContentUrl', pages] : ['--no-rewrite-relative-links'];
execFileSync(
  process.execPath,
  [
    ...[resolve('node_modules/@vscode/vsce/vsce'), 'package', '--no-dependencies', '--allow-missing-repository'],
    ...[...links, ...target, '--out', resolve(out)],
  ],
  { cwd: stage, stdio: ['ignore', 'ignore', 'inherit'] },
);
const megabytes = async file => ((await stat(file)).size / 1e6).toFixed(1);
console.log(
  `${out}: ${await megabytes(out)} MB; the extension alone ${await megabytes('dist/extension.js')} MB unpacked`,
);

/** The manifest as it is packed: a release knows where it comes from, and where people ask and complain. */
async function manifest() {
  const own = JSON.parse(await readFile('package.json', 'utf8'));
  const { devDependencies: _, scripts: __, ...shipped } = own;
  if (!repository) return { ...shipped, qna: false };
  const url = `https://github.com/${repository}`;
  return {
    ...shipped,
    repository: { type: 'git', url: `${url}.git`, directory: 'editors/vscode' },
    homepage: `${url}#readme`,
    bugs: { url: `${url}/issues` },
    qna: `${url}/discussions`,
  };
}

/** The README, with its pictures inside of it: so they are seen wherever it is shown, with or without a network. */
async function page() {
  const text = await readFile('README.md', 'utf8');
  const pictures = [...new Set([...text.matchAll(/\]\((screens\/[^)]+\.png)\)/g)].map(([, name]) => name))];
  let shown = text;
  for (const name of pictures) {
    // The Marketplace takes pictures from anywhere; a release has them where everybody can see them.
    const place = repository
      ? `https://raw.githubusercontent.com/${repository}/${commit}/editors/vscode/${name}`
      : `data:image/png;base64,${(await readFile(name)).toString('base64')}`;
    shown = shown.replaceAll(`](${name})`, `](${place})`);
  }
  return shown;
}

/** Both licences, one of which whoever uses it may choose. */
async function licence() {
  const texts = await Promise.all(['MIT', 'APACHE'].map(name => readFile(`../../LICENSE-${name}`, 'utf8')));
  const head = 'Briefing is licensed under the MIT License or the Apache License, Version 2.0, as you like.\n';
  return [head, ...texts].join(`\n${'-'.repeat(80)}\n\n`);
}

/** What a platform of VS Code runs. */
function kindFor(target) {
  const [system, processor] = target.split('-');
  return `${{ win32: 'a PE', darwin: 'a Mach-O' }[system] ?? 'an ELF'} program for ${processor}`;
}

/** What a program is, in the words of VS Code; from the headers of ELF, Mach-O and PE files. */
async function kindOf(program) {
  const file = await open(program);
  const { buffer: head } = await file.read(Buffer.alloc(4096), 0, 4096);
  await file.close();
  const known = {
    elf: { name: 'an ELF', at: 18, of: { 0x3e: 'x64', 0xb7: 'arm64' } },
    macho: { name: 'a Mach-O', at: 4, of: { 0x07: 'x64', 0x0c: 'arm64' } },
    pe: { name: 'a PE', at: head.readUInt32LE(0x3c) + 4, of: { 0x8664: 'x64', 0xaa64: 'arm64' } },
  };
  const magic = head.readUInt32LE(0);
  const kind = { 0x464c457f: 'elf', 0xfeedfacf: 'macho' }[magic] ?? ((magic & 0xffff) === 0x5a4d ? 'pe' : undefined);
  if (!kind) return 'no program';
  const { name, at, of } = known[kind];
  return `${name} program for ${(at < head.length - 1 && of[head.readUInt16LE(at)]) || 'another processor'}`;
}
