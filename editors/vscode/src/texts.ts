// The virtual documents of the scheme `briefing:`: exact prompts, and both sides of comparisons. They follow every change.

import * as vscode from 'vscode';
import * as protocol from './protocol';
import type { Pulse } from './pulse';
import type { Server } from './server';

export const SCHEME = 'briefing';

/** What a document shows. */
export type Text =
  | { kind: 'page' }
  | { kind: 'prompt'; harness: string; file?: string }
  | { kind: 'side'; side: 'left' | 'right'; left: protocol.Side; right: protocol.Side };

/** A prompt with what is known about its parts. */
export interface Prompt extends protocol.Preview {
  /** The briefing it is the text of. */
  briefing: protocol.Briefing | undefined;
}

/** Where prompts are named; the manifest says that they are Markdown, whatever their names end in. */
const PROMPTS = '/briefing-prompt';

/** The name of a prompt, which its tab shows: `handler.rs · Claude Code`. */
export function uriOfPrompt(name: string, text: Text): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `${PROMPTS}/${plain(name)}`, query: JSON.stringify(text) });
}

function plain(name: string): string {
  return name.replace(/[/\\]/g, '∕');
}

/** The name of a document, which its tab shows. What it is about stands in the query. */
export function uriOf(name: string, text: Text): vscode.Uri {
  const path = `/${plain(name)}.md`;
  return vscode.Uri.from({ scheme: SCHEME, path, query: JSON.stringify(text) });
}

/** What a document shows: as its query says, or as the server names prompts: `briefing:/codex@0.169/path/of/file`. */
export function textOf(uri: vscode.Uri): Text {
  if (uri.query) {
    return JSON.parse(uri.query) as Text;
  }
  const [, harness = '', ...file] = uri.path.split('/');
  if (harness === 'findings') {
    return { kind: 'page' };
  }
  const path = `/${file.join('/')}`;
  return { kind: 'prompt', harness, ...(path === '/' ? {} : { file: vscode.Uri.file(path).toString() }) };
}

export class Texts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly provided = new vscode.EventEmitter<vscode.Uri>();
  /** More is known about a document than before. */
  readonly onDidProvide = this.provided.event;
  private readonly prompts = new Map<string, Prompt>();
  /** Comparisons under way: both sides of a diff ask at the same time. */
  private readonly comparing = new Map<string, Promise<protocol.Comparison>>();
  private readonly subscriptions: { dispose(): unknown }[];

  constructor(
    private readonly server: Server,
    pulse: Pulse,
  ) {
    this.subscriptions = [
      this.changed,
      this.provided,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.prompts.delete(uri.toString())),
      pulse.onDidBeat(() => {
        for (const { uri, isClosed } of vscode.workspace.textDocuments) {
          if (uri.scheme === SCHEME && !isClosed) {
            this.changed.fire(uri);
          }
        }
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** What is known about the text of a prompt that is open. */
  known(uri: vscode.Uri): Prompt | undefined {
    return this.prompts.get(uri.toString());
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const text = textOf(uri);
    try {
      if (text.kind === 'page') {
        return (await this.server.request<protocol.Preview>(protocol.PREVIEW, { uri: uri.toString(true) })).text;
      }
      if (text.kind === 'side') {
        return (await this.compare(text.left, text.right)).texts[text.side];
      }
      const prompt = await this.prompt(text.harness, text.file, token);
      this.prompts.set(uri.toString(), prompt);
      setImmediate(() => this.provided.fire(uri));
      return prompt.text;
    } catch (error) {
      this.prompts.delete(uri.toString());
      return `${(error as Error).message}\n`;
    }
  }

  async prompt(harness: string, file: string | undefined, token?: vscode.CancellationToken): Promise<Prompt> {
    const path = file === undefined ? '/' : vscode.Uri.parse(file).path;
    const named = vscode.Uri.from({ scheme: SCHEME, path: `/${harness}${path}` }).toString();
    const question: protocol.Question = { harness, ...(file === undefined ? {} : { textDocument: { uri: file } }) };
    const [preview, effective] = await Promise.all([
      this.server.request<protocol.Preview>(protocol.PREVIEW, { uri: named }, token),
      this.server.request<protocol.Effective>(protocol.EFFECTIVE_INSTRUCTIONS, question, token),
    ]);
    return { ...preview, briefing: effective.briefings[0] };
  }

  compare(left: protocol.Side, right: protocol.Side): Promise<protocol.Comparison> {
    const key = JSON.stringify([left, right]);
    const under = this.comparing.get(key);
    if (under) {
      return under;
    }
    const asked = this.server.request<protocol.Comparison>(protocol.COMPARE, { left, right });
    this.comparing.set(key, asked);
    const done = () => this.comparing.delete(key);
    asked.then(done, done);
    return asked;
  }
}
