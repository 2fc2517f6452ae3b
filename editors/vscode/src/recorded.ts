// Recorded sessions: the view, the timeline of one, and whether a line reached the last ones. Nothing is asked before somebody wants it.

import * as vscode from 'vscode';
import { placeOf } from './files';
import type { Focus } from './focus';
import { html, link, type Html, type Page } from './page';
import * as protocol from './protocol';
import type { Server } from './server';
import * as words from './words';

const VIEW = 'briefing.sessions';
/** Verdicts that call for a look; the others only say what happened. */
const BAD = new Set(['cut', 'late', 'outdated', 'unknown']);

/** A line of the view: a session, or one of its verdicts. */
export interface Row {
  audit: protocol.Audit;
  verdict?: protocol.Verdict;
}

/** The view of recorded sessions, those that go on first. */
export class Recorded implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly redraw = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.redraw.event;
  private readonly tree: vscode.TreeView<Row>;
  private readonly subscriptions: { dispose(): unknown }[];
  private audits: protocol.Audit[] | undefined;

  constructor(
    private readonly server: Server,
    private readonly focus: Focus,
  ) {
    this.tree = vscode.window.createTreeView(VIEW, { treeDataProvider: this });
    const isOn = () => vscode.workspace.getConfiguration('briefing').get('records') === 'on';
    this.subscriptions = [
      this.redraw,
      this.tree,
      this.tree.onDidChangeVisibility(({ visible }) => {
        if (visible && (this.audits !== undefined || isOn())) {
          void this.read().catch(() => undefined);
        }
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Reads the records, if the user agrees, and shows the sessions. */
  async reveal(): Promise<void> {
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    await this.read();
  }

  /** The sessions of the last week, anew. */
  async read(): Promise<protocol.Audit[]> {
    await this.server.whenRunning();
    const { sessions } = await this.server.request<protocol.Audits>(protocol.SESSIONS, {});
    this.audits = [...sessions.filter(isRunning), ...sessions.filter(audit => !isRunning(audit))];
    const older = this.audits.filter(
      audit => isRunning(audit) && audit.verdicts.some(({ code }) => code === 'outdated'),
    );
    this.tree.badge = older.length
      ? {
          value: older.length,
          tooltip: `Briefing: ${words.count(older.length, 'running session')} with older instructions`,
        }
      : undefined;
    void vscode.commands.executeCommand('setContext', 'briefing.recordsRead', true);
    this.redraw.fire(undefined);
    return this.audits;
  }

  getChildren(row?: Row): Row[] {
    if (row) {
      return row.verdict ? [] : row.audit.verdicts.map(verdict => ({ audit: row.audit, verdict }));
    }
    return (this.audits ?? []).map(audit => ({ audit }));
  }

  getTreeItem({ audit, verdict }: Row): vscode.TreeItem {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const item = verdict
      ? new vscode.TreeItem(sentence(verdict.message, this.focus), None)
      : new vscode.TreeItem(this.focus.titleOf(audit.agent), audit.verdicts.length ? Collapsed : None);
    if (verdict) {
      item.id = `${audit.record}/${audit.verdicts.indexOf(verdict)}`;
      item.iconPath = BAD.has(verdict.code)
        ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'))
        : new vscode.ThemeIcon('info');
    } else {
      const said = audit.verdicts.find(({ code }) => BAD.has(code));
      // There is little room beside a name; what is wrong with a session that goes on is to be seen.
      item.collapsibleState = said && isRunning(audit) ? Expanded : (item.collapsibleState ?? None);
      const kind = audit.parent ? 'sub-agent' : '';
      const parts = [kind, isRunning(audit) ? 'running' : since(audit), said ? sentence(said.message, this.focus) : ''];
      item.id = audit.record;
      item.description = parts.filter(Boolean).join(' · ');
      item.iconPath = isRunning(audit)
        ? new vscode.ThemeIcon('play-circle', new vscode.ThemeColor('charts.green'))
        : new vscode.ThemeIcon('history');
      item.tooltip = [
        titleOf(audit, this.focus),
        span(audit),
        audit.id,
        ...audit.verdicts.map(one => one.message),
      ].join('\n');
      item.contextValue = 'session';
    }
    item.command = { title: 'Timeline', command: 'briefing.openSession', arguments: [{ audit }] };
    return item;
  }

  /** Every line, for tests. */
  outline(): string[] {
    return this.getChildren().map(row => {
      const { label, description } = this.getTreeItem(row);
      return `${typeof label === 'string' ? label : ''}  ${String(description)}`;
    });
  }
}

/** Opens the timeline of a session. */
export async function showTimeline(server: Server, focus: Focus, page: Page, { audit }: Row): Promise<void> {
  await page.open('Recorded Session', async () => {
    const params: protocol.AuditParams = { session: audit.id };
    const { sessions } = await server.request<protocol.Audits>(protocol.AUDIT, params);
    return html`${sessions.map(one => timeline(one, focus))}`;
  });
}

/** Says whether the line under the cursor reached the last session of each agent. */
export async function showLine(server: Server, recorded: Recorded, focus: Focus, page: Page): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const line = editor ? lineOf(editor) : '';
  if (!editor || line === '') {
    throw new Error('put the cursor on a line of an instruction file that says something');
  }
  await page.open('In My Last Session?', async () => {
    const all = (await recorded.read()).filter(({ parent }) => !parent);
    const newest = [...new Set(all.map(({ agent }) => agent))].flatMap(agent =>
      all
        .filter(audit => audit.agent === agent)
        .sort((a, b) => (b.start ?? '').localeCompare(a.start ?? ''))
        .slice(0, 1),
    );
    const asked = newest.map(async audit => {
      const params: protocol.AuditParams = { session: audit.id, why: line };
      const { sessions } = await server.request<protocol.Audits>(protocol.AUDIT, params);
      return sessions.map(one => reached(one, focus));
    });
    return html`<header>
        <h1>Was this line in my last session?</h1>
        <p><code>${line}</code></p>
        <p class="quiet">
          ${placeOf(focus, editor.document.uri.fsPath)}, in the latest session of each agent of the last 7 days
        </p>
      </header>
      ${newest.length ? await Promise.all(asked) : html`<p>No session of this project is recorded in the last 7 days.</p>`}`;
  });
}

/** What is selected, or the line of the cursor without what only marks it. */
function lineOf({ document, selection }: vscode.TextEditor): string {
  const text = selection.isEmpty ? document.lineAt(selection.active.line).text : document.getText(selection);
  return text.trim().replace(/^(?:[-*+]|#+|\d+[.)])\s+/, '');
}

function isRunning({ running }: protocol.Audit): boolean {
  return running === true;
}

function titleOf({ agent, version, parent }: protocol.Audit, focus: Focus): string {
  return [focus.titleOf(agent), version, parent ? '(sub-agent)' : ''].filter(Boolean).join(' ');
}

function sentence(message: string, focus: Focus): string {
  return words.shortened(message, path => placeOf(focus, path));
}

/** When a session went on, and for how long. */
function span({ start, end }: protocol.Audit): string {
  if (!start) {
    return '';
  }
  const seconds = Math.max(0, Math.round((Date.parse(end ?? start) - Date.parse(start)) / 1000));
  const long =
    seconds < 60
      ? `${seconds} s`
      : seconds < 3600
        ? `${Math.floor(seconds / 60)} min`
        : `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${new Date(start).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}, ${long}`;
}

/** When a session began, in few letters. */
function since({ start }: protocol.Audit): string {
  if (!start) {
    return '';
  }
  const begun = new Date(start);
  const isToday = begun.toDateString() === new Date().toDateString();
  const day = isToday ? '' : begun.toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
  return [day, begun.toLocaleTimeString(undefined, { timeStyle: 'short' })].filter(Boolean).join(' ');
}

function clock(when: string | null): string {
  return when ? new Date(when).toLocaleTimeString() : '';
}

function header(audit: protocol.Audit, focus: Focus): Html {
  const where = audit.cwd ? `started in ${placeOf(focus, audit.cwd)}` : '';
  return html`<h1>${titleOf(audit, focus)} <small class="quiet">${isRunning(audit) ? 'running' : ''}</small></h1>
    <p class="quiet">${[span(audit), where, audit.id].filter(Boolean).join(' · ')}</p>`;
}

function verdicts(audit: protocol.Audit, focus: Focus): Html {
  return audit.verdicts.length
    ? html`<ul>
        ${audit.verdicts.map(
          ({ code, message }) =>
            html`<li class="${BAD.has(code) ? 'fate-truncated' : 'quiet'}">${sentence(message, focus)}</li>`,
        )}
      </ul>`
    : html``;
}

function timeline(audit: protocol.Audit, focus: Focus): Html {
  const shown = audit.steps
    .map((step, at) => ({ step, at }))
    .filter(({ step }) => step.given.length || step.gone.length || !['read', 'tool'].includes(step.kind));
  const quiet = audit.steps.length - shown.length;
  return html`<header>${header(audit, focus)}</header>
    ${verdicts(audit, focus)}
    <p class="quiet">+ reached the model, − is no longer in context, ? is not in the record</p>
    ${shown.map(({ step, at }) => section(step, at, focus))}
    ${quiet ? html`<p class="quiet">${words.count(quiet, 'step')} that brought nothing</p>` : ''}`;
}

function section(step: protocol.AuditStep, at: number, focus: Focus): Html {
  const isBack = (item: protocol.AuditText) =>
    step.given.some(({ path, name }) => (item.path ? path === item.path : !path && name === item.name));
  return html`<section class="turn">
    <h2>${at}. ${step.kind} ${step.name ? placeOf(focus, step.name) : ''} <small>${clock(step.when)}</small></h2>
    <table class="steps">
      <tbody>
        ${step.given.map(item => row(item.how === 'unknown' ? '?' : '+', item, focus))}
        ${step.gone.filter(item => !isBack(item)).map(item => row('−', item, focus))}
      </tbody>
    </table>
  </section>`;
}

function row(mark: string, item: protocol.AuditText, focus: Focus): Html {
  const name = item.path ? link(item.path, placeOf(focus, item.path)) : html`${item.name}`;
  return html`<tr>
    <td>${mark}</td>
    <td class="name">${name}</td>
    <td class="number">${item.size.bytes ? `${words.grouped(item.size.bytes)} B` : ''}</td>
    <td class="quiet">${mark === '−' ? 'no longer in context' : remark(item)}</td>
  </tr>`;
}

function remark({ how, fate, sameAsDisk }: protocol.AuditText): string {
  if (how === 'unknown') {
    return 'not in the record';
  }
  if (how === 'reconstructed') {
    return 'not in the record; from the files, which have not changed since';
  }
  return fate === 'truncated' ? 'cut' : sameAsDisk === false ? 'the file is another now' : '';
}

/** Whether and when a line reached a session, which has only what holds it. */
function reached(audit: protocol.Audit, focus: Focus): Html {
  const edits = audit.steps.flatMap(({ kind }, at) => (kind === 'edit' ? [at] : []));
  const found = audit.steps.flatMap(({ given }, at) => given.map(item => ({ item, at })));
  const unknown = audit.verdicts.filter(({ code }) => code === 'unknown');
  const said = found.map(({ item, at }) => {
    const step = audit.steps[at];
    const gone = audit.steps.findIndex(
      (other, later) =>
        later >= at && other.gone.some(({ path, name }) => (item.path ? path === item.path : name === item.name)),
    );
    const before = edits.filter(edit => edit <= at).length;
    const order = !edits.length
      ? ''
      : before
        ? `after ${words.count(before, 'edit')}, before ${edits.length - before}`
        : `before all ${words.count(edits.length, 'edit')}`;
    const how = item.how === 'reconstructed' ? ' (worked out from the files)' : '';
    return html`<li>
      ${item.path ? link(item.path, placeOf(focus, item.path)) : item.name}${how} at step ${at} of
      ${audit.steps.length - 1}, ${clock(step?.when ?? null)}: ${step?.kind ?? ''}
      ${step?.name ? placeOf(focus, step.name) : ''}<br />
      ${[order, gone < 0 ? 'still in context at the end' : `no longer in context after step ${gone}`]
        .filter(Boolean)
        .join('; ')}
    </li>`;
  });
  const verdict = found.length ? 'Yes' : unknown.length || audit.problems?.length ? 'Not known' : 'No';
  const style = found.length ? 'loaded' : verdict === 'No' ? 'dropped' : 'none';
  return html`<section>
    <h2>${titleOf(audit, focus)} <span class="badge fate-${style}">${verdict}</span></h2>
    <p class="quiet">${[isRunning(audit) ? 'running' : '', span(audit)].filter(Boolean).join(' · ')}</p>
    <ul>
      ${said} ${found.length ? '' : unknown.map(({ message }) => html`<li>${sentence(message, focus)}</li>`)}
      ${verdict === 'No' ? html`<li>nothing in the record says it</li>` : ''}
    </ul>
  </section>`;
}
