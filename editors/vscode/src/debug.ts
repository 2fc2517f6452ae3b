// What a report of a fault needs to say of the extension, the program and what is assumed. Values of variables stay here.

import * as vscode from 'vscode';
import * as protocol from './protocol';
import type { Server } from './server';
import type { Settings } from './settings';

export async function debugInformation(server: Server, settings: Settings, version: string): Promise<string> {
  const { program, phase, problem } = server;
  const status = await server.request<object>(protocol.STATUS).catch((error: unknown) => String(error));
  const { environment, ...told } = settings.forServer();
  const variables = Object.keys((environment as object | null | undefined) ?? {});
  const facts = {
    extension: version,
    program: program ? `${program.version}, ${program.command} (from ${program.origin})` : 'none',
    server: problem ? `${phase}: ${problem}` : phase,
    editor: `${vscode.env.appName} ${vscode.version} (${vscode.env.uiKind === vscode.UIKind.Web ? 'web' : 'desktop'})`,
    platform: `${process.platform} ${process.arch}, Node.js ${process.version}`,
    remote: vscode.env.remoteName ?? 'none',
    trusted: vscode.workspace.isTrusted,
    folders: vscode.workspace.workspaceFolders?.length ?? 0,
    variables: variables.join(', ') || 'none',
  };
  const lines = Object.entries(facts).map(([name, value]) => `- ${name}: ${value}`);
  const block = (value: unknown) => `\n\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\`\n`;
  return `## Briefing\n\n${lines.join('\n')}\n\n### Settings\n${block(told)}\n### Status\n${block(status)}`;
}
