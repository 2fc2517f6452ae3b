// A page of text in an editor tab: no scripts, nothing from elsewhere, the colours of the theme.

import * as vscode from 'vscode';

/** HTML that needs no escaping any more. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | Part[];

/** What stands between the tags is text, whatever it contains. */
export function html(fixed: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(fixed.map((text, at) => text + (at < parts.length ? escaped(parts[at] ?? '') : '')).join(''));
}

function escaped(part: Part): string {
  if (part instanceof Html) {
    return part.text;
  }
  if (Array.isArray(part)) {
    return part.map(escaped).join('');
  }
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return String(part).replace(/[&<>"']/g, char => names[char] ?? char);
}

/** A link that opens a file at a byte. */
export function link(path: string, label: string, offset?: number): Html {
  const args = encodeURIComponent(JSON.stringify([{ path, offset }]));
  return html`<a href="command:briefing.openFile?${args}" title="${path}">${label}</a>`;
}

export class Page implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  /** Writes the newest content; empty while the page is closed. */
  private write: (() => Promise<Html>) | undefined;
  private shown = '';

  constructor(
    private readonly extension: vscode.Uri,
    private readonly id: string,
  ) {}

  dispose(): void {
    this.panel?.dispose();
  }

  get isOpen(): boolean {
    return this.panel !== undefined;
  }

  /** What is shown, for tests. */
  get content(): string {
    return this.shown;
  }

  async open(title: string, write: () => Promise<Html>): Promise<void> {
    if (!this.panel) {
      const media = vscode.Uri.joinPath(this.extension, 'media');
      this.panel = vscode.window.createWebviewPanel(`briefing.${this.id}`, title, vscode.ViewColumn.Active, {
        enableCommandUris: ['briefing.openFile'],
        localResourceRoots: [media],
      });
      this.panel.iconPath = vscode.Uri.joinPath(media, 'icon.svg');
      this.panel.onDidDispose(() => {
        this.panel = undefined;
        this.write = undefined;
        this.shown = '';
      });
    }
    this.panel.title = title;
    this.panel.reveal();
    this.write = write;
    await this.update();
  }

  /** Writes the page anew, if it is open and says something else now. */
  async update(): Promise<void> {
    const { panel, write } = this;
    if (!panel || !write) {
      return;
    }
    let body: Html;
    try {
      body = await write();
    } catch (error) {
      body = html`<p class="problem">${(error as Error).message}</p>`;
    }
    if (this.write !== write || this.shown === body.text) {
      return;
    }
    this.shown = body.text;
    panel.webview.html = pageOf(panel.webview, vscode.Uri.joinPath(this.extension, 'media'), panel.title, body).text;
  }
}

/** A whole page around its content. */
export function pageOf(webview: vscode.Webview, media: vscode.Uri, title: string, body: Html): Html {
  const style = webview.asWebviewUri(vscode.Uri.joinPath(media, 'page.css'));
  const policy = `default-src 'none'; style-src ${webview.cspSource};`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="stylesheet" href="${style.toString()}" />
        <title>${title}</title>
      </head>
      <body>
        ${body}
      </body>
    </html>`;
}
