// Instruction files to choose from, and why one is told or not: always about the file in the editor.

import * as vscode from 'vscode';
import type { Focus } from './focus';
import type { Page } from './page';
import * as protocol from './protocol';
import type { Node } from './rows';
import type { Server } from './server';
import { why } from './why';
import * as words from './words';

interface Parts {
  server: Server;
  focus: Focus;
  why: Page;
}

/** A path as people write it: below the workspace folder, below home, or absolute. */
export function placeOf(focus: Focus, path: string): string {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.fsPath === path);
  if (folder) {
    return `${folder.name}/`;
  }
  const below = vscode.workspace.asRelativePath(path);
  return below === path ? words.tilde(path, focus.briefing?.standpoint.home ?? '') : below;
}

export async function showWhy(parts: Parts, about?: Node | vscode.Uri): Promise<void> {
  const { server, focus, why: page } = parts;
  let file = about instanceof vscode.Uri ? about : undefined;
  if (about && 'kind' in about && about.kind === 'source' && about.source.path !== undefined) {
    file = vscode.Uri.file(about.source.path);
  }
  file ??= await pickFile(parts, 'Why is it loaded or not?');
  if (!file) {
    return;
  }
  const asked = file;
  const target = focus.targetFor(asked);
  // The question is asked from where agents are started, not from beside the file.
  const cwd = focus.briefing ? { cwd: vscode.Uri.file(focus.briefing.standpoint.cwd).toString() } : {};
  const params: protocol.ExplainParams = {
    textDocument: { uri: asked.toString() },
    ...(target ? { target: target.toString() } : {}),
    ...cwd,
  };
  const question: protocol.Question = {
    ...(target ? { textDocument: { uri: target.toString() } } : {}),
    ...cwd,
    include: ['trace'],
  };
  await page.open(`Why ${asked.path.split('/').pop() ?? ''}?`, async () => {
    const [{ explanations }, { briefings }] = await Promise.all([
      server.request<protocol.Explanations>(protocol.EXPLAIN, params),
      server.request<protocol.Effective>(protocol.EFFECTIVE_INSTRUCTIONS, question),
    ]);
    return why({
      file: asked.fsPath,
      reads: target ? vscode.workspace.asRelativePath(target) : undefined,
      where: focus.standpoint.where,
      explanations,
      briefings,
      titleOf: harness => focus.titleOf(harness),
      placeOf: path => placeOf(focus, path),
    });
  });
}

export async function listFiles(parts: Parts): Promise<void> {
  const file = await pickFile(parts, 'Instruction files');
  if (file) {
    parts.focus.lookUp(file);
    await vscode.window.showTextDocument(file);
  }
}

/** One of the instruction files there are, with what each harness makes of it for the file in the editor. */
async function pickFile({ server, focus }: Parts, title: string): Promise<vscode.Uri | undefined> {
  const asked = server.request<protocol.InstructionFiles>(protocol.INSTRUCTION_FILES).then(({ files }) => {
    const choices = files.map(file => ({
      label: placeOf(focus, file.path),
      detail: readersOf(file, focus),
      path: file.path,
    }));
    // The file that is being looked at is probably the one that is meant; one outside of the workspace is hardly.
    const active = vscode.window.activeTextEditor?.document.uri.fsPath;
    const rank = ({ label, path }: { label: string; path: string }) =>
      path === active ? 0 : /^([~/\\]|[A-Za-z]:)/.test(label) ? 2 : 1;
    return choices.sort((a, b) => rank(a) - rank(b));
  });
  const choice = await vscode.window.showQuickPick(asked, { title: `${title} · ${focus.when}`, matchOnDetail: true });
  return choice && vscode.Uri.file(choice.path);
}

/** What is made of a file: as the views say it, where an agent considers it; else whether one does elsewhere. */
function readersOf({ path, harnesses }: protocol.InstructionFile, focus: Focus): string {
  const here = focus.briefings.flatMap(briefing => {
    const source = briefing.sources.find(source => source.path === path && source.fate !== 'missing');
    if (!source) {
      return [];
    }
    const word = words.fateText(source, briefing.standpoint, briefing.target !== null);
    const when = source.fate === 'loaded' && source.trigger !== 'session' ? ` ${words.when(source.trigger)}` : '';
    return [`${focus.titleOf(briefing.harness)}: ${word}${when}`];
  });
  if (here.length) {
    return here.join(' · ');
  }
  const elsewhere = harnesses.filter(({ fate }) => fate !== null && words.reaches({ fate }));
  return elsewhere.length
    ? `only for other files: ${elsewhere.map(({ harness }) => focus.titleOf(harness)).join(', ')}`
    : 'no agent loads it here';
}
