// What other extensions get from `vscode.extensions.getExtension('briefing.briefing')?.activate()`.

import type * as vscode from 'vscode';
import * as protocol from './protocol';
import type { Pulse } from './pulse';
import type { Server } from './server';

export type { Briefing, Effective, Message, Question, Source } from './protocol';

/** Grows only; a breaking change would be another extension. */
export interface Api {
  readonly version: 1;
  /** What each harness tells an agent that reads `file`, or that starts a session; with texts where `include` says so. */
  effectiveInstructions(
    file: vscode.Uri | undefined,
    options?: Omit<protocol.Question, 'textDocument'>,
    token?: vscode.CancellationToken,
  ): Promise<protocol.Effective>;
  /** The answers for open files, or those that were asked for before, may be others now. */
  readonly onDidChangeInstructions: vscode.Event<void>;
}

export function apiOf(server: Server, pulse: Pulse): Api {
  return {
    version: 1,
    effectiveInstructions: (file, options, token) =>
      server
        .whenRunning()
        .then(() =>
          server.request<protocol.Effective>(
            protocol.EFFECTIVE_INSTRUCTIONS,
            { ...options, ...(file ? { textDocument: { uri: file.toString() } } : {}) },
            token,
          ),
        ),
    onDidChangeInstructions: pulse.onDidBeat,
  };
}
