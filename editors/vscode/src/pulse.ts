// One event for everything after which an answer may be another one: edits, files, folders, settings, the server itself.

import * as vscode from 'vscode';
import type { Server } from './server';
import type { Settings } from './settings';

export class Pulse implements vscode.Disposable {
  private readonly beat = new vscode.EventEmitter<void>();
  private readonly subscriptions: { dispose(): unknown }[];
  /** Ask again. Whatever happened is known to the server by now, or comes to it before the question. */
  readonly onDidBeat = this.beat.event;

  constructor(server: Server, settings: Settings) {
    const beat = () => this.beat.fire();
    // An answer may rest on any file: imports and settings name what they like. The server knows which ones matter and
    // answers from memory where none of them has changed.
    const files = vscode.workspace.createFileSystemWatcher('**/*');
    this.subscriptions = [
      this.beat,
      files,
      files.onDidChange(beat),
      files.onDidCreate(beat),
      files.onDidDelete(beat),
      server.onDidSync(beat),
      vscode.workspace.onDidChangeWorkspaceFolders(beat),
      // The editor does not watch the home directory, and the server tells only what open files are concerned by.
      vscode.window.onDidChangeWindowState(({ focused }) => focused && beat()),
      server.onDidChangeInstructions(beat),
      server.onDidChangePhase(phase => phase === 'running' && beat()),
      settings.onDidChange(() => void server.tellSettings().then(beat, beat)),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
