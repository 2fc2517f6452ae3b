// The views: per harness what reaches the model in order, what does not, and which skills, agents and commands are listed.

import * as vscode from 'vscode';
import type { Focus } from './focus';
import { about, childrenOf, idOf, itemOf, SCHEME, sourcesOf, tooltip, type Node, type Part } from './rows';
import type { Briefing } from './protocol';
import * as words from './words';

export type { Node, Place } from './rows';

/** The views by what they show. The one of the Explorer shows everything, to those who want it there. */
const VIEWS: Record<Part, string> = {
  told: 'briefing.instructions',
  'left-out': 'briefing.notLoaded',
  extras: 'briefing.extras',
  all: 'briefing.explorer',
};

/** How the name of a source is marked, by its fate. What is not loaded is legible all the same. */
const MARKS: Partial<Record<string, { badge?: string; tooltip?: string; color?: string }>> = {
  loaded: {},
  listed: {},
  truncated: { tooltip: 'a limit cuts a part of it', color: 'list.warningForeground' },
  unreadable: { badge: '!', tooltip: 'cannot be read', color: 'list.errorForeground' },
};

/** How many lines are shown below one line; the rest is behind a line that shows more. */
const PAGE = 500;

/** All views. */
export class Views implements vscode.FileDecorationProvider, vscode.Disposable {
  readonly instructions: View;
  readonly notLoaded: View;
  readonly extras: View;
  readonly explorer: View;
  private readonly redecorate = new vscode.EventEmitter<undefined>();
  readonly onDidChangeFileDecorations = this.redecorate.event;
  private readonly subscriptions: { dispose(): unknown }[];

  constructor(focus: Focus) {
    this.instructions = new View(focus, 'told');
    this.notLoaded = new View(focus, 'left-out');
    this.extras = new View(focus, 'extras');
    this.explorer = new View(focus, 'all');
    this.subscriptions = [
      ...this.all,
      this.redecorate,
      vscode.window.registerFileDecorationProvider(this),
      focus.onDidChange(() => this.redecorate.fire(undefined)),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  async reveal(): Promise<void> {
    await vscode.commands.executeCommand(`${VIEWS.told}.focus`);
  }

  more(node: Node): void {
    this.all.forEach(view => view.more(node));
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (uri.scheme !== SCHEME) {
      return undefined;
    }
    const { badge, tooltip, color } = MARKS[uri.query] ?? {};
    return new vscode.FileDecoration(badge, tooltip, color ? new vscode.ThemeColor(color) : undefined);
  }

  private get all(): View[] {
    return [this.instructions, this.notLoaded, this.extras, this.explorer];
  }
}

/** One view. */
export class View implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly redraw = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.redraw.event;
  private readonly tree: vscode.TreeView<Node>;
  private readonly subscription: vscode.Disposable;
  /** How many lines are shown below a line, where that is not one page. */
  private readonly pages = new Map<string, number>();

  constructor(
    private readonly focus: Focus,
    private readonly part: Part,
  ) {
    this.tree = vscode.window.createTreeView(VIEWS[part], { treeDataProvider: this, showCollapseAll: true });
    this.subscription = focus.onDidChange(() => this.update());
    this.update();
  }

  dispose(): void {
    vscode.Disposable.from(this.redraw, this.tree, this.subscription).dispose();
  }

  more(node: Node): void {
    if (node.kind === 'more') {
      this.pages.set(idOf(node.parent), node.from + PAGE);
      this.redraw.fire(undefined);
    }
  }

  /** Every line that is known, for tests: what it says, and below it what is below it. */
  outline(node?: Node): { label: string; description: string; icon: string; children: unknown[] }[] {
    const children = this.getChildren(node);
    if (children instanceof Promise) {
      return [];
    }
    return children.map(child => {
      const item = this.getTreeItem(child);
      return {
        label: typeof item.label === 'string' ? item.label : '',
        description: String(item.description ?? ''),
        icon: item.iconPath instanceof vscode.ThemeIcon ? item.iconPath.id : '',
        children: this.outline(child),
      };
    });
  }

  getChildren(node?: Node): Node[] | Promise<Node[]> {
    if (!node) {
      return this.top();
    }
    const children = childrenOf(node, this.focus);
    return children instanceof Promise ? children : this.paged(node, children);
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

  /** What stands beside the title of the view. */
  get description(): string {
    return this.tree.description ?? '';
  }

  private paged(node: Node, children: Node[]): Node[] {
    const shown = this.pages.get(idOf(node)) ?? PAGE;
    // One line too many is no reason for a line that says so.
    return children.length <= shown + 1
      ? children
      : [...children.slice(0, shown), { kind: 'more', parent: node, from: shown, of: children.length }];
  }

  private top(): Node[] {
    const { part, focus } = this;
    if (part === 'left-out' || part === 'extras') {
      const shown = focus.briefings.filter(briefing => sourcesOf(briefing, part).length);
      return shown.map(briefing => ({ kind: 'harness', briefing, part }));
    }
    const nodes: Node[] = [];
    const silent: Briefing[] = [];
    for (const briefing of focus.briefings) {
      // A harness that the user asked for by name is not put aside.
      if (words.isSilent(briefing) && !focus.isNamed(briefing.harness)) {
        silent.push(briefing);
      } else {
        nodes.push({ kind: 'harness', briefing, part });
      }
    }
    // Where there is nothing to show, the welcome content says what to do.
    if (!nodes.length) {
      return [];
    }
    if (silent.length) {
      nodes.push({ kind: 'silent', briefings: silent });
    }
    if (focus.others.length) {
      nodes.push({ kind: 'others', ids: focus.others, part });
    }
    return [{ kind: 'standpoint' }, ...nodes];
  }

  private update(): void {
    const { pinned, problem, briefings, about } = this.focus;
    const leads = this.part === 'told' || this.part === 'all';
    this.tree.description = leads ? (pinned ? `${about} (pinned)` : about) : '';
    if (leads && problem && this.focus.answer) {
      this.tree.message = problem;
    } else {
      delete this.tree.message;
    }
    const cuts = this.part === 'told' ? briefings.flatMap(({ sources }) => sources.filter(words.isCut)).length : 0;
    this.tree.badge = cuts
      ? { value: cuts, tooltip: `Briefing: limits cut ${words.count(cuts, 'instruction file')}` }
      : undefined;
    void vscode.commands.executeCommand('setContext', 'briefing.answered', this.focus.answer !== undefined);
    this.redraw.fire(undefined);
  }
}
