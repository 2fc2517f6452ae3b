// The pages about findings, one for each code, rendered, offline: what the links of diagnostics and hovers lead to.

import * as vscode from 'vscode';
import { html, Html, pageOf } from './page';
import { PREVIEW, type Preview } from './protocol';
import type { Server } from './server';
import { SCHEME } from './texts';

/** As the manifest declares the editor that shows them. */
const EDITOR = 'briefing.findings';

/** The page about a code; about all of them without one. */
export function uriOfFinding(code?: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: code ? `/findings/${code}` : '/findings' });
}

export class Findings implements vscode.CustomReadonlyEditorProvider, vscode.Disposable {
  private readonly registered: vscode.Disposable;
  /** What the newest page shows, for tests. */
  content = '';

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
  ) {
    this.registered = vscode.window.registerCustomEditorProvider(EDITOR, this);
  }

  dispose(): void {
    this.registered.dispose();
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  async resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
    const media = vscode.Uri.joinPath(this.extension, 'media');
    panel.webview.options = { enableCommandUris: ['briefing.explainFinding'], localResourceRoots: [media] };
    panel.iconPath = vscode.Uri.joinPath(media, 'icon.svg');
    let body: Html;
    try {
      await this.server.whenRunning();
      const { text } = await this.server.request<Preview>(PREVIEW, { uri: uri.toString(true) });
      body = await rendered(text);
    } catch (error) {
      body = html`<p class="problem">${(error as Error).message}</p>`;
    }
    this.content = body.text;
    panel.webview.html = pageOf(panel.webview, media, uri.path.split('/').pop() ?? '', body).text;
  }
}

/** Markdown as the editor's own preview renders it; pages lead to each other. */
async function rendered(markdown: string): Promise<Html> {
  const text = await vscode.commands.executeCommand<string | undefined>('markdown.api.render', markdown);
  if (text === undefined) {
    return html`<pre>${markdown}</pre>`;
  }
  const command = (_: string, code = '') =>
    `href="command:briefing.explainFinding?${encodeURIComponent(JSON.stringify(code ? [code] : []))}"`;
  // The renderer repeats the address beside the link, for scripts that there are none of here.
  const links = text.replace(/ data-href="[^"]*"/g, '').replace(/href="briefing:\/findings\/?([a-z-]*)"/g, command);
  return new Html(`<main class="prose">${links}</main>`);
}
