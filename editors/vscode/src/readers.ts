// Who reads which line of an instruction file: marks in the gutter and the ruler for lines that one of several agents does
// not get. The hints at headings, and the words of the hover, are the server's.

import * as vscode from 'vscode';
import { READERS, type Readers as Answer } from './protocol';
import type { Pulse } from './pulse';
import type { Server } from './server';

export class Readers implements vscode.Disposable {
  private readonly mark: vscode.TextEditorDecorationType;
  private readonly subscriptions: { dispose(): unknown }[];
  /** The newest question of each document. */
  private readonly asked = new WeakMap<vscode.TextDocument, object>();
  /** The lines that are marked, for tests. */
  private readonly marked = new WeakMap<vscode.TextEditor, vscode.Range[]>();

  constructor(
    extension: vscode.Uri,
    private readonly server: Server,
    pulse: Pulse,
  ) {
    const icon = (name: string) => vscode.Uri.joinPath(extension, 'media', name);
    this.mark = vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      light: { gutterIconPath: icon('missed-light.svg') },
      dark: { gutterIconPath: icon('missed-dark.svg') },
      gutterIconSize: '100% 100%',
      overviewRulerColor: new vscode.ThemeColor('briefing.missedRuler'),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    });
    this.subscriptions = [
      this.mark,
      pulse.onDidBeat(() => this.refresh()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.refresh()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  marksOf(editor: vscode.TextEditor): vscode.Range[] {
    return this.marked.get(editor) ?? [];
  }

  private refresh(): void {
    const documents = new Set(vscode.window.visibleTextEditors.map(({ document }) => document));
    for (const document of documents) {
      if (document.uri.scheme === 'file') {
        void this.paint(document);
      }
    }
  }

  private async paint(document: vscode.TextDocument): Promise<void> {
    if (this.server.phase !== 'running') {
      return;
    }
    const question = {};
    this.asked.set(document, question);
    const { version } = document;
    const parts = await this.missed(document);
    // An answer about another text than the one that is there now would mark other lines.
    if (this.asked.get(document) !== question || document.version !== version) {
      return;
    }
    for (const editor of vscode.window.visibleTextEditors.filter(editor => editor.document === document)) {
      this.marked.set(editor, parts);
      editor.setDecorations(this.mark, parts);
    }
  }

  /** What one of several agents does not get. */
  private async missed(document: vscode.TextDocument): Promise<vscode.Range[]> {
    if (vscode.workspace.getConfiguration('briefing').get<string>('readers') === 'off') {
      return [];
    }
    const params = { textDocument: { uri: document.uri.toString() } };
    const answer = await this.server.request<Answer>(READERS, params).catch(() => undefined);
    // What nobody gets is faded already.
    const missed = answer?.parts.filter(({ told, missed }) => told.length && missed.length) ?? [];
    return missed.map(({ start, end }) => {
      // An end at the beginning of a line takes nothing of that line.
      const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
      return new vscode.Range(start.line, start.character, last, document.lineAt(last).text.length);
    });
  }
}
