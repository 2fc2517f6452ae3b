// Opens a file at a byte.

import * as vscode from 'vscode';

/** Shows `file`, at the byte `offset` if one is given. */
export async function openAt(file: vscode.Uri, offset?: number, options: vscode.TextDocumentShowOptions = {}) {
  const document = await vscode.workspace.openTextDocument(file);
  const place = offset === undefined ? undefined : await positionAt(document, offset);
  const editor = await vscode.window.showTextDocument(document, {
    preview: true,
    ...options,
    ...(place ? { selection: new vscode.Range(place, place) } : {}),
  });
  if (place) {
    editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

/** The position of a byte of the file. A byte order mark, which the editor hides, counts. */
export async function positionAt(document: vscode.TextDocument, offset: number): Promise<vscode.Position> {
  const bytes = document.isDirty
    ? Buffer.from(document.getText())
    : Buffer.from(await vscode.workspace.fs.readFile(document.uri));
  const before = new TextDecoder().decode(bytes.subarray(0, offset), { stream: true });
  return document.positionAt(before.length - lineEndings(before, document));
}

/** Where the file mixes line endings, the editor has made them equal: by how many units `text` is longer in the file. */
function lineEndings(text: string, document: vscode.TextDocument): number {
  const carriages = text.match(/\r\n/g)?.length ?? 0;
  const lines = text.match(/\r\n|\r|\n/g)?.length ?? 0;
  return document.eol === vscode.EndOfLine.LF ? carriages : carriages - lines;
}
