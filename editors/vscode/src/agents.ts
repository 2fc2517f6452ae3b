// For agents that live in the editor: the same answers over the Model Context Protocol, from the program that runs already.

import * as vscode from 'vscode';
import type { Server } from './server';

/** As the manifest declares it. */
const PROVIDER = 'briefing.mcp';

/** What of VS Code 1.101 is used here; the extension supports older ones. */
interface Models {
  registerMcpServerDefinitionProvider?: (
    id: string,
    provider: {
      onDidChangeMcpServerDefinitions: vscode.Event<void>;
      provideMcpServerDefinitions(): unknown[];
    },
  ) => vscode.Disposable;
}
type Definition = new (label: string, command: string, args: string[], env?: object, version?: string) => unknown;

/** The servers that agents may start: the program that answers the editor, once it is known. */
export function definitions(server: Server): unknown[] {
  const { McpStdioServerDefinition } = vscode as unknown as { McpStdioServerDefinition?: Definition };
  const { program } = server;
  return McpStdioServerDefinition && program
    ? [new McpStdioServerDefinition('Briefing', program.command, ['mcp'], {}, program.version)]
    : [];
}

export function registerMcp(server: Server): vscode.Disposable {
  const { registerMcpServerDefinitionProvider } = vscode.lm as unknown as Models;
  if (!registerMcpServerDefinitionProvider) {
    return new vscode.Disposable(() => undefined);
  }
  const changed = new vscode.EventEmitter<void>();
  return vscode.Disposable.from(
    changed,
    server.onDidChangePhase(phase => phase === 'running' && changed.fire()),
    registerMcpServerDefinitionProvider.call(vscode.lm, PROVIDER, {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => definitions(server),
    }),
  );
}
