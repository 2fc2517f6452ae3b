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
  main: 'a session that you start',
  subagent: 'an agent that another agent starts',
  cron: 'a scheduled run',
  group: 'a group conversation',
  local: 'a local run without the gateway',
};

const KEY = 'briefing.assumed';
const HARNESSES = 'harnesses';
/** Words of the setting that stand for several harnesses. */
const WORDS = ['mine', 'all'];

function section(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('briefing');
}

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
      // What the editor has installed for agents is evidence of which ones are used.
      vscode.extensions.onDidChange(() => this.changed.fire()),
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

  /** The harnesses that the user chose for this workspace. */
  get chosen(): string[] | undefined {
    return section().inspect<string[]>(HARNESSES)?.workspaceValue;
  }

  /** The harnesses that the user names, with their versions; the words for several are none of them. */
  get named(): string[] {
    return section()
      .get<string[]>(HARNESSES, [])
      .filter(spec => !WORDS.includes(spec));
  }

  /** Whether the setting means a harness, which may be one of those that are used here. */
  means(harness: string, isMine: boolean): boolean {
    const specs = section().get<string[]>(HARNESSES, []);
    const mine = !specs.length || specs.includes('mine');
    return (mine && isMine) || specs.includes('all') || specs.some(spec => idOf(spec) === harness);
  }

  /** Answers for these harnesses everywhere in this workspace; nothing: for those that the user's settings say. */
  async choose(harnesses: string[] | undefined, target?: vscode.ConfigurationTarget): Promise<void> {
    const { workspaceFolders } = vscode.workspace;
    const { Global, Workspace } = vscode.ConfigurationTarget;
    await section().update(HARNESSES, harnesses, target ?? (workspaceFolders?.length ? Workspace : Global));
  }

  /**
   * Answers for the picked harnesses, of which `mine` are those that are used here. What is as it would be without a
   * choice is none, and a version that the settings name stays.
   */
  async pick(picked: string[], mine: string[], all: number, target?: vscode.ConfigurationTarget): Promise<void> {
    const isMine = picked.length === mine.length && picked.every(id => mine.includes(id));
    const ofUser = section().inspect<string[]>(HARNESSES)?.globalValue ?? [];
    if (!picked.length || isMine) {
      return this.choose(isMine && ofUser.length && target === undefined ? ['mine'] : undefined, target);
    }
    const { named } = this;
    const spec = (id: string) => named.find(spec => idOf(spec) === id) ?? id;
    return this.choose(picked.length === all ? ['all'] : picked.map(spec), target);
  }

  /** As the server's type `Settings` reads them; the server takes no field that it does not know. */
  forServer(): Record<string, unknown> {
    const user = section();
    const told: Record<string, unknown> = {};
    for (const name of Object.keys(schema.properties)) {
      // A text field that is empty says nothing.
      const value = user.get(name);
      told[name] = value === '' ? null : value;
    }
    const own = vscode.extensions.all.filter(({ packageJSON }) => !(packageJSON as { isBuiltin?: boolean }).isBuiltin);
    told.extensions = [...user.get<string[]>('extensions', []), ...own.map(({ id }) => id), vscode.env.uriScheme];
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

/** `codex` of `codex@0.169`. */
export function idOf(spec: string): string {
  return spec.split('@', 1)[0] ?? spec;
}
