// The lines of the views: what each of them is, what is below it, and what it says.

import * as vscode from 'vscode';
import type { Focus } from './focus';
import type { Briefing, Source, Warning } from './protocol';
import * as words from './words';

/** Names sources in the views only, so that their decoration does not appear elsewhere. */
export const SCHEME = 'briefing-source';

/** What of the answers a view shows. */
export type Part = 'all' | 'told' | 'left-out' | 'extras';

/** A line of a view. */
export type Node =
  | { kind: 'standpoint' }
  | { kind: 'harness'; briefing: Briefing; part: Part }
  | { kind: 'source'; briefing: Briefing; source: Source; at: number }
  | { kind: 'left-out'; briefing: Briefing }
  | { kind: 'warnings'; briefing: Briefing }
  | { kind: 'whole'; briefing: Briefing }
  | { kind: 'silent'; briefings: Briefing[] }
  | { kind: 'others'; ids: string[]; part: Part }
  | { kind: 'more'; parent: Node; from: number; of: number }
  | {
      kind: 'fact';
      id: string;
      label: string;
      text: string;
      icon?: string;
      color?: string;
      open?: Place;
      run?: vscode.Command;
    };

/** A file, and a byte in it. */
export interface Place {
  path: string;
  offset?: number | undefined;
}

export function idOf(node: Node): string {
  const of = ({ harness, edition }: Briefing) => `${harness}@${edition}`;
  switch (node.kind) {
    case 'source':
      return `${of(node.briefing)}/${node.at}/${node.source.path ?? node.source.url ?? ''}`;
    case 'more':
      return `${idOf(node.parent)}/more`;
    case 'standpoint':
    case 'silent':
    case 'others':
      return node.kind;
    case 'fact':
      return node.id;
    case 'harness':
    case 'left-out':
    case 'warnings':
    case 'whole':
      return `${of(node.briefing)}/${node.kind}`;
  }
}

/** What is below a line; of agents that are not asked all the time, only once they are unfolded. */
export function childrenOf(node: Node, focus: Focus): Node[] | Promise<Node[]> {
  switch (node.kind) {
    case 'harness':
      return ofBriefing(node.briefing, node.part);
    case 'source':
      return factsOf(node.source, node.briefing, idOf(node));
    case 'left-out':
      return sourcesOf(node.briefing, 'left-out');
    case 'warnings':
      return node.briefing.warnings.map((warning, at) => factOf(warning, `${idOf(node)}/${at}`));
    case 'whole':
      return layersOf(node.briefing, idOf(node));
    case 'silent':
      return node.briefings.map(briefing => ({ kind: 'harness', briefing, part: 'all' }));
    case 'others':
      return focus
        .askAbout(node.ids)
        .then(briefings => briefings.map(briefing => ({ kind: 'harness', briefing, part: node.part })));
    case 'standpoint':
    case 'more':
    case 'fact':
      return [];
  }
}

/** The sources of a briefing that a view shows. */
export function sourcesOf(briefing: Briefing, part: Part): (Node & { kind: 'source' })[] {
  const shows = (source: Source) => {
    switch (part) {
      case 'all':
        return words.reaches(source);
      case 'told':
        return words.reaches(source) && !words.isExtra(source);
      case 'left-out':
        return !words.reaches(source);
      case 'extras':
        return words.isExtra(source) && words.reaches(source);
    }
  };
  return briefing.sources.flatMap((source, at) => (shows(source) ? [{ kind: 'source', briefing, source, at }] : []));
}

function ofBriefing(briefing: Briefing, part: Part): Node[] {
  const nodes: Node[] = [];
  const whole = part === 'all' || part === 'told';
  if (briefing.refusal && whole) {
    const { path, message } = briefing.refusal;
    const id = `${briefing.harness}@${briefing.edition}/refusal`;
    const look = { icon: 'error', color: 'charts.red' };
    nodes.push({ kind: 'fact', id, label: 'refuses to start', text: message, ...look, open: { path } });
  }
  nodes.push(...sourcesOf(briefing, part));
  if (part === 'all' && sourcesOf(briefing, 'left-out').length) {
    nodes.push({ kind: 'left-out', briefing });
  }
  if (briefing.whole.layers.length > 1 && whole) {
    nodes.push({ kind: 'whole', briefing });
  }
  if (briefing.warnings.length && whole) {
    nodes.push({ kind: 'warnings', briefing });
  }
  return nodes;
}

/** What is sent beside the instructions, one line each, with the sizes that make up the total. */
function layersOf({ whole }: Briefing, id: string): Node[] {
  return whole.layers.map(({ kind, bytes, tokens }) => {
    const text = `${words.grouped(bytes)} B ≈ ${words.grouped(tokens.value)} tokens`;
    return { kind: 'fact', id: `${id}/${kind}`, label: kind, text, icon: LAYERS[kind] ?? 'dash' };
  });
}

/** Icons of what is sent, by its kind. */
const LAYERS: Partial<Record<string, string>> = { instructions: 'book', skills: 'list-unordered', environment: 'vm' };

function factsOf(source: Source, { standpoint }: Briefing, id: string): Node[] {
  const facts: Node[] = [];
  const say = (label: string, text: string, icon: string, open?: Place) =>
    facts.push({ kind: 'fact', id: `${id}/${facts.length}`, label, text, icon, ...(open ? { open } : {}) });
  const run = { title: 'Why', command: 'briefing.whyNotLoaded', arguments: [vscode.Uri.file(source.path ?? '')] };
  const why = { kind: 'fact', id: `${id}/why`, label: 'why', text: source.reason, icon: 'question' } as const;
  facts.push(source.path === undefined ? why : { ...why, run });
  if (source.by) {
    // What reaches the model has nothing in its place: an import is there by the file that names it.
    const label = words.reaches(source) ? 'by' : 'instead';
    say(label, words.place(source.by, standpoint), 'arrow-swap', { path: source.by });
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
  if (source.fate === 'truncated' && source.path !== undefined && source.size) {
    const cut = words.cutAt(source) ?? 0;
    const [lost, all] = [source.size.bytes - words.kept(source), source.size.bytes].map(words.grouped);
    const text = `${lost ?? ''} of ${all ?? ''} bytes, from byte ${words.grouped(cut)}`;
    say('lost', text, 'warning', { path: source.path, offset: cut });
  }
  say('origin', `${source.purpose}, ${source.scope}, ${words.when(source.trigger)}`, 'info');
  return facts;
}

function factOf({ code, message, path }: Warning, id: string): Node {
  const open = path ? { open: { path } } : {};
  return { kind: 'fact', id, label: code, text: message, icon: 'warning', color: 'list.warningForeground', ...open };
}

const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;

export function itemOf(node: Node, focus: Focus): vscode.TreeItem {
  switch (node.kind) {
    case 'standpoint': {
      const { where, session, agent } = focus.standpoint;
      const how = `${session} session · ${agent}`;
      // As much as there is room for.
      const item = new vscode.TreeItem(`In ${where}`, None);
      item.description = `${session} · ${agent}`;
      item.iconPath = new vscode.ThemeIcon('rocket');
      item.command = { title: 'Choose…', command: 'briefing.choose' };
      item.tooltip = `Started in ${where} · ${how}\nA click chooses the agent, the start folder, and the kind of session.`;
      item.contextValue = 'standpoint';
      return speak(item, `Started in ${where}, ${words.plain(how)}; choose another`);
    }
    case 'harness':
      return harness(node, focus);
    case 'source':
      return source(node);
    case 'left-out': {
      const { length } = sourcesOf(node.briefing, 'left-out');
      const item = new vscode.TreeItem('Not loaded', length > 8 ? Collapsed : Expanded);
      item.description = String(length);
      item.iconPath = new vscode.ThemeIcon('circle-slash');
      return speak(item, `Not loaded: ${words.count(length, 'file')}`);
    }
    case 'warnings': {
      const { length } = node.briefing.warnings;
      const item = new vscode.TreeItem(words.count(length, 'warning'), Collapsed);
      item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
      return speak(item, words.count(length, 'warning'));
    }
    case 'whole': {
      const { whole } = node.briefing;
      const size = `${words.grouped(whole.bytes)} B ≈ ${words.grouped(whole.tokens.value)} tokens`;
      const item = new vscode.TreeItem('Total', Collapsed);
      item.description = size;
      item.tooltip = words.layers(whole);
      item.iconPath = new vscode.ThemeIcon('symbol-numeric');
      return speak(item, words.plain(`Total: ${size}`));
    }
    case 'silent': {
      const item = new vscode.TreeItem('No instruction files', Collapsed);
      const names = node.briefings.map(({ harness }) => focus.titleOf(harness)).join(', ');
      item.description = names;
      item.iconPath = new vscode.ThemeIcon('mute');
      return speak(item, `No instruction files: ${names}`);
    }
    case 'others': {
      const item = new vscode.TreeItem(`Other agents (${node.ids.length})`, Collapsed);
      item.iconPath = new vscode.ThemeIcon('ellipsis');
      item.tooltip = node.ids.map(id => focus.titleOf(id)).join(', ');
      item.contextValue = 'others';
      return speak(item, `${words.count(node.ids.length, 'other agent')}, which you do not use here`);
    }
    case 'more': {
      const item = new vscode.TreeItem(`Show ${words.grouped(node.of - node.from)} more`, None);
      item.command = { title: 'Show More', command: 'briefing.showMore', arguments: [node] };
      item.iconPath = new vscode.ThemeIcon('ellipsis');
      return speak(item, `Show ${words.plain(words.grouped(node.of - node.from))} more`);
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
      } else if (node.run) {
        item.command = node.run;
      }
      return speak(item, words.plain(`${node.label}: ${node.text}`));
    }
  }
}

function harness({ briefing, part }: Node & { kind: 'harness' }, focus: Focus): vscode.TreeItem {
  const silent = words.isSilent(briefing);
  const title = focus.titleOf(briefing.harness);
  const item = new vscode.TreeItem(title, silent || !focus.isAsked(briefing) ? Collapsed : Expanded);
  // Several editions of one agent are told apart.
  const edition = focus.briefings.filter(({ harness }) => harness === briefing.harness).length > 1;
  const counted = words.count(sourcesOf(briefing, part).length, 'file');
  const summary = part === 'left-out' || part === 'extras' ? counted : words.summary(briefing);
  item.description = [edition ? briefing.edition : '', summary].filter(Boolean).join(' · ');
  const cut = briefing.sources.some(words.isCut);
  const color = briefing.refusal ? 'charts.red' : cut ? 'charts.yellow' : 'charts.blue';
  item.iconPath = new vscode.ThemeIcon('hubot', silent ? undefined : new vscode.ThemeColor(color));
  item.contextValue = 'harness';
  return speak(item, `${title} ${words.versionOf(briefing)}: ${words.plain(summary)}`);
}

function source(node: Node & { kind: 'source' }): vscode.TreeItem {
  const { source, briefing } = node;
  const target = briefing.target !== null;
  const item = new vscode.TreeItem(words.splitName(source, briefing.standpoint).name, Collapsed);
  item.description = words.rowOf(source, briefing);
  item.iconPath = new vscode.ThemeIcon(words.iconOf(source), new vscode.ThemeColor(words.fateOf(source.fate).color));
  item.resourceUri = vscode.Uri.from({ scheme: SCHEME, path: `/${idOf(node)}`, query: source.fate });
  item.contextValue = source.path === undefined ? 'url' : source.fate === 'missing' ? 'missing' : 'file';
  if (source.path !== undefined && source.fate !== 'missing') {
    open(item, { path: source.path, offset: words.cutAt(source) });
  }
  return speak(item, words.spokenOf(source, briefing.standpoint, target));
}

/** What a screen reader says of a line. */
function speak(item: vscode.TreeItem, label: string): vscode.TreeItem {
  item.accessibilityInformation = { label };
  return item;
}

function open(item: vscode.TreeItem, place: Place): void {
  item.command = { title: 'Open', command: 'briefing.openFile', arguments: [place] };
}

export function tooltip(source: Source, { standpoint, target }: Briefing): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  const fate = words.fateText(source, standpoint, target !== null);
  text.appendMarkdown(`**${fate}** · ${words.when(source.trigger)} · ${source.scope}\n\n`);
  text.appendText(`${source.path ?? source.url ?? ''}\n`);
  text.appendText(`${source.reason}\n`);
  if (source.by) {
    text.appendText(`${words.reaches(source) ? 'by' : 'instead'}: ${words.tilde(source.by, standpoint.home)}\n`);
  }
  if (source.limit) {
    text.appendText(`limit: ${words.limitOf(source.limit)} (${source.limit.from})\n`);
  }
  return text;
}

export function about(briefing: Briefing, title: string): string {
  const { fidelity, standpoint, whole } = briefing;
  return [
    `**${title} ${words.versionOf(briefing)}** · ${words.fidelity(fidelity)}`,
    `${words.grouped(whole.bytes)} B ≈ ${words.grouped(whole.tokens.value)} tokens`,
    words.layers(whole),
    // A backtick would end the code, and what follows it may be a picture.
    `started in \`${standpoint.cwd.replaceAll('`', "'")}\` (${standpoint.session})`,
  ]
    .filter(Boolean)
    .join('\n\n');
}
