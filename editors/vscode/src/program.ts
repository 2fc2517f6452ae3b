// Where the server's program is: what the user says, else the one that came with the extension, else the one on PATH.

import { execFile } from 'node:child_process';
import * as path from 'node:path';
import * as vscode from 'vscode';

/** Overrides the program that came with the extension, as the setting does. */
const VARIABLE = 'BRIEFING_SERVER';
/** How long the program may take to say its version, in milliseconds: a cold virus scanner is slow. */
const PATIENCE_MS = 15_000;

export interface Program {
  command: string;
  /** Why this one. */
  origin: string;
  /** As it says itself: `briefing 0.1.0`. */
  version: string;
}

/** There is no program that could be run; the message is for the user. */
export class NoProgram extends Error {}

/** The program to run. What the user names is not replaced by another one if it cannot be run. */
export async function findProgram(extension: vscode.Uri): Promise<Program> {
  const setting = vscode.workspace.getConfiguration('briefing').get<string | null>('server.path');
  if (setting) {
    return probe(expanded(setting), 'the setting briefing.server.path');
  }
  const variable = process.env[VARIABLE];
  if (variable) {
    return probe(variable, `the environment variable ${VARIABLE}`);
  }
  const name = process.platform === 'win32' ? 'briefing.exe' : 'briefing';
  const bundled = vscode.Uri.joinPath(extension, 'server', name).fsPath;
  if (await exists(bundled)) {
    return probe(bundled, 'the extension');
  }
  const found = await onPath(name);
  if (found) {
    return probe(found, 'PATH');
  }
  throw new NoProgram(
    `The program was not found: this build of the extension does not include it, and \`${name}\` is not on PATH. ` +
      'Install Briefing, or name it in the setting briefing.server.path.',
  );
}

async function probe(command: string, origin: string): Promise<Program> {
  const problem = (what: string) => new NoProgram(`\`${command}\` (from ${origin}) cannot be run: ${what}`);
  if (!(await exists(command))) {
    throw problem('there is no such file');
  }
  return new Promise((resolve, reject) => {
    execFile(command, ['--version'], { timeout: PATIENCE_MS, windowsHide: true }, (error, stdout, stderr) => {
      const version = stdout.trim();
      if (error) {
        const why = error.killed ? `no answer to --version within ${PATIENCE_MS / 1000} s` : error.message;
        reject(problem([why, stderr.trim()].filter(Boolean).join('; ')));
      } else if (!version.startsWith('briefing ')) {
        reject(problem(`it is not Briefing; to --version it says \`${version.slice(0, 80)}\``));
      } else {
        resolve({ command, origin, version });
      }
    });
  });
}

/** A path as people write it in settings. */
function expanded(setting: string): string {
  const home = process.env.HOME ?? process.env.USERPROFILE ?? '';
  return /^~[/\\]/.test(setting) ? path.join(home, setting.slice(2)) : setting;
}

async function onPath(name: string): Promise<string | undefined> {
  for (const dir of (process.env.PATH ?? '').split(path.delimiter).filter(dir => path.isAbsolute(dir))) {
    const file = path.join(dir, name);
    if (await exists(file)) {
      return file;
    }
  }
  return undefined;
}

async function exists(file: string): Promise<boolean> {
  try {
    const { type } = await vscode.workspace.fs.stat(vscode.Uri.file(file));
    return (type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}
