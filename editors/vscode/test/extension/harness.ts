// What the tests share: a deadline for conditions, the extension's parts, and scratch files.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Api } from '../../src/api';
import type { Parts } from '../../src/commands';
import type { Badges } from '../../src/badges';
import type { Findings } from '../../src/findings';
import type { Readers } from '../../src/readers';
import type { StatusItems } from '../../src/status';

export const DEADLINE = 15_000;

/** Settles once `ask` gives `wanted`; what it gives instead is in the failure. */
export async function shows(ask: () => unknown, wanted: string): Promise<void> {
  await until(wanted, () => ask() === wanted).catch((error: unknown) => {
    assert.fail(`${(error as Error).message}; it is: ${String(ask())}`);
  });
}

/** Settles with the first value of `ask` that is one. */
export async function until<T>(what: string, ask: () => T | Promise<T>, deadline = DEADLINE): Promise<NonNullable<T>> {
  const start = Date.now();
  for (;;) {
    const value = await ask();
    if (value) {
      return value;
    }
    if (Date.now() - start > deadline) {
      assert.fail(`not in ${deadline / 1000} s: ${what}`);
    }
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

export const extension = () => {
  type Tested = Api & { parts: Parts & { status: StatusItems; findings: Findings; readers: Readers; badges: Badges } };
  const found = vscode.extensions.getExtension<Tested>('briefing.briefing');
  assert.ok(found, 'the extension is there');
  return found;
};

export async function started() {
  const api = await extension().activate();
  const { parts } = api;
  await until('the server runs', () => parts.server.phase === 'running');
  return { ...parts, api };
}

/** A workspace folder of the test window. */
export function folder(name: 'one' | 'two'): string {
  const found = vscode.workspace.workspaceFolders?.find(folder => folder.name === name);
  assert.ok(found, name);
  return found.uri.fsPath;
}

/** Writes from outside of the editor. */
export function write(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
}

export function remove(...parts: string[]): void {
  fs.rmSync(path.join(...parts), { recursive: true, force: true });
}

export async function show(...parts: string[]): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(vscode.Uri.file(path.join(...parts)), { preview: false });
}

/** Types at the end of a document. */
export async function append(editor: vscode.TextEditor, text: string): Promise<void> {
  const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
  assert.ok(await editor.edit(edit => edit.insert(end, text)));
}

export async function closeAll(): Promise<void> {
  for (const document of vscode.workspace.textDocuments) {
    // The settings file is dirty for a moment while VS Code itself writes it; it is no document of a test.
    if (document.isDirty && vscode.workspace.getWorkspaceFolder(document.uri)) {
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('workbench.action.files.revert');
    }
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}

export async function chooseNothing(): Promise<void> {
  const { settings } = (await extension().activate()).parts;
  await settings.choose(undefined);
  await settings.assume({});
}

type Line = ReturnType<Parts['views']['explorer']['outline']>[number];

/** The view as text, one line per line, indented. */
export function drawn(lines: Line[], indent = ''): string {
  return lines
    .map(({ label, description, children }) => {
      const below = drawn(children as Line[], `${indent}  `);
      return `${indent}${label}${description ? `  ${description}` : ''}\n${below}`;
    })
    .join('');
}

/** `lines` lines of 20 bytes each. */
export function rules(lines: number): string {
  return Array.from({ length: lines }, (_, at) => `- rule ${String(at).padStart(12, '0')}\n`).join('');
}
