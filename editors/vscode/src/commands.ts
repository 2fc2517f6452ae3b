// The commands, from the palette, from menus, and from what the server offers in code lenses and hovers.

import * as vscode from 'vscode';
import { createInstructionFile } from './create';
import { pickOther, showDiff } from './diff';
import type { Focus } from './focus';
import { openAt } from './open';
import type { Page } from './page';
import * as picks from './picks';
import * as protocol from './protocol';
import { report } from './report';
import type { Server } from './server';
import { session, stepsOf } from './session';
import { idOf, type Settings } from './settings';
import { SCHEME, uriOf, type Texts } from './texts';
import type { Trace } from './trace';
import type { Node, Place, View } from './view';
import { why } from './why';
import * as words from './words';

/** What the commands work on. */
export interface Parts {
  server: Server;
  settings: Settings;
  focus: Focus;
  view: View;
  texts: Texts;
  trace: Trace;
  report: Page;
  why: Page;
  session: Page;
}

export function registerCommands(parts: Parts): vscode.Disposable {
  const { server, settings, focus, view, texts, trace } = parts;
  const commands: Record<string, (...args: never[]) => unknown> = {
    showInstructions: () => view.reveal(),
    openPreview: async (node?: Node) => openPrompt(parts, await harnessOf(focus, node), fileOf(node, focus)),
    copyPrompt: async (node?: Node) => copyPrompt(parts, await harnessOf(focus, node)),
    whyNotLoaded: (target?: Node | vscode.Uri) => showWhy(parts, target),
    compareWith: async (node?: Node) => compare(parts, await harnessOf(focus, node)),
    changedSinceCommit: async (node?: Node) => changed(parts, await harnessOf(focus, node)),
    contextReport: () => showReport(parts),
    showSession: (steps?: string) => showSession(parts, steps),
    listInstructionFiles: () => listFiles(parts),
    createInstructionFile: () => createInstructionFile(focus),
    fetchRemote: () => fetchRemote(parts),
    restartServer: () => server.restart(),
    showOutput: () => server.output.show(),
    choose: () => picks.choose(focus, settings),
    chooseHarness: () => picks.pickHarness(focus),
    chooseStartFolder: () => picks.pickStartFolder(focus, settings),
    chooseSession: () => picks.pickSession(focus, settings),
    chooseHarnesses: () => picks.pickHarnesses(focus, settings, server),
    resetHarnesses: () => settings.choose(undefined),
    pin: () => focus.pin(focus.file),
    unpin: () => focus.pin(undefined),
    refresh: () => focus.refresh(),
    openWalkthrough: () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', 'briefing.briefing#briefing.start', false),
    openFile: ({ path, offset }: Place) => openAt(vscode.Uri.file(path), offset),
    openSource: (node?: Node) => openSource(trace, node),
    showMore: (node: Node) => view.more(node),
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
        return view.reveal();
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
        return await (run as (...args: unknown[]) => unknown)(...args);
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
  const [id = '', edition] = harness.split('@');
  const name = [`${focus.titleOf(id)}${edition ? ` ${edition}` : ''}`, file?.path.split('/').pop()];
  const text = { kind: 'prompt' as const, harness, ...(file ? { file: file.toString() } : {}) };
  await openText(uriOf(name.filter(Boolean).join(' · '), text));
}

async function openText(uri: vscode.Uri): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
}

async function copyPrompt({ texts, focus }: Parts, harness: string): Promise<void> {
  const { text } = await texts.prompt(harness, focus.file?.toString());
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(`Briefing: copied ${words.grouped(Buffer.byteLength(text))} bytes`, 4_000);
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
    const about = focus.file
      ? `what agents load before they read ${vscode.workspace.asRelativePath(focus.file)}`
      : 'what agents load at the start of a session';
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

/** A path as people write it: below the workspace folder, below home, or absolute. */
function placeOf(focus: Focus, path: string): string {
  const below = vscode.workspace.asRelativePath(path);
  return below === path ? words.tilde(path, focus.briefing?.standpoint.home ?? '') : below;
}

async function showWhy(parts: Parts, about?: Node | vscode.Uri): Promise<void> {
  const { server, focus, why: page } = parts;
  let file = about instanceof vscode.Uri ? about : undefined;
  if (about && 'kind' in about && about.kind === 'source' && about.source.path !== undefined) {
    file = vscode.Uri.file(about.source.path);
  }
  file ??= await pickFile(parts, 'Why is this file not loaded?');
  if (!file) {
    return;
  }
  const asked = file;
  const target = focus.file && focus.file.toString() !== asked.toString() ? focus.file.toString() : undefined;
  const params: protocol.ExplainParams = {
    textDocument: { uri: asked.toString() },
    ...(target === undefined ? {} : { target }),
    // The question is asked from where agents are started, not from beside the file.
    ...(focus.briefing ? { cwd: vscode.Uri.file(focus.briefing.standpoint.cwd).toString() } : {}),
  };
  const name = asked.path.split('/').pop() ?? '';
  await page.open(`Why ${name}?`, async () =>
    why(asked.fsPath, name, await server.request<protocol.Explanations>(protocol.EXPLAIN, params), harness =>
      focus.titleOf(harness),
    ),
  );
}

async function listFiles(parts: Parts): Promise<void> {
  const file = await pickFile(parts, 'Instruction files');
  if (file) {
    await vscode.window.showTextDocument(file);
  }
}

/** One of the instruction files there are, with what each harness makes of it. */
async function pickFile({ server, focus }: Parts, title: string): Promise<vscode.Uri | undefined> {
  const asked = server.request<protocol.InstructionFiles>(protocol.INSTRUCTION_FILES).then(({ files }) => {
    const choices = files.map(({ path, harnesses }) => ({
      label: placeOf(focus, path),
      detail:
        harnesses
          .filter(({ fate }) => fate !== null)
          .map(({ harness, fate }) => `${focus.titleOf(harness)}: ${fate ? words.fateOf(fate).word : ''}`)
          .join(' · ') || 'no harness loads it here',
      path,
    }));
    // The file that is being looked at is probably the one that is meant; one outside of the workspace is hardly.
    const active = vscode.window.activeTextEditor?.document.uri.fsPath;
    const rank = ({ label, path }: { label: string; path: string }) =>
      path === active ? 0 : /^([~/\\]|[A-Za-z]:)/.test(label) ? 2 : 1;
    return choices.sort((a, b) => rank(a) - rank(b));
  });
  const choice = await vscode.window.showQuickPick(asked, { title, matchOnDetail: true });
  return choice && vscode.Uri.file(choice.path);
}

async function openSource(trace: Trace, node?: Node): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (node?.kind === 'source' && node.source.path !== undefined) {
    await openAt(vscode.Uri.file(node.source.path));
  } else if (editor?.document.uri.scheme === SCHEME) {
    await trace.openSource(editor);
  }
}
