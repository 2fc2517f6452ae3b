// Where the messages between the editor and the server are written, as the setting `briefing.trace.server` says.

import * as vscode from 'vscode';

const SETTING = 'briefing.trace.server';

/**
 * A channel that is as loud as the setting. The client traces only where the channel's own level is the loudest, which people
 * would have to choose in the menu of the channel besides; so it is told that level, and its messages pass at any.
 */
export function traceChannel(): vscode.LogOutputChannel {
  const channel = vscode.window.createOutputChannel('Briefing Trace', { log: true });
  const changed = new vscode.EventEmitter<vscode.LogLevel>();
  const level = () => {
    const wanted = vscode.workspace.getConfiguration().get<string>(SETTING, 'off');
    return wanted === 'off' ? channel.logLevel : vscode.LogLevel.Trace;
  };
  const tell = () => changed.fire(level());
  const subscriptions = vscode.Disposable.from(
    channel,
    changed,
    channel.onDidChangeLogLevel(tell),
    vscode.workspace.onDidChangeConfiguration(event => event.affectsConfiguration(SETTING) && tell()),
  );
  return Object.create(channel, {
    logLevel: { get: level },
    onDidChangeLogLevel: { value: changed.event },
    trace: { value: (message: string) => channel.info(message) },
    dispose: { value: () => subscriptions.dispose() as unknown },
  }) as vscode.LogOutputChannel;
}
