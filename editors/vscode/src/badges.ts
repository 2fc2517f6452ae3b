// Badges in the Explorer: how many of the user's agents load an instruction file, and which.

import * as vscode from 'vscode';
import type { Focus } from './focus';
import { INSTRUCTION_FILES, type InstructionFile, type InstructionFiles } from './protocol';
import type { Pulse } from './pulse';
import type { Server } from './server';
import * as words from './words';

/** Files change in bursts. */
const REST_MS = 1_000;
/** A list of all files is not for free: it is rested this many times as long as the list took. */
const RESTS = 9;

export class Badges implements vscode.FileDecorationProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.changed.event;
  private readonly subscriptions: { dispose(): unknown }[];
  /** What is shown, by path. */
  private shown = new Map<string, { badge: string; tooltip: string }>();
  private resting: NodeJS.Timeout | undefined;
  private asking = false;
  private wanted = false;

  constructor(
    private readonly server: Server,
    private readonly focus: Focus,
    pulse: Pulse,
  ) {
    this.subscriptions = [
      this.changed,
      vscode.window.registerFileDecorationProvider(this),
      pulse.onDidBeat(() => this.want()),
    ];
  }

  dispose(): void {
    clearTimeout(this.resting);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const shown = uri.scheme === 'file' ? this.shown.get(uri.fsPath) : undefined;
    return shown && new vscode.FileDecoration(shown.badge, shown.tooltip);
  }

  private want(): void {
    this.wanted = true;
    if (!this.resting && !this.asking) {
      void this.update();
    }
  }

  private async update(): Promise<void> {
    this.wanted = false;
    this.asking = true;
    const [before, begun] = [this.shown, Date.now()];
    this.shown = await this.now().catch(() => before);
    const paths = [...new Set([...before.keys(), ...this.shown.keys()])];
    const others = paths.filter(path => before.get(path)?.tooltip !== this.shown.get(path)?.tooltip);
    if (others.length) {
      this.changed.fire(others.map(path => vscode.Uri.file(path)));
    }
    this.asking = false;
    const rest = Math.max(REST_MS, RESTS * (Date.now() - begun));
    this.resting = setTimeout(() => {
      this.resting = undefined;
      if (this.wanted) {
        void this.update();
      }
    }, rest);
  }

  private async now(): Promise<Map<string, { badge: string; tooltip: string }>> {
    const on = vscode.workspace.getConfiguration('briefing').get<boolean>('explorerBadges', true);
    if (!on || this.server.phase !== 'running') {
      return new Map();
    }
    const { files } = await this.server.request<InstructionFiles>(INSTRUCTION_FILES);
    return new Map(files.flatMap(file => this.badgeOf(file)));
  }

  private badgeOf({ path, harnesses }: InstructionFile): [string, { badge: string; tooltip: string }][] {
    const readers = new Map<string, string[]>();
    for (const { harness, fate, trigger } of harnesses) {
      // A rule for some files waits until one of them is read.
      const waits = fate === 'dropped' && trigger !== null && trigger !== 'session';
      if (fate !== null && (waits || words.reaches({ fate }))) {
        const how = waits || fate === 'loaded' ? words.when(trigger ?? 'session') : words.fateOf(fate).word;
        readers.set(how, [...(readers.get(how) ?? []), this.focus.titleOf(harness)]);
      }
    }
    const count = [...readers.values()].flat().length;
    const tooltip = [...readers].map(([how, titles]) => `${titles.join(', ')}: ${how}`).join(' · ');
    return count ? [[path, { badge: count > 99 ? '99' : String(count), tooltip }]] : [];
  }
}
