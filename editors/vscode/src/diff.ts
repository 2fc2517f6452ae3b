// Two briefings side by side in VS Code's own diff editor: harnesses, editions, or now and the last commit.

import * as vscode from 'vscode';
import type { Focus } from './focus';
import type { Side } from './protocol';
import { uriOf, type Texts } from './texts';
import * as words from './words';

/** Opens the diff. Where both are told the same there is nothing to look at, and that is said. */
export async function showDiff(texts: Texts, focus: Focus, left: Side, right: Side): Promise<void> {
  const comparison = await texts.compare(left, right);
  const name = ({ harness, revision }: Side) =>
    [nameOf(focus, harness), revision && `at ${revision}`].filter(Boolean).join(' ');
  const file = right.textDocument ? vscode.Uri.parse(right.textDocument.uri).path.split('/').pop() : undefined;
  const what = file ? ` · ${file}` : '';
  if (comparison.same) {
    const now = left.harness === right.harness ? 'loads the same as' : 'and';
    const end = left.harness === right.harness ? '' : ' load the same';
    const message = `${name(right)} ${now} ${name(left)}${end}.`;
    void vscode.window.showInformationMessage(message);
    return;
  }
  const summary = comparison.differences.length
    ? ` (${words.count(comparison.differences.length, 'difference')} in the files)`
    : '';
  await vscode.commands.executeCommand(
    'vscode.diff',
    uriOf(`${name(left)}${what}`, { kind: 'side', side: 'left', left, right }),
    uriOf(`${name(right)}${what}`, { kind: 'side', side: 'right', left, right }),
    `${name(left)} ↔ ${name(right)}${what}${summary}`,
    { preview: true },
  );
}

/** `Codex 0.169` of `codex@0.169`. */
function nameOf(focus: Focus, harness: string): string {
  const [id = '', edition] = harness.split('@');
  return [focus.titleOf(id), edition].filter(Boolean).join(' ');
}

/** Lets the user say with what `harness` is compared. */
export async function pickOther(focus: Focus, harness: string): Promise<Side | undefined> {
  type Choice = vscode.QuickPickItem & { side?: Side };
  const choices: Choice[] = [
    { label: 'The last commit', description: 'HEAD', side: { harness, revision: 'HEAD' } },
    { label: 'Another commit…', description: 'a branch, a tag, a hash', side: { harness, revision: '' } },
    { label: 'agents and versions', kind: vscode.QuickPickItemKind.Separator },
  ];
  for (const { id, title, editions } of focus.minesFirst) {
    for (const { name } of [...editions].reverse()) {
      const spec = `${id}@${name}`;
      if (spec !== harness) {
        choices.push({ label: `${title} ${name}`, description: spec, side: { harness: spec } });
      }
    }
  }
  const choice = await vscode.window.showQuickPick(choices, {
    title: `Compare ${nameOf(focus, harness)} with`,
    matchOnDescription: true,
  });
  if (choice?.side?.revision !== '') {
    return choice?.side;
  }
  const revision = await vscode.window.showInputBox({ title: 'Compare with the commit', value: 'HEAD~1' });
  return revision ? { harness, revision } : undefined;
}
