// Packs the extension with the server's program in it, for one platform, and says how large that is.
// usage: npm run package -- [--target linux-x64] [--program PATH] [--out FILE]
// Without --program the program is built here, as it is shipped; `--program none` packs an extension that looks for it on PATH.

import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, open, rm, stat } from 'node:fs/promises';
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
const run = (command, ...args) => execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
const bundled = values.program !== 'none';
const out = values.out ?? `dist/briefing-${bundled ? values.target : 'universal'}.vsix`;

await rm('server', { recursive: true, force: true });
if (bundled) {
  if (!values.program) {
    run('cargo', 'build', '--locked', '--profile', 'dist', '--manifest-path', '../../Cargo.toml');
  }
  const suffix = values.target.startsWith('win32') ? '.exe' : '';
  const program = values.program ?? `../../target/dist/briefing${suffix}`;
  const found = await processorOf(program);
  if (found !== values.target.split('-')[1]) {
    throw new Error(`${program} is a program for ${found}, and not for ${values.target}`);
  }
  await mkdir('server');
  await copyFile(program, `server/briefing${suffix}`);
  await chmod(`server/briefing${suffix}`, 0o755);
}
for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) {
  await copyFile(`../../${name}`, name);
}
run(process.execPath, 'scripts/build.mjs', '--production');
const target = bundled ? ['--target', values.target] : [];
// A release knows where the pictures of the README are; elsewhere they are beside it.
const { GITHUB_REPOSITORY: repository, GITHUB_SHA: commit } = process.env;
const links = repository
  ? [
      ...['--baseContentUrl', `https://github.com/${repository}/blob/${commit}/editors/vscode`],
      ...['--baseImagesUrl', `https://raw.githubusercontent.com/${repository}/${commit}/editors/vscode`],
    ]
  : ['--no-rewrite-relative-links'];
run(
  process.execPath,
  'node_modules/@vscode/vsce/vsce',
  ...[
    'package',
    '--no-dependencies',
    '--allow-missing-repository',
    '--skip-license',
    ...target,
    ...links,
    '--out',
    out,
  ],
);
const megabytes = async file => ((await stat(file)).size / 1e6).toFixed(1);
console.log(
  `${out}: ${await megabytes(out)} MB; the extension alone ${await megabytes('dist/extension.js')} MB unpacked`,
);

/** For which processor a program is, in the words of VS Code; from the headers of ELF, Mach-O and PE files. */
async function processorOf(program) {
  const file = await open(program);
  const { buffer: head } = await file.read(Buffer.alloc(4096), 0, 4096);
  await file.close();
  const known = {
    elf: { at: 18, of: { 0x3e: 'x64', 0xb7: 'arm64' } },
    macho: { at: 4, of: { 0x07: 'x64', 0x0c: 'arm64' } },
    pe: { at: head.readUInt32LE(0x3c) + 4, of: { 0x8664: 'x64', 0xaa64: 'arm64' } },
  };
  const magic = head.readUInt32LE(0);
  const kind = { 0x464c457f: 'elf', 0xfeedfacf: 'macho' }[magic] ?? ((magic & 0xffff) === 0x5a4d ? 'pe' : undefined);
  const { at, of } = known[kind] ?? {};
  return (at < head.length - 1 && of[head.readUInt16LE(at)]) || 'another processor';
}
