// What is shown everywhere: the file in question, the harness in question, and the newest answer about them.

import * as vscode from 'vscode';
import * as protocol from './protocol';
import type { Pulse } from './pulse';
import type { Server } from './server';
import { idOf, type Settings } from './settings';
import * as words from './words';

const HARNESS = 'briefing.harness';
/** The pinned file. */
const PIN = 'briefing.pin';

export class Focus implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** There is another answer, another file or another choice. */
  readonly onDidChange = this.changed.event;

  answer: protocol.Effective | undefined;
  /** Why there is no answer, for the user. */
  problem: string | undefined;
  /** All harnesses there are, once the server has said so. */
  harnesses: protocol.Harness[] = [];

  private active: vscode.Uri | undefined;
  /** The file that was in question before. */
  private before: vscode.Uri | undefined;
  /** Files that were opened to look something up about the file in question, which they do not replace. */
  private readonly lookedUp = new Set<string>();
  private said = '';
  /** The question under way, and how often one was wanted. */
  private asking: Promise<void> | undefined;
  private wanted = 0;
  private readonly subscriptions: { dispose(): unknown }[];

  constructor(
    private readonly server: Server,
    pulse: Pulse,
    private readonly settings: Settings,
    private readonly memory: vscode.Memento,
  ) {
    this.follow(vscode.window.activeTextEditor);
    this.subscriptions = [
      this.changed,
      pulse.onDidBeat(() => void this.refresh()),
      vscode.window.onDidChangeActiveTextEditor(editor => this.follow(editor) && void this.refresh()),
      server.onDidChangePhase(() => void this.restarted()),
      settings.onDidChange(() => this.say()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** The file an agent would read; none: the start of a session. */
  get file(): vscode.Uri | undefined {
    return this.pinned ?? this.active;
  }

  get pinned(): vscode.Uri | undefined {
    const pin = this.memory.get<string>(PIN);
    return pin === undefined ? undefined : vscode.Uri.parse(pin);
  }

  async pin(file: vscode.Uri | undefined): Promise<void> {
    await this.memory.update(PIN, file?.toString());
    this.say();
    await this.refresh();
  }

  /** Asks about the file in the active editor from now on, although the pinned one may load it. */
  unpin(): Promise<void> {
    const active = vscode.window.activeTextEditor?.document.uri;
    return this.ask(active?.scheme === 'file' ? active : this.active);
  }

  /** Asks about a file that is looked at, although it is an instruction file. */
  async ask(file: vscode.Uri | undefined): Promise<void> {
    this.lookedUp.clear();
    this.take(file);
    await this.memory.update(PIN, undefined);
    this.say();
    await this.refresh();
  }

  /** The file is opened from what is shown, and changes nothing of it. */
  lookUp(file: vscode.Uri): void {
    this.lookedUp.add(file.toString());
  }

  /** The file that an agent would read where `asked` is what the question is about: the one in the editor, else the one before it. */
  targetFor(asked: vscode.Uri): vscode.Uri | undefined {
    const other = [this.file, this.before].find(file => file && file.toString() !== asked.toString());
    return other && this.isShown(other) ? undefined : other;
  }

  /** The file in question, or that there is none, as people say it. */
  get about(): string {
    if (this.file) {
      return vscode.workspace.asRelativePath(this.file);
    }
    const several = (vscode.workspace.workspaceFolders ?? []).length > 1;
    return several && this.briefing ? `start of a session in ${this.standpoint.where}` : 'start of a session';
  }

  /** When an agent is told what is shown, in a sentence. */
  get when(): string {
    return this.file ? `before it reads ${this.about}` : `at the ${this.about}`;
  }

  /** From where the agent in question is started, and how. */
  get standpoint(): { where: string; session: string; agent: string } {
    const { briefing } = this;
    if (!briefing) {
      return { where: '', session: '', agent: '' };
    }
    const { cwd, session } = briefing.standpoint;
    const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.fsPath === cwd)?.name;
    const below = vscode.workspace.asRelativePath(cwd, true);
    const where = folder ?? (below === cwd ? words.startOf(briefing.standpoint) : below);
    const agent = `${this.titleOf(briefing.harness)} ${words.versionOf(briefing)}`;
    return { where: where.endsWith('/') ? where : `${where}/`, session, agent };
  }

  /** The agents that nothing is said of unless somebody asks. */
  get others(): string[] {
    const asked = new Set(this.briefings.map(({ harness }) => harness));
    return this.harnesses.map(({ id }) => id).filter(id => !asked.has(id));
  }

  /** All harnesses, those that the user asks about first. */
  get minesFirst(): protocol.Harness[] {
    const order = this.briefings.map(({ harness }) => harness);
    const rank = ({ id }: protocol.Harness) => (order.includes(id) ? order.indexOf(id) : order.length);
    return [...this.harnesses].sort((a, b) => rank(a) - rank(b));
  }

  /** Whether nobody is told anything here, and nobody asked about an agent by its name. */
  get isSilent(): boolean {
    const { briefings } = this;
    return briefings.length > 0 && briefings.every(one => words.isSilent(one) && !this.isNamed(one.harness));
  }

  /** Whether a briefing is one of those that are always shown. */
  isAsked(briefing: protocol.Briefing): boolean {
    return this.briefings.includes(briefing);
  }

  /** What these harnesses tell about the file in question. */
  async askAbout(harness: string[]): Promise<protocol.Briefing[]> {
    const question = this.question({ harness });
    const { briefings } = await this.server.request<protocol.Effective>(protocol.EFFECTIVE_INSTRUCTIONS, question);
    return briefings;
  }

  /** Whether the user asks for the harness by name. */
  isNamed(harness: string): boolean {
    return this.settings.named.some(spec => idOf(spec) === harness);
  }

  /** What the harnesses of the setting tell. */
  get briefings(): protocol.Briefing[] {
    return this.answer?.briefings ?? [];
  }

  /** The briefing in question: of the chosen harness, else of the first one that is told something. */
  get briefing(): protocol.Briefing | undefined {
    const chosen = this.memory.get<string>(HARNESS);
    return (
      this.briefings.find(({ harness }) => harness === chosen) ??
      this.briefings.find(briefing => !words.isSilent(briefing)) ??
      this.briefings[0]
    );
  }

  /** The briefing in question, once there is an answer: a command may be what starts the extension. */
  async settled(): Promise<protocol.Briefing | undefined> {
    await this.server.whenRunning();
    if (!this.answer) {
      await this.refresh();
    }
    return this.briefing;
  }

  async choose(harness: string | undefined): Promise<void> {
    await this.memory.update(HARNESS, harness);
    this.say();
  }

  titleOf(harness: string): string {
    return this.harnesses.find(({ id }) => id === harness)?.title ?? harness;
  }

  /** The question that the file in question stands for. */
  question(more: Partial<protocol.Question> = {}): protocol.Question {
    return { ...(this.file ? { textDocument: { uri: this.file.toString() } } : {}), ...more };
  }

  /** Asks anew, once more if something happens meanwhile: a burst of events is two questions. */
  async refresh(): Promise<void> {
    if (this.server.phase === 'running') {
      this.wanted += 1;
      await (this.asking ??= this.answered());
    }
  }

  private async answered(): Promise<void> {
    for (;;) {
      const round = this.wanted;
      let answer: protocol.Effective | undefined;
      let problem: string | undefined;
      try {
        if (!this.file && !vscode.workspace.workspaceFolders?.length) {
          throw new Error('Open a folder or a file: what agents load depends on where they start.');
        }
        answer = await this.server.request<protocol.Effective>(protocol.EFFECTIVE_INSTRUCTIONS, this.question());
      } catch (error) {
        problem = (error as Error).message;
      }
      if (round === this.wanted) {
        this.asking = undefined;
        this.answer = answer;
        this.problem = problem;
        this.say();
        return;
      }
    }
  }

  private async restarted(): Promise<void> {
    if (this.server.phase === 'running') {
      const { harnesses } = await this.server
        .request<protocol.Harnesses>(protocol.HARNESSES)
        .catch(() => ({ harnesses: this.harnesses }));
      this.harnesses = harnesses;
      this.say();
    } else if (this.server.phase === 'failed') {
      this.answer = undefined;
      this.problem = this.server.problem;
      this.say();
    }
  }

  /**
   * A preview, a diff or an output channel is no file that an agent reads: the file before stays in question. So it does
   * while somebody reads the instructions for it.
   */
  private follow(editor: vscode.TextEditor | undefined): boolean {
    if (editor?.document.uri.scheme === 'file') {
      const { uri } = editor.document;
      if (this.lookedUp.has(uri.toString()) || this.isShown(uri)) {
        return false;
      }
      this.lookedUp.clear();
      this.take(uri);
    } else if (
      !editor &&
      !vscode.window.visibleTextEditors.length &&
      !vscode.window.tabGroups.activeTabGroup.activeTab
    ) {
      this.lookedUp.clear();
      this.active = undefined;
    } else {
      return false;
    }
    return this.pinned === undefined;
  }

  private take(file: vscode.Uri | undefined): void {
    if (this.active?.toString() !== file?.toString()) {
      this.before = this.active;
    }
    this.active = file;
  }

  /** Whether the answer that is shown is about a file, as one of its sources. */
  private isShown(file: vscode.Uri): boolean {
    return this.briefings.some(({ sources }) =>
      sources.some(({ path, fate }) => path === file.fsPath && fate !== 'missing'),
    );
  }

  /** Tells everybody, if there is anything new. The version of the index alone is not. */
  private say(): void {
    const now = JSON.stringify([
      this.answer?.briefings,
      this.problem,
      this.file?.toString(),
      this.memory.get(PIN),
      this.memory.get(HARNESS),
      this.settings.named,
      this.settings.chosen,
      this.server.phase,
      this.harnesses.length,
    ]);
    if (now === this.said) {
      return;
    }
    this.said = now;
    void vscode.commands.executeCommand('setContext', 'briefing.pinned', this.pinned !== undefined);
    void vscode.commands.executeCommand('setContext', 'briefing.filtered', this.settings.chosen !== undefined);
    this.changed.fire();
  }
}
