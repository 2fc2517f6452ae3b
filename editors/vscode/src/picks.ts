// The quick picks: harness, start folder and kind of session; what is assumed when nobody says otherwise.

import * as vscode from 'vscode';
import type { Focus } from './focus';
import * as protocol from './protocol';
import type { Server } from './server';
import { SESSION_KINDS, type Settings } from './settings';
import * as words from './words';

/** The pick behind the status: what can be chosen, and what is chosen now. */
export async function choose(focus: Focus, settings: Settings): Promise<void> {
  const { briefing } = focus;
  const { assumed } = settings;
  type Choice = vscode.QuickPickItem & { run: () => unknown };
  const choices: Choice[] = [
    {
      label: '$(hubot) Agent in the status…',
      description: briefing ? focus.titleOf(briefing.harness) : '',
      run: () => pickHarness(focus),
    },
    {
      label: '$(checklist) My agents…',
      description: focus.briefings.map(({ harness }) => focus.titleOf(harness)).join(', '),
      run: run('briefing.chooseHarnesses'),
    },
    {
      label: '$(folder) Start folder…',
      description: briefing ? words.tilde(briefing.standpoint.cwd, briefing.standpoint.home) : (assumed.cwd ?? ''),
      run: () => pickStartFolder(focus, settings),
    },
    {
      label: '$(comment-discussion) Kind of session…',
      description: briefing?.standpoint.session ?? '',
      run: () => pickSession(focus, settings),
    },
    { label: '$(list-tree) Show effective instructions', run: run('briefing.showInstructions') },
    { label: '$(open-preview) Show the exact prompt', run: run('briefing.openPreview') },
    { label: '$(graph) Context report', run: run('briefing.contextReport') },
  ];
  const choice = await vscode.window.showQuickPick(choices, { title: 'Briefing' });
  await choice?.run();
}

function run(command: string) {
  return () => vscode.commands.executeCommand(command);
}

export async function pickHarness(focus: Focus): Promise<void> {
  const choices = (focus.answer?.briefings ?? []).map(briefing => ({
    label: focus.titleOf(briefing.harness),
    description: `${briefing.edition} · ${words.summary(briefing)}`,
    harness: briefing.harness,
  }));
  const choice = await vscode.window.showQuickPick(choices, {
    title: 'Agent to show in the status',
    matchOnDescription: true,
  });
  if (choice) {
    await focus.choose(choice.harness);
  }
}

/** Which harnesses everything in this workspace is about: its setting. */
export async function pickHarnesses(
  focus: Focus,
  settings: Settings,
  server: Server,
  target?: vscode.ConfigurationTarget,
): Promise<void> {
  await server.whenRunning();
  const { mine, others } = await server.request<protocol.Roster>(protocol.ROSTER);
  const choices = [
    ...mine.map(({ harness, because: [first] }) => ({
      id: harness,
      label: focus.titleOf(harness),
      description: first ? words.evidence(first, focus.briefing?.standpoint.home ?? '') : '',
      picked: settings.means(harness, true),
    })),
    ...others.map(id => ({
      id,
      label: focus.titleOf(id),
      description: '',
      picked: settings.means(id, false),
    })),
  ];
  const picked = await vscode.window.showQuickPick(choices, {
    title: 'Which agents do you use?',
    placeHolder: 'None ticked: those found on this machine',
    canPickMany: true,
    // Whoever ticks several looks elsewhere in between; and the walkthrough takes the focus back.
    ignoreFocusOut: true,
    matchOnDescription: true,
  });
  if (picked) {
    const used = mine.map(({ harness }) => harness);
    await settings.pick(
      picked.map(({ id }) => id),
      used,
      choices.length,
      target,
    );
  }
}

export async function pickStartFolder(focus: Focus, settings: Settings): Promise<void> {
  type Choice = vscode.QuickPickItem & { cwd?: string; browse?: true };
  const choices: Choice[] = [
    { label: 'The workspace folder of the file', description: 'or the setting `briefing.cwd`' },
  ];
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const file = focus.file;
  const own = file && vscode.workspace.getWorkspaceFolder(file)?.uri;
  if (file && own) {
    // Every directory between the workspace folder and the file.
    for (let dir = vscode.Uri.joinPath(file, '..'); dir.path.startsWith(`${own.path}/`);) {
      folders.push(dir.fsPath);
      dir = vscode.Uri.joinPath(dir, '..');
    }
  }
  const now = settings.assumed.cwd;
  for (const cwd of folders) {
    choices.push({ label: vscode.workspace.asRelativePath(cwd, true), description: cwd === now ? 'now' : '', cwd });
  }
  choices.push({ label: 'Another folder…', browse: true });
  const choice = await vscode.window.showQuickPick(choices, { title: 'Folder in which the agent is started' });
  if (!choice) {
    return;
  }
  let cwd = choice.cwd;
  if (choice.browse) {
    const [picked] = (await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true })) ?? [];
    if (!picked) {
      return;
    }
    cwd = picked.fsPath;
  }
  const { sessions } = settings.assumed;
  await settings.assume({ ...(cwd === undefined ? {} : { cwd }), ...(sessions ? { sessions } : {}) });
}

export async function pickSession(focus: Focus, settings: Settings): Promise<void> {
  const harness = focus.briefing?.harness;
  if (harness === undefined) {
    return;
  }
  const now = focus.briefing?.standpoint.session;
  const kinds = focus.harnesses.find(({ id }) => id === harness)?.sessions ?? Object.keys(SESSION_KINDS);
  const choices = kinds.map(label => ({
    label,
    detail: SESSION_KINDS[label] ?? '',
    description: label === now ? 'now' : '',
  }));
  const title = `Kind of ${focus.titleOf(harness)} session`;
  const placeHolder = kinds.length > 1 ? '' : `${focus.titleOf(harness)} tells the same in every kind of session`;
  const choice = await vscode.window.showQuickPick(choices, { title, placeHolder });
  if (choice) {
    const { sessions } = settings.assumed;
    await settings.assume({ ...settings.assumed, sessions: { ...sessions, [harness]: choice.label } });
  }
}
