// Wires the parts. Each of them is a file; what they say to the server is in `protocol.ts`.

import * as vscode from 'vscode';
import { registerMcp } from './agents';
import { apiOf, type Api } from './api';
import { Badges } from './badges';
import { registerCommands } from './commands';
import { Findings } from './findings';
import { Focus } from './focus';
import { Page } from './page';
import { Pulse } from './pulse';
import { Readers } from './readers';
import { Recorded } from './recorded';
import { Server } from './server';
import { Settings } from './settings';
import { StatusItems } from './status';
import { Texts } from './texts';
import { registerTool } from './tool';
import { Trace } from './trace';
import { Views } from './view';

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const settings = new Settings(context.workspaceState);
  server = new Server(context.extensionUri, settings);
  const pulse = new Pulse(server, settings);
  const focus = new Focus(server, pulse, settings, context.workspaceState);
  const views = new Views(focus);
  const texts = new Texts(server, pulse);
  const trace = new Trace(texts);
  const status = new StatusItems(server, focus);
  const report = new Page(context.extensionUri, 'report');
  const why = new Page(context.extensionUri, 'why');
  const session = new Page(context.extensionUri, 'session');
  const recorded = new Recorded(server, focus);
  const timeline = new Page(context.extensionUri, 'timeline');
  const line = new Page(context.extensionUri, 'line');
  const findings = new Findings(context.extensionUri, server);
  const readers = new Readers(context.extensionUri, server, pulse);
  const badges = new Badges(server, focus, pulse);
  const api = apiOf(server, pulse);
  const parts = { server, settings, api, focus, views, texts, trace, report, why, session, recorded, timeline, line };
  const { version } = context.extension.packageJSON as { version: string };
  context.subscriptions.push(
    ...[
      settings,
      server,
      pulse,
      focus,
      views,
      texts,
      trace,
      status,
      report,
      why,
      session,
      findings,
      recorded,
      timeline,
      line,
      readers,
      badges,
    ],
    registerCommands(parts, version),
    registerTool(api),
    registerMcp(server),
    focus.onDidChange(() => {
      void report.update();
      void why.update();
      void session.update();
    }),
  );
  void server.restart();
  // The tests look at the parts; other extensions see the interface.
  return context.extensionMode === vscode.ExtensionMode.Test
    ? { ...api, ...{ parts: { ...parts, status, findings, readers, badges } } }
    : api;
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
