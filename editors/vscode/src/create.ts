// Creates an instruction file where the user wants one: an empty edit that VS Code applies, and the file in an editor.

import * as vscode from 'vscode';
import type { Focus } from './focus';

export async function createInstructionFile(focus: Focus): Promise<void> {
  // Which harnesses read a file of each name; patterns name no file that could be created.
  const mine = new Set(focus.briefings.map(({ harness }) => harness));
  const readers = new Map<string, { titles: string[]; mine: number }>();
  for (const { id, title, instructionFiles } of focus.minesFirst) {
    for (const name of instructionFiles.filter(name => !/[*?{[]/.test(name))) {
      const known = readers.get(name) ?? { titles: [], mine: 0 };
      readers.set(name, { titles: [...known.titles, title], mine: known.mine + Number(mine.has(id)) });
    }
  }
  // What most of the user's own agents read comes first.
  const names = [...readers]
    .sort(([name, a], [other, b]) => b.mine - a.mine || b.titles.length - a.titles.length || name.localeCompare(other))
    .map(([label, { titles }]) => ({ label, detail: `read by ${titles.join(', ')}` }));
  const name = await vscode.window.showQuickPick(names, { title: 'Instruction file to create', matchOnDetail: true });
  const folder = name && (await pickFolder(focus, name.label));
  if (!folder) {
    return;
  }
  const file = vscode.Uri.joinPath(folder, name.label);
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(file, { ignoreIfExists: true });
  await vscode.workspace.applyEdit(edit);
  await vscode.window.showTextDocument(file);
}

/** The workspace folder, or a directory on the way to the file in question. */
async function pickFolder(focus: Focus, name: string): Promise<vscode.Uri | undefined> {
  const { file } = focus;
  const own = (file && vscode.workspace.getWorkspaceFolder(file)?.uri) ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  if (!own) {
    void vscode.window.showInformationMessage('Open a folder first: the file is created in it.');
    return undefined;
  }
  const folders = [own];
  if (file?.path.startsWith(`${own.path}/`)) {
    for (
      let dir = vscode.Uri.joinPath(file, '..');
      dir.path.length > own.path.length;
      dir = vscode.Uri.joinPath(dir, '..')
    ) {
      folders.push(dir);
    }
  }
  if (folders.length === 1) {
    return own;
  }
  const choice = await vscode.window.showQuickPick(
    folders.map(folder => ({ label: vscode.workspace.asRelativePath(folder, true), folder })),
    { title: `Folder for ${name}` },
  );
  return choice?.folder;
}
