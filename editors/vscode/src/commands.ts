// The commands, from the palette, from menus, and from what the server offers in code lenses and hovers.

import * as vscode from 'vscode';
import type { Api } from './api';
import { createInstructionFile } from './create';
import { debugInformation } from './debug';
import { pickOther, showDiff } from './diff';
import { listFiles, placeOf, showWhy } from './files';
import { uriOfFinding } from './findings';
import type { Focus } from './focus';
import { openAt } from './open';
import type { Page } from './page';
import * as picks from './picks';
import * as protocol from './protocol';
import { showLine, showTimeline, type Recorded, type Row } from './recorded';
import { report } from './report';
import type { Server } from './server';
import { session, stepsOf } from './session';
import { idOf, type Settings } from './settings';
import { SCHEME, uriOfPrompt, type Texts } from './texts';
import { answer } from './tool';
import type { Trace } from './trace';
import type { Node, Place, Views } from './view';
import * as words from './words';

/** What the commands work on. */
export interface Parts {
  server: Server;
  settings: Settings;
  api: Api;
  focus: Focus;
  views: Views;
  texts: Texts;
  trace: Trace;
  report: Page;
  why: Page;
  session: Page;
  recorded: Recorded;
  timeline: Page;
  line: Page;
}

/** Commands with lists that end steps of the walkthrough: only once the list is closed, or the next step would close it. */
const LISTS = new Set(['chooseMyAgents', 'chooseHarnesses', 'choose', 'compareWith']);

export function registerCommands(parts: Parts, version: string): vscode.Disposable {
  const { server, settings, focus, views, texts } = parts;
  const commands: Record<string, (...args: never[]) => unknown> = {
    showInstructions: () => views.reveal(),
    openPreview: async (node?: Node) => openPrompt(parts, await harnessOf(focus, node), fileOf(node, focus)),
    attachTold: async (node?: Node) => attachTold(parts, await harnessOf(focus, node)),
    copyPrompt: async (node?: Node) => copyPrompt(parts, await harnessOf(focus, node)),
    whyNotLoaded: (target?: Node | vscode.Uri) => showWhy(parts, target),
    compareWith: async (node?: Node) => compare(parts, await harnessOf(focus, node)),
    changedSinceCommit: async (node?: Node) => changed(parts, await harnessOf(focus, node)),
    contextReport: () => showReport(parts),
    showSession: (steps?: string) => showSession(parts, steps),
    showSessions: () => parts.recorded.reveal(),
    refreshSessions: () => parts.recorded.read(),
    openSession: (row: Row) => showTimeline(server, focus, parts.timeline, row),
    inLastSession: () => showLine(server, parts.recorded, focus, parts.line),
    listInstructionFiles: () => listFiles(parts),
    createInstructionFile: () => createInstructionFile(focus),
    fetchRemote: () => fetchRemote(parts),
    explainFinding: (code?: string) => vscode.commands.executeCommand('vscode.open', uriOfFinding(code)),
    restartServer: () => server.restart(),
    showOutput: () => server.output.show(),
    showTrace: () => server.trace.show(),
    serverVersion: () => sayVersion(server),
    copyDebugInformation: async () => {
      await vscode.env.clipboard.writeText(await debugInformation(server, settings, version));
      vscode.window.setStatusBarMessage('Briefing: copied the debug information', 4_000);
    },
    choose: () => picks.choose(focus, settings),
    chooseHarness: () => picks.pickHarness(focus),
    chooseStartFolder: () => picks.pickStartFolder(focus, settings),
    chooseSession: () => picks.pickSession(focus, settings),
    chooseHarnesses: () => picks.pickHarnesses(focus, settings, server),
    chooseMyAgents: () => picks.pickHarnesses(focus, settings, server, vscode.ConfigurationTarget.Global),
    resetHarnesses: () => settings.choose(undefined),
    pin: () => focus.pin(focus.file),
    unpin: () => focus.unpin(),
    refresh: () => focus.refresh(),
    openWalkthrough: () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', 'briefing.briefing#briefing.start', false),
    openFile: ({ path, offset }: Place) => {
      focus.lookUp(vscode.Uri.file(path));
      return openAt(vscode.Uri.file(path), offset);
    },
    showFor: async (file?: vscode.Uri) => {
      await focus.ask(file ?? vscode.window.activeTextEditor?.document.uri);
      await views.reveal();
    },
    openSource: (node?: Node) => openSource(parts, node),
    showMore: (node: Node) => views.more(node),
  };
  // The commands of the server, which other editors run as they are.
  server.intercept = (command, [first, second]) => {
    const params = (typeof first === 'object' && first !== null ? first : {}) as protocol.Question & Compared;
    const uri = typeof first === 'string' ? first : params.textDocument?.uri;
    const file = uri === undefined ? focus.file : vscode.Uri.parse(uri);
    const named = typeof second === 'string' ? second : [params.harness ?? []].flat()[0];
    const harness = async () => named ?? (await harnessOf(focus));
    switch (command) {
      case 'briefing.show':
        return views.reveal();
      case 'briefing.preview':
        return uri?.startsWith(`${SCHEME}:`)
          ? openText(vscode.Uri.parse(uri))
          : harness().then(harness => openPrompt(parts, harness, file));
      case 'briefing.why':
        return showWhy(parts, file);
      case 'briefing.compare':
        return params.left && params.right
          ? showDiff(texts, focus, params.left, params.right)
          : harness().then(harness => compare(parts, harness));
      case 'briefing.report':
        return showReport(parts);
      case 'briefing.files':
        return listFiles(parts);
      case 'briefing.fetch':
        return fetchRemote(parts, params);
      default:
        return undefined;
    }
  };
  const registered = Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(`briefing.${name}`, async (...args: unknown[]) => {
      try {
        const done = await (run as (...args: unknown[]) => unknown)(...args);
        if (LISTS.has(name)) {
          void vscode.commands.executeCommand('setContext', `briefing.did.${name}`, true);
        }
        return done;
      } catch (error) {
        void vscode.window.showErrorMessage(`Briefing: ${(error as Error).message}`);
        return undefined;
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

/** Fetches the URLs behind what is shown. The server asks first, and says what came of it. */
async function fetchRemote({ server, focus }: Parts, question: protocol.Question = focus.question()): Promise<unknown> {
  if (!vscode.workspace.isTrusted) {
    throw new Error('URLs are not fetched in a workspace that is not trusted');
  }
  return server.request('workspace/executeCommand', { command: protocol.FETCH, arguments: [question] });
}

interface Compared {
  left?: protocol.Side;
  right?: protocol.Side;
}

/** The harness that a command is about, in its edition: of the line it was called on, else the one in question. */
async function harnessOf(focus: Focus, node?: Node): Promise<string> {
  const briefing = node && 'briefing' in node ? node.briefing : await focus.settled();
  if (!briefing) {
    throw new Error(focus.problem ?? 'there is no answer yet');
  }
  return `${briefing.harness}@${briefing.edition}`;
}

/** The file of the briefing that a command is about. */
function fileOf(node: Node | undefined, focus: Focus): vscode.Uri | undefined {
  if (node && 'briefing' in node) {
    const { target } = node.briefing;
    return target === null ? undefined : vscode.Uri.file(target);
  }
  return focus.file;
}

async function openPrompt({ focus }: Parts, harness: string, file: vscode.Uri | undefined): Promise<void> {
  const name = [file?.path.split('/').pop() ?? 'Start of a session', focus.titleOf(idOf(harness))];
  const text = { kind: 'prompt' as const, harness, ...(file ? { file: file.toString() } : {}) };
  await openText(uriOfPrompt(name.join(' · '), text));
}

async function openText(uri: vscode.Uri): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, {
    viewColumn: vscode.ViewColumn.Beside,
    preserveFocus: true,
    // What somebody looks at in a preview stays.
    preview: false,
  });
}

async function copyPrompt({ texts, focus }: Parts, harness: string): Promise<void> {
  const { text } = await texts.prompt(harness, focus.file?.toString());
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(`Briefing: copied ${words.grouped(Buffer.byteLength(text))} bytes`, 4_000);
}

/** Puts what an agent is told into the clipboard, as a note that can be pasted into any chat. */
async function attachTold({ api, focus }: Parts, harness: string): Promise<void> {
  const title = focus.titleOf(idOf(harness));
  const { file } = focus;
  const told = await answer(api, { harness, ...(file ? { file: file.toString() } : {}) });
  await vscode.env.clipboard.writeText(`What ${title} is told ${focus.when}:\n\n${told}\n`);
  vscode.window.setStatusBarMessage(`Briefing: copied what ${title} is told; paste it into the chat`, 4_000);
}

async function sayVersion(server: Server): Promise<void> {
  const { program } = server;
  const said = program ? `${program.version}, from ${program.origin}: ${program.command}` : server.problem;
  const copy = 'Copy Debug Information';
  if ((await vscode.window.showInformationMessage(said || 'The server has not been started.', copy)) === copy) {
    await vscode.commands.executeCommand('briefing.copyDebugInformation');
  }
}

function sideOf(focus: Focus, side: protocol.Side): protocol.Side {
  return focus.question(side) as protocol.Side;
}

async function compare({ texts, focus }: Parts, harness: string): Promise<void> {
  const other = await pickOther(focus, harness);
  if (other) {
    const [left, right] = other.revision === undefined ? [{ harness }, other] : [other, { harness }];
    await showDiff(texts, focus, sideOf(focus, left), sideOf(focus, right));
  }
}

async function changed({ texts, focus }: Parts, harness: string): Promise<void> {
  await showDiff(texts, focus, sideOf(focus, { harness, revision: 'HEAD' }), sideOf(focus, { harness }));
}

async function showReport({ server, focus, report: page }: Parts): Promise<void> {
  await page.open('Context Report', async () => {
    const { reports } = await server.request<protocol.ContextReports>(protocol.CONTEXT_REPORT, focus.question());
    const about = `What an agent loads ${focus.when}`;
    return report(
      reports,
      harness => focus.titleOf(harness),
      about,
      path => placeOf(focus, path),
    );
  });
}

/** A session of the harness in question; without steps, the files that are open are read one after the other. */
async function showSession(parts: Parts, steps?: string): Promise<void> {
  const { server, focus, session: page } = parts;
  const harness = await harnessOf(focus);
  const tabs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input));
  const open = tabs.flatMap(input => (input instanceof vscode.TabInputText ? [input.uri] : []));
  const inside = open.filter(uri => vscode.workspace.getWorkspaceFolder(uri));
  const value = inside.map(uri => `read ${vscode.workspace.asRelativePath(uri)}`).join('; ');
  const said =
    steps ??
    (await vscode.window.showInputBox({
      title: `A session of ${focus.titleOf(harness)}, step by step`,
      prompt:
        'read, edit, write, mention FILE; run DIR; skill, agent, subagent NAME; compact; resume. + joins one turn',
      value,
    }));
  if (said === undefined) {
    return;
  }
  const cwd = focus.briefing ? vscode.Uri.file(focus.briefing.standpoint.cwd) : undefined;
  const root = vscode.workspace.workspaceFolders?.[0]?.uri ?? cwd;
  const several = (vscode.workspace.workspaceFolders ?? []).length > 1;
  const uriOf = (path: string): string => {
    if (path.startsWith('/') || !root) {
      return vscode.Uri.file(path).toString();
    }
    // Where there are several folders, a path begins with the name of one.
    const [first = '', ...rest] = path.split('/');
    const folder = several ? vscode.workspace.workspaceFolders?.find(({ name }) => name === first) : undefined;
    return (folder ? vscode.Uri.joinPath(folder.uri, ...rest) : vscode.Uri.joinPath(root, path)).toString();
  };
  const named = said.split(/[;\n]/).flatMap(turn => turn.trim() || []);
  const params = {
    harness,
    include: ['text'],
    steps: stepsOf(said, uriOf),
    ...(cwd ? { cwd: cwd.toString() } : {}),
  };
  await page.open('Session', async () =>
    session(
      await server.request<protocol.Unfolded>(protocol.SESSION, params),
      focus.titleOf(idOf(harness)),
      ['start', ...named],
      path => placeOf(focus, path),
    ),
  );
}

async function openSource({ trace, focus }: Parts, node?: Node): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (node?.kind === 'source' && node.source.path !== undefined) {
    focus.lookUp(vscode.Uri.file(node.source.path));
    await openAt(vscode.Uri.file(node.source.path));
  } else if (editor?.document.uri.scheme === SCHEME) {
    await trace.openSource(editor);
  }
}
