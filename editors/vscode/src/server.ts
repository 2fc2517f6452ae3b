// The server's process: found, started, started again when it dies, and given up when it keeps dying.

import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  State,
  type LanguageClientOptions,
} from 'vscode-languageclient/node';
import { traceChannel } from './channel';
import { findProgram, type Program } from './program';
import * as protocol from './protocol';
import type { Settings } from './settings';

/** So many deaths within this time are a loop. */
const DEATHS = 5;
const WITHIN_MS = 3 * 60_000;
/** A server that gives no answer for so long is asked whether it is there, and has so long to say so. */
const PATIENCE_MS = 7_000;
const PROBE_MS = 2_500;

export type Phase = 'stopped' | 'starting' | 'running' | 'failed';

/** What the server asks the editor to run: the command with its one argument. */
export type Intercept = (command: string, args: unknown[]) => Promise<unknown> | undefined;

/** What goes wrong stands in the output; what the user has to know of it is said once, and not by the client. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Server implements vscode.Disposable {
  /** Kept for the whole life of the extension, so that the reason of a crash can be read after it. */
  readonly output = vscode.window.createOutputChannel('Briefing', { log: true });
  /** Every message between the editor and the server, where the setting wants it. */
  readonly trace = traceChannel();
  /** Commands of the server that the extension answers better than with JSON. */
  intercept: Intercept = () => undefined;

  private readonly phaseChanged = new vscode.EventEmitter<Phase>();
  private readonly instructionsChanged = new vscode.EventEmitter<protocol.DidChangeInstructions>();
  private readonly synced = new vscode.EventEmitter<void>();
  /** The server was told what the editor shows; the editor's own events come before that. */
  readonly onDidSync = this.synced.event;
  readonly onDidChangePhase = this.phaseChanged.event;
  readonly onDidChangeInstructions = this.instructionsChanged.event;

  private client: LanguageClient | undefined;
  private current: Phase = 'stopped';
  private deaths: number[] = [];
  /** Counts starts; what belongs to an older one is of no interest any more. */
  private round = 0;
  private reason = '';
  private found: Program | undefined;
  /** A message that it is not running, or does not answer, stands on the screen. */
  private complained = false;
  /** It runs, and does not answer. */
  private hung = false;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly settings: Settings,
  ) {
    // Another program is another server.
    this.subscription = vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration('briefing.server.path')) {
        this.output.info('the setting briefing.server.path has changed');
        void this.restart();
      }
    });
  }

  dispose(): void {
    this.round += 1;
    void this.stop();
    this.phaseChanged.dispose();
    this.instructionsChanged.dispose();
    this.synced.dispose();
    this.subscription.dispose();
    this.output.dispose();
    this.trace.dispose();
  }

  get phase(): Phase {
    return this.current;
  }

  /** The program that runs, or ran last. */
  get program(): Program | undefined {
    return this.found;
  }

  /** Whether it runs and does not answer. */
  get isHung(): boolean {
    return this.hung;
  }

  /** Why it is not running, for the user. */
  get problem(): string {
    return this.reason;
  }

  /** The first start and every later one. */
  async restart(): Promise<void> {
    this.deaths = [];
    await this.start();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // A server that does not answer any more is killed by the client.
    await client?.dispose(2_000).catch(() => undefined);
  }

  /** Settles once the server runs, or is known not to. */
  async whenRunning(): Promise<void> {
    while (this.current === 'starting') {
      await new Promise<void>(resolve => {
        const subscription = this.onDidChangePhase(() => {
          subscription.dispose();
          resolve();
        });
      });
    }
  }

  async request<R>(method: string, params?: object, token?: vscode.CancellationToken): Promise<R> {
    const client = this.client;
    if (!client || this.current !== 'running') {
      throw new Error(this.reason || 'The Briefing server is not running.');
    }
    const given: unknown[] = [params, token].filter(one => one !== undefined);
    const asked = (client.sendRequest as (method: string, ...given: unknown[]) => Promise<R>).call(
      client,
      method,
      ...given,
    );
    return this.patiently(client, asked);
  }

  /** Finds out whether the server hangs, where an answer takes long: some questions take their time, others wait for the user. */
  private async patiently<R>(client: LanguageClient, asked: Promise<R>): Promise<R> {
    const timer = setTimeout(() => void this.probe(client), PATIENCE_MS);
    try {
      return await asked;
    } finally {
      clearTimeout(timer);
    }
  }

  private async probe(client: LanguageClient): Promise<void> {
    const isCurrent = () => this.client === client;
    const timer = setTimeout(() => isCurrent() && this.hangs(), PROBE_MS);
    // Also if the answer is an error, the server is there.
    await client.sendRequest(protocol.STATUS).catch(() => undefined);
    clearTimeout(timer);
    if (isCurrent() && this.hung) {
      this.answers();
    }
  }

  private hangs(): void {
    if (!this.hung) {
      this.hung = true;
      this.output.error('the server does not answer');
      this.phaseChanged.fire(this.current);
      this.complain('The Briefing server does not answer.');
    }
  }

  private answers(): void {
    this.hung = false;
    this.uncomplain();
    this.phaseChanged.fire(this.current);
  }

  /** Tells the server its settings. Requests that are sent afterwards are answered by them. */
  async tellSettings(): Promise<void> {
    if (this.client && this.current === 'running') {
      await this.client.sendNotification('workspace/didChangeConfiguration', this.allSettings());
    }
  }

  private async start(): Promise<void> {
    const round = (this.round += 1);
    const given = () => round !== this.round;
    this.hung = false;
    this.enter('starting', 'The Briefing server is starting.');
    await this.stop();
    if (given()) {
      return;
    }
    let program: Program;
    this.found = undefined;
    try {
      program = await findProgram(this.extension);
    } catch (error) {
      if (!given()) {
        this.fail((error as Error).message);
      }
      return;
    }
    if (given()) {
      return;
    }
    this.found = program;
    this.output.info(`starting ${program.command} (${program.version}, from ${program.origin})`);
    const client = this.clientOf(program);
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (given()) {
        return;
      }
      if (newState === State.Running) {
        this.enter('running', '');
        this.uncomplain();
      } else if (newState === State.Stopped || newState === State.StartFailed) {
        void this.died(client);
      }
    });
    client.onNotification(protocol.DID_CHANGE_INSTRUCTIONS, (change: protocol.DidChangeInstructions) =>
      this.instructionsChanged.fire(change),
    );
    const slow = setTimeout(() => !given() && this.hangs(), PATIENCE_MS + PROBE_MS);
    client.onDidChangeState(({ newState }) => newState === State.Starting || clearTimeout(slow));
    // The change of state tells whether it worked.
    await client.start().catch((error: unknown) => this.output.error(String(error)));
  }

  /** Without its process a client is of no use; the next start makes another one. */
  private async died(client: LanguageClient): Promise<void> {
    if (this.client !== client) {
      return;
    }
    this.client = undefined;
    const now = Date.now();
    this.deaths = [...this.deaths.filter(then => now - then < WITHIN_MS), now];
    this.output.error(`the server has stopped by itself (${this.deaths.length} of ${DEATHS})`);
    void client.dispose().catch(() => undefined);
    if (this.deaths.length < DEATHS) {
      await this.start();
    } else {
      this.fail(`The Briefing server crashed ${DEATHS} times within ${WITHIN_MS / 60_000} minutes and stays stopped.`);
    }
  }

  private fail(problem: string): void {
    this.output.error(problem);
    this.enter('failed', problem);
    this.complain(problem);
  }

  /** Says once what is wrong, with what can be done about it. */
  private complain(problem: string): void {
    const restart = 'Restart';
    const output = 'Show Output';
    const settings = 'Open Settings';
    this.complained = true;
    void vscode.window.showErrorMessage(`Briefing: ${problem}`, restart, output, settings).then(choice => {
      this.complained = false;
      switch (choice) {
        case restart:
          return this.restart();
        case output:
          this.output.show();
          return undefined;
        case settings:
          return vscode.commands.executeCommand('workbench.action.openSettings', 'briefing.server.path');
        case undefined:
          return undefined;
      }
    });
  }

  /** Takes the message that it is not running off the screen: now it runs. */
  private uncomplain(): void {
    if (this.complained) {
      this.complained = false;
      void vscode.commands.executeCommand('notifications.hideToasts');
    }
  }

  private enter(phase: Phase, reason: string): void {
    this.current = phase;
    this.reason = reason;
    void vscode.commands.executeCommand('setContext', 'briefing.phase', phase);
    this.phaseChanged.fire(phase);
  }

  private clientOf(program: Program): LanguageClient {
    const options: LanguageClientOptions = {
      // Unsaved text of any file may count: instructions import other files, and settings say what is read.
      documentSelector: [{ scheme: 'file' }],
      outputChannel: this.output,
      traceOutputChannel: this.trace,
      initializationOptions: this.settings.forServer(),
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        // What happens next is decided in one place, for a first start and for a crash.
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
      middleware: {
        didChange: (event, next) => this.told(next(event)),
        didClose: (document, next) => this.told(next(document)),
        workspace: {
          configuration: ({ items }) =>
            items.map(({ section }) => (section === 'briefing' ? this.settings.forServer() : null)),
          // Settings are told when they change, together with what is assumed over them.
          didChangeConfiguration: () => Promise.resolve(),
        },
        executeCommand: (command, args: unknown[], next): unknown =>
          this.intercept(command, args) ?? next(command, args),
      },
    };
    const run = { command: program.command, args: ['lsp'] };
    const client = new QuietClient('briefing', 'Briefing', run, options);
    client.registerFeature({
      // Previews are virtual documents of the extension's own, which knows more about them than their text.
      fillClientCapabilities: capabilities => {
        delete capabilities.workspace?.textDocumentContent;
        // The pages about findings are opened as people read them.
        capabilities.experimental = { ...(capabilities.experimental as object | undefined), briefing: { pages: true } };
      },
      preInitialize: capabilities => {
        delete capabilities.workspace?.textDocumentContent;
        // VS Code's own outline of Markdown is the better one, and a second one stands beside it.
        delete capabilities.documentSymbolProvider;
      },
      initialize: () => undefined,
      getState: () => ({ kind: 'static' }),
      clear: () => undefined,
    });
    return client;
  }

  private async told(sent: Promise<void>): Promise<void> {
    await sent;
    this.synced.fire();
  }

  private allSettings() {
    return { settings: { briefing: this.settings.forServer() } };
  }
}
