// The status of the file in question: how much of a harness's budget is spent, and what is cut.

import * as vscode from 'vscode';
import type { Focus } from './focus';
import type { Server } from './server';
import * as words from './words';

/** The commands that the tooltip leads to. */
const LINKED = ['showInstructions', 'choose', 'openPreview', 'restartServer', 'showOutput', 'serverVersion'];

export class StatusItems implements vscode.Disposable {
  private readonly language = vscode.languages.createLanguageStatusItem('briefing.status', { scheme: 'file' });
  private readonly bar = vscode.window.createStatusBarItem('briefing.status', vscode.StatusBarAlignment.Right, 90);
  private readonly subscriptions: { dispose(): unknown }[];

  constructor(
    private readonly server: Server,
    private readonly focus: Focus,
  ) {
    this.language.name = 'Briefing';
    this.bar.name = 'Briefing';
    this.subscriptions = [
      this.language,
      this.bar,
      focus.onDidChange(() => this.update()),
      server.onDidChangePhase(() => this.update()),
      vscode.workspace.onDidChangeConfiguration(event => event.affectsConfiguration('briefing') && this.update()),
    ];
    this.update();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** What is said, for tests. */
  get text(): string {
    return this.language.text;
  }

  private update(): void {
    const { text, detail, severity, command } = this.said();
    const busy = this.server.phase === 'starting';
    Object.assign(this.language, { text, detail, severity, command, busy });
    const icon = busy ? 'loading~spin' : severity === vscode.LanguageStatusSeverity.Error ? 'error' : 'hubot';
    this.bar.text = `$(${icon}) ${text}`;
    this.bar.tooltip = this.tooltip(detail);
    this.bar.command = command;
    const spoken = `Briefing: ${words.plain([text, detail].filter(Boolean).join(', '))}`;
    this.bar.accessibilityInformation = { label: spoken, role: 'button' };
    this.language.accessibilityInformation = { label: spoken };
    this.bar.backgroundColor =
      severity === vscode.LanguageStatusSeverity.Error
        ? new vscode.ThemeColor('statusBarItem.errorBackground')
        : undefined;
    if (vscode.workspace.getConfiguration('briefing').get<boolean>('statusBar', true)) {
      this.bar.show();
    } else {
      this.bar.hide();
    }
  }

  private said(): {
    text: string;
    detail: string;
    severity: vscode.LanguageStatusSeverity;
    command: vscode.Command;
  } {
    const { Information, Warning, Error } = vscode.LanguageStatusSeverity;
    const restart = { title: 'Restart', command: 'briefing.restartServer' };
    const choose = { title: 'Choose…', command: 'briefing.choose' };
    if (this.server.phase === 'failed') {
      return { text: 'Briefing is stopped', detail: this.server.problem, severity: Error, command: restart };
    }
    if (this.server.isHung) {
      const detail = 'The Briefing server does not answer.';
      return { text: 'Briefing does not answer', detail, severity: Error, command: restart };
    }
    const briefing = this.focus.briefing;
    if (!briefing) {
      const detail = this.focus.problem ?? '';
      return { text: 'Briefing', detail, severity: Information, command: choose };
    }
    if (this.focus.isSilent) {
      const create = { title: 'Create…', command: 'briefing.createInstructionFile' };
      const detail = 'No agent loads instructions here.';
      return { text: 'No instructions', detail, severity: Information, command: create };
    }
    const { standpoint } = briefing;
    return {
      text: `${this.focus.titleOf(briefing.harness)} ${words.summary(briefing)}`,
      detail: briefing.refusal?.message ?? `started in ${words.startOf(standpoint)} (${standpoint.session})`,
      severity: briefing.refusal || briefing.sources.some(words.isCut) ? Warning : Information,
      command: choose,
    };
  }

  private tooltip(detail: string): vscode.MarkdownString {
    const text = new vscode.MarkdownString('', true);
    const link = (title: string, name: string) => `[${title}](command:briefing.${name})`;
    const offered = (...links: string[]) => text.appendMarkdown(`\n\n${links.join(' · ')}`);
    text.isTrusted = { enabledCommands: LINKED.map(name => `briefing.${name}`) };
    if (this.server.phase === 'failed') {
      text.appendText(detail);
      offered(link('Restart', 'restartServer'), link('Output', 'showOutput'), link('Version', 'serverVersion'));
      return text;
    }
    for (const briefing of this.focus.briefings) {
      if (!words.isSilent(briefing)) {
        text.appendMarkdown(`**${this.focus.titleOf(briefing.harness)}** ${words.summary(briefing)}\n\n`);
      }
    }
    text.appendText(detail);
    offered(link('Instructions', 'showInstructions'), link('Prompt', 'openPreview'), link('Choose…', 'choose'));
    return text;
  }
}
