// The view Effective Instructions: per harness what reaches the model in order, what does not, and why.

import * as vscode from 'vscode';
import type { Focus } from './focus';
import type { Briefing, Source, Warning } from './protocol';
import * as words from './words';

export const VIEW = 'briefing.instructions';
/** Names sources in the view only, so that their decoration does not appear elsewhere. */
const SCHEME = 'briefing-source';

/** A line of the view. */
export type Node =
  | { kind: 'harness'; briefing: Briefing }
  | { kind: 'source'; briefing: Briefing; source: Source; at: number }
  | { kind: 'left-out'; briefing: Briefing; sources: { source: Source; at: number }[] }
  | { kind: 'warnings'; briefing: Briefing }
  | { kind: 'silent'; briefings: Briefing[] }
  | { kind: 'more'; parent: Node; from: number }
  | { kind: 'fact'; id: string; label: string; text: string; icon?: string; color?: string; open?: Place };

/** A file, and a byte in it. */
export interface Place {
  path: string;
  offset?: number | undefined;
}

/** How the name of a source is marked, by its fate; what is not here is dimmed. */
const MARKS: Partial<Record<string, { badge?: string; tooltip?: string; color?: string }>> = {
  loaded: {},
  listed: {},
  truncated: { badge: '✂', tooltip: 'a limit cuts a part of it', color: 'list.warningForeground' },
  dropped: { badge: '✗', tooltip: 'skipped', color: 'disabledForeground' },
  unreadable: { badge: '!', tooltip: 'cannot be read', color: 'list.errorForeground' },
};

/** How many lines are shown below one line; the rest is behind a line that shows more. */
const PAGE = 500;

export class View implements vscode.TreeDataProvider<Node>, vscode.FileDecorationProvider, vscode.Disposable {
  private readonly redraw = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.redraw.event;
  private readonly redecorate = new vscode.EventEmitter<undefined>();
  readonly onDidChangeFileDecorations = this.redecorate.event;
  private readonly tree: vscode.TreeView<Node>;
  private readonly subscriptions: { dispose(): unknown }[];
  /** How many lines are shown below a line, where that is not one page. */
  private readonly pages = new Map<string, number>();

  constructor(private readonly focus: Focus) {
    this.tree = vscode.window.createTreeView(VIEW, { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.redraw,
      this.redecorate,
      this.tree,
      vscode.window.registerFileDecorationProvider(this),
      focus.onDidChange(() => this.update()),
    ];
    this.update();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  async reveal(): Promise<void> {
    await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  more(node: Node): void {
    if (node.kind === 'more') {
      this.pages.set(idOf(node.parent), node.from + PAGE);
      this.redraw.fire(undefined);
    }
  }

  /** Every line, for tests: what it says, and below it what is below it. */
  outline(node?: Node): { label: string; description: string; icon: string; children: unknown[] }[] {
    return this.getChildren(node).map(child => {
      const item = this.getTreeItem(child);
      return {
        label: typeof item.label === 'string' ? item.label : '',
        description: String(item.description ?? ''),
        icon: item.iconPath instanceof vscode.ThemeIcon ? item.iconPath.id : '',
        children: this.outline(child),
      };
    });
  }

  getChildren(node?: Node): Node[] {
    if (!node) {
      return this.harnesses();
    }
    const children = childrenOf(node);
    const shown = this.pages.get(idOf(node)) ?? PAGE;
    // One line too many is no reason for a line that says so.
    return children.length <= shown + 1
      ? children
      : [...children.slice(0, shown), { kind: 'more', parent: node, from: shown }];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = itemOf(node, this.focus);
    item.id = idOf(node);
    return item;
  }

  resolveTreeItem(item: vscode.TreeItem, node: Node): vscode.TreeItem {
    if (node.kind === 'source') {
      item.tooltip = tooltip(node.source, node.briefing);
    } else if (node.kind === 'harness') {
      item.tooltip = new vscode.MarkdownString(about(node.briefing, this.focus.titleOf(node.briefing.harness)));
    }
    return item;
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (uri.scheme !== SCHEME) {
      return undefined;
    }
    const { badge, tooltip, color } = MARKS[uri.query] ?? { color: 'disabledForeground' };
    return new vscode.FileDecoration(badge, tooltip, color ? new vscode.ThemeColor(color) : undefined);
  }

  private harnesses(): Node[] {
    const nodes: Node[] = [];
    const silent: Briefing[] = [];
    for (const briefing of this.focus.briefings) {
      // A harness that the user asked for by name is not put aside.
      if (words.isSilent(briefing) && !this.focus.isNamed(briefing.harness)) {
        silent.push(briefing);
      } else {
        nodes.push({ kind: 'harness', briefing });
      }
    }
    if (silent.length && nodes.length) {
      nodes.push({ kind: 'silent', briefings: silent });
    }
    return nodes;
  }

  /** What stands above the tree. */
  get message(): string {
    return this.tree.message ?? '';
  }

  private update(): void {
    const { file, pinned, problem, briefings, briefing } = this.focus;
    const name = file ? vscode.workspace.asRelativePath(file) : 'start of a session';
    this.tree.description = pinned ? `${name} (pinned)` : name;
    // Where there is nothing to show, the welcome content says what to do.
    const message = problem && this.focus.answer ? problem : elsewhere(file, briefing);
    if (message) {
      this.tree.message = message;
    } else {
      delete this.tree.message;
    }
    const cuts = briefings.flatMap(({ sources }) => sources.filter(words.isCut)).length;
    this.tree.badge = cuts
      ? { value: cuts, tooltip: `Briefing: limits cut ${words.count(cuts, 'instruction file')}` }
      : undefined;
    void vscode.commands.executeCommand('setContext', 'briefing.answered', this.focus.answer !== undefined);
    this.redraw.fire(undefined);
    this.redecorate.fire(undefined);
  }
}

/** Where agents are started, if that is not the workspace folder of the file. */
function elsewhere(file: vscode.Uri | undefined, briefing: Briefing | undefined): string {
  const folder = file && vscode.workspace.getWorkspaceFolder(file);
  return briefing && folder && folder.uri.fsPath !== briefing.standpoint.cwd
    ? `Started in ${words.startOf(briefing.standpoint)}`
    : '';
}

function idOf(node: Node): string {
  const of = ({ harness, edition }: Briefing) => `${harness}@${edition}`;
  switch (node.kind) {
    case 'source':
      return `${of(node.briefing)}/${node.at}/${node.source.path ?? node.source.url ?? ''}`;
    case 'more':
      return `${idOf(node.parent)}/more`;
    case 'silent':
      return 'silent';
    case 'fact':
      return node.id;
    case 'harness':
    case 'left-out':
    case 'warnings':
      return `${of(node.briefing)}/${node.kind}`;
  }
}

function childrenOf(node: Node): Node[] {
  switch (node.kind) {
    case 'harness':
      return ofBriefing(node.briefing);
    case 'source':
      return factsOf(node.source, node.briefing, idOf(node));
    case 'left-out':
      return node.sources.map(({ source, at }) => ({ kind: 'source', briefing: node.briefing, source, at }));
    case 'warnings':
      return node.briefing.warnings.map((warning, at) => factOf(warning, `${idOf(node)}/${at}`));
    case 'silent':
      return node.briefings.map(briefing => ({ kind: 'harness', briefing }));
    case 'more':
    case 'fact':
      return [];
  }
}

function ofBriefing(briefing: Briefing): Node[] {
  const nodes: Node[] = [];
  const leftOut: { source: Source; at: number }[] = [];
  if (briefing.refusal) {
    const { path, message } = briefing.refusal;
    const id = `${briefing.harness}@${briefing.edition}/refusal`;
    nodes.push({
      kind: 'fact',
      id,
      label: 'refuses to start',
      text: message,
      icon: 'error',
      color: 'charts.red',
      open: { path },
    });
  }
  briefing.sources.forEach((source, at) => {
    if (words.reaches(source)) {
      nodes.push({ kind: 'source', briefing, source, at });
    } else {
      leftOut.push({ source, at });
    }
  });
  if (leftOut.length) {
    nodes.push({ kind: 'left-out', briefing, sources: leftOut });
  }
  if (briefing.warnings.length) {
    nodes.push({ kind: 'warnings', briefing });
  }
  return nodes;
}

function factsOf(source: Source, { standpoint }: Briefing, id: string): Node[] {
  const facts: Node[] = [];
  const say = (label: string, text: string, icon: string, open?: Place) =>
    facts.push({ kind: 'fact', id: `${id}/${facts.length}`, label, text, icon, ...(open ? { open } : {}) });
  say('why', source.reason, 'question');
  if (source.by) {
    say('instead', words.place(source.by, standpoint), 'arrow-swap', { path: source.by });
  }
  if (source.limit) {
    const { from } = source.limit;
    const limit = words.limitOf(source.limit);
    if (from === 'default') {
      say('limit', `${limit}, by default`, 'dashboard');
    } else {
      say('limit', `${limit}, set in ${words.place(from, standpoint)}`, 'dashboard', { path: from });
    }
  }
  const cut = words.cutAt(source);
  if (source.fate === 'truncated' && source.path !== undefined && source.size) {
    const lost = source.size.bytes - words.kept(source);
    const text = `${words.grouped(lost)} of ${words.grouped(source.size.bytes)} bytes, from byte ${words.grouped(cut ?? 0)}`;
    say('lost', text, 'warning', { path: source.path, offset: cut });
  }
  say('origin', `${source.purpose}, ${source.scope}, ${words.when(source.trigger)}`, 'info');
  return facts;
}

function factOf(warning: Warning, id: string): Node {
  const open = warning.path == null ? {} : { open: { path: warning.path } };
  return { kind: 'fact', id, label: warning.code, text: warning.message, icon: 'warning', ...open };
}

const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;

function itemOf(node: Node, focus: Focus): vscode.TreeItem {
  switch (node.kind) {
    case 'harness': {
      const { briefing } = node;
      const silent = words.isSilent(briefing);
      const item = new vscode.TreeItem(focus.titleOf(briefing.harness), silent ? Collapsed : Expanded);
      item.description = `${briefing.edition} · ${words.summary(briefing)}`;
      const cut = briefing.sources.some(words.isCut);
      const color = briefing.refusal ? 'charts.red' : cut ? 'charts.yellow' : 'charts.blue';
      item.iconPath = new vscode.ThemeIcon('hubot', silent ? undefined : new vscode.ThemeColor(color));
      item.contextValue = 'harness';
      return item;
    }
    case 'source': {
      const { source, briefing } = node;
      const reaches = words.reaches(source);
      const item = new vscode.TreeItem(words.nameOf(source, briefing.standpoint), Collapsed);
      const winner = source.by ? `by ${words.place(source.by, briefing.standpoint)}` : '';
      const size = words.sizeOf(source);
      if (reaches) {
        // That it comes at the start is the rule, and what the icon says.
        const when = source.trigger === 'session' ? '' : words.when(source.trigger);
        const bar = words.bar(shareOf(source, briefing));
        item.description = `${[size, when].filter(Boolean).join(' · ')} ${bar}`;
      } else {
        const fate = [words.fateOf(source.fate).word, winner].filter(Boolean).join(' ');
        item.description = [fate, size].filter(Boolean).join(' · ');
      }
      item.iconPath = new vscode.ThemeIcon(
        words.iconOf(source),
        new vscode.ThemeColor(words.fateOf(source.fate).color),
      );
      item.resourceUri = vscode.Uri.from({ scheme: SCHEME, path: `/${idOf(node)}`, query: source.fate });
      item.contextValue = source.path === undefined ? 'url' : source.fate === 'missing' ? 'missing' : 'file';
      if (source.path !== undefined && source.fate !== 'missing') {
        open(item, { path: source.path, offset: words.cutAt(source) });
      }
      return item;
    }
    case 'left-out': {
      const item = new vscode.TreeItem('Not loaded', node.sources.length > 8 ? Collapsed : Expanded);
      item.description = String(node.sources.length);
      item.iconPath = new vscode.ThemeIcon('circle-slash');
      return item;
    }
    case 'warnings': {
      const { length } = node.briefing.warnings;
      const item = new vscode.TreeItem(words.count(length, 'warning'), Collapsed);
      item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
      return item;
    }
    case 'silent': {
      const item = new vscode.TreeItem('No instruction files', Collapsed);
      item.description = node.briefings.map(({ harness }) => focus.titleOf(harness)).join(', ');
      item.iconPath = new vscode.ThemeIcon('mute');
      return item;
    }
    case 'more': {
      const item = new vscode.TreeItem(`Show ${words.grouped(childrenOf(node.parent).length - node.from)} more`, None);
      item.command = { title: 'Show More', command: 'briefing.showMore', arguments: [node] };
      item.iconPath = new vscode.ThemeIcon('ellipsis');
      return item;
    }
    case 'fact': {
      const item = new vscode.TreeItem(node.label, None);
      item.description = node.text;
      item.tooltip = node.text;
      if (node.icon) {
        item.iconPath = new vscode.ThemeIcon(node.icon, node.color ? new vscode.ThemeColor(node.color) : undefined);
      }
      if (node.open) {
        open(item, node.open);
      }
      return item;
    }
  }
}

function open(item: vscode.TreeItem, place: Place): void {
  item.command = { title: 'Open', command: 'briefing.openFile', arguments: [place] };
}

/** Of the limit that the source is under, else of all that is told. */
function shareOf(source: Source, briefing: Briefing): number {
  const whole = source.limit?.unit === 'bytes' ? source.limit.value : briefing.totals.bytes;
  return whole ? words.kept(source) / whole : 0;
}

function tooltip(source: Source, { standpoint }: Briefing): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendMarkdown(`**${words.fateOf(source.fate).word}** · ${words.when(source.trigger)} · ${source.scope}\n\n`);
  text.appendText(`${source.path ?? source.url ?? ''}\n`);
  text.appendText(`${source.reason}\n`);
  if (source.by) {
    text.appendText(`instead: ${words.tilde(source.by, standpoint.home)}\n`);
  }
  if (source.limit) {
    text.appendText(`limit: ${words.limitOf(source.limit)} (${source.limit.from})\n`);
  }
  return text;
}

function about({ edition, fidelity, standpoint, totals }: Briefing, title: string): string {
  const trust = words.fidelity(fidelity);
  return [
    `**${title} ${edition}** · ${trust}`,
    `${words.grouped(totals.bytes)} B ≈ ${words.grouped(totals.tokens.value)} tokens`,
    `started in \`${standpoint.cwd}\` (${standpoint.session})`,
  ].join('\n\n');
}
