// What the server is told as its settings: the user's, and over them what was chosen in the status bar.

import * as vscode from 'vscode';
import schema from '../../settings.schema.json';

/** What the user assumes of agents in this workspace, over the settings; kept by VS Code, never written to the workspace. */
export interface Assumed {
  /** An absolute path. */
  cwd?: string;
  /** By harness id. */
  sessions?: Record<string, string>;
}

export const SESSION_KINDS: Record<string, string> = {
  main: 'a session that the user started',
  subagent: 'an agent that another agent started',
  cron: 'a scheduled run',
  group: 'a conversation with several people',
  local: 'a local run, without a gateway',
};

const KEY = 'briefing.assumed';

export class Settings implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscription: vscode.Disposable;
  /** The settings of the server are others than before. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly memory: vscode.Memento) {
    this.subscription = vscode.Disposable.from(
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration('briefing')) {
          this.changed.fire();
        }
      }),
      // Settings of the workspace that were ignored now count.
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.changed.fire()),
    );
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  get assumed(): Assumed {
    return this.memory.get<Assumed>(KEY, {});
  }

  async assume(assumed: Assumed): Promise<void> {
    await this.memory.update(KEY, assumed);
    this.changed.fire();
  }

  /** As the server's type `Settings` reads them; the server takes no field that it does not know. */
  forServer(): Record<string, unknown> {
    const user = vscode.workspace.getConfiguration('briefing');
    const told: Record<string, unknown> = {};
    for (const name of Object.keys(schema.properties)) {
      told[name] = user.get(name);
    }
    const { cwd, sessions } = this.assumed;
    if (cwd !== undefined) {
      told.cwd = cwd;
    }
    if (sessions) {
      told.sessions = { ...(told.sessions as object | undefined), ...sessions };
    }
    return told;
  }
}
