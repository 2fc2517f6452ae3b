// The language model tool: agents that live in the editor ask what the project's rules for a file are.

import * as vscode from 'vscode';
import type { Api } from './api';
import { reaches } from './words';

export const TOOL = 'briefing_effective_instructions';

interface Input {
  file?: string;
  harness?: string;
}

/** What of VS Code 1.95 is used here; the extension supports older ones, which have no tools. */
interface Tools {
  registerTool?: (
    name: string,
    tool: { invoke(options: { input: Input }, token: vscode.CancellationToken): Promise<unknown> },
  ) => vscode.Disposable;
}
interface Results {
  LanguageModelToolResult: new (parts: unknown[]) => unknown;
  LanguageModelTextPart: new (text: string) => unknown;
}

export function registerTool(api: Api): vscode.Disposable {
  const tools = vscode.lm as Tools;
  // For a while it was there, but not for everybody.
  if (!tools.registerTool || vscode.version.localeCompare('1.95', undefined, { numeric: true }) < 0) {
    return new vscode.Disposable(() => undefined);
  }
  return tools.registerTool(TOOL, {
    invoke: async ({ input }, token) => {
      const text = await answer(api, input, token);
      const { LanguageModelToolResult, LanguageModelTextPart } = vscode as unknown as Results;
      return new LanguageModelToolResult([new LanguageModelTextPart(text)]);
    },
  });
}

export async function answer(api: Api, { file, harness }: Input, token?: vscode.CancellationToken): Promise<string> {
  const { briefings } = await api.effectiveInstructions(
    file === undefined || file === '' ? undefined : fileOf(file),
    { ...(harness ? { harness } : {}), include: ['text'] },
    token,
  );
  return briefings
    .map(({ harness, edition, refusal, messages, sources }) => {
      const told = messages.filter(({ kind }) => (kind ?? 'instructions') === 'instructions');
      const lost = sources.filter(source => !reaches(source) && source.fate !== 'missing');
      return [
        `# ${harness} ${edition}`,
        refusal ? `refuses to start: ${refusal.message}` : '',
        told.length ? told.map(({ text }) => text).join('\n\n') : 'Nothing.',
        ...lost.map(({ path, url, fate, reason }) => `Not loaded: ${path ?? url ?? ''} (${fate}: ${reason})`),
      ]
        .filter(Boolean)
        .join('\n\n');
    })
    .join('\n\n');
}

/** A URI, an absolute path, or a path below the first workspace folder. */
function fileOf(name: string): vscode.Uri {
  if (name.startsWith('file:')) {
    return vscode.Uri.parse(name);
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return /^([/\\]|[A-Za-z]:)/.test(name) || !folder ? vscode.Uri.file(name) : vscode.Uri.joinPath(folder, name);
}
