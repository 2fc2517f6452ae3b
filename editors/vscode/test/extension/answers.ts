// What the extension shows: the view, the status, the interface for others.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { ROSTER, type Roster } from '../../src/protocol';
import { answer } from '../../src/tool';
import type { Node, View } from '../../src/view';
import { append, drawn, extension, folder, remove, rules, show, shows, started, until, write } from './harness';

describe('the extension', () => {
  before(() => {
    write(folder('one'), { 'AGENTS.md': rules(2000), 'src/AGENTS.md': '- Below.\n', 'src/a.rs': 'fn a() {}\n' });
    write(folder('two'), { 'AGENTS.md': '- Two.\n', 'b.rs': 'fn b() {}\n' });
  });

  it('is activated by an instruction file, and starts the program that came with it', async () => {
    const { server } = await started();
    assert.equal(server.phase, 'running');
    assert.ok(fs.existsSync(path.join(extension().extensionPath, 'server/briefing')));
  });

  it('draws what agents load for the active file, in order, with what is cut and what is left out', async () => {
    const { views, settings, focus } = await started();
    await show(folder('one'), 'src/a.rs');
    await settings.choose(['codex']);
    await focus.choose('codex');
    const all = () => drawn(views.explorer.outline());
    // Until the choice counts, all agents are drawn, and the cut is there as well.
    await until('the choice', () => drawn(views.instructions.outline()).includes('\nOther agents ('));
    await until('the cut', () => all().includes('32 of 39.1 KiB'));
    const text = all();
    const [start = '', head = '', first = ''] = text.split('\n');
    assert.match(start, /^In one\/ {2}main · Codex \d+\.\d+$/);
    assert.equal(head, 'Codex  32/32 KiB · 1 file · 1 cut');
    assert.equal(first, '  AGENTS.md  cut · 32 of 39.1 KiB');
    assert.match(text, / {4}limit {2}32 KiB for all files together, by default/);
    assert.match(text, / {4}lost {2}7\u00a0232 of 40\u00a0000 bytes, from byte 32\u00a0768/);
    assert.match(text, / {2}Not loaded {2}1\n {4}AGENTS\.md {2}below start folder · src\n/);
    assert.match(text, /why {2}below the start directory/);
    // The room of its own shows the same in views of their own, and the agents that nobody chose behind one line.
    const told = drawn(views.instructions.outline());
    assert.ok(told.startsWith(`${start}\n${head}\n${first}\n`) && !told.includes('· src'), told);
    assert.match(told, /\nOther agents \(\d\d\)\n$/);
    assert.match(drawn(views.notLoaded.outline()), /^Codex {2}1 file\n {2}AGENTS\.md {2}below start folder · src\n/);
    const others = views.instructions.getChildren({ kind: 'others', ids: ['gemini-cli'], part: 'told' });
    assert.deepEqual(
      (await others).map(node => node.kind === 'harness' && node.briefing.harness),
      ['gemini-cli'],
    );
    await settings.choose(undefined);
  });

  it('says it in the status', async () => {
    const { status, focus } = await started();
    await show(folder('one'), 'src/a.rs');
    await focus.choose('codex');
    await shows(() => status.text, 'Codex 32/32 KiB · 1 file · 1 cut');
  });

  it('follows what is typed, saved or not', async () => {
    const { status, focus } = await started();
    await focus.choose('codex');
    const editor = await show(folder('two'), 'AGENTS.md');
    await shows(() => status.text, 'Codex 7 B/32 KiB · 1 file');
    await append(editor, rules(1000));
    await shows(() => status.text, 'Codex 19.5/32 KiB · 1 file');
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await shows(() => status.text, 'Codex 7 B/32 KiB · 1 file');
  });

  it('follows what other programs write, and the folder of the active file', async () => {
    const { status, focus } = await started();
    await focus.choose('codex');
    await show(folder('two'), 'b.rs');
    await shows(() => status.text, 'Codex 7 B/32 KiB · 1 file');
    write(folder('two'), { 'AGENTS.md': rules(1200) });
    await shows(() => status.text, 'Codex 23.4/32 KiB · 1 file');
    write(folder('two'), { 'AGENTS.override.md': rules(100) });
    await shows(() => status.text, 'Codex 2/32 KiB · 1 file');
    remove(folder('two'), 'AGENTS.override.md');
    write(folder('two'), { 'AGENTS.md': '- Two.\n' });
    await shows(() => status.text, 'Codex 7 B/32 KiB · 1 file');
  });

  it('takes the start folder that is assumed, for everything that is asked', async () => {
    const { settings, focus, status, views } = await started();
    await focus.choose('codex');
    await show(folder('one'), 'src/a.rs');
    const starts = () => drawn(views.instructions.outline()).split('\n')[0] ?? '';
    await until('the workspace folder', () => starts().startsWith('In one/  main · Codex '));
    await until('the folder', () => status.text.includes('1 cut'));
    fs.mkdirSync(path.join(folder('one'), '.git'), { recursive: true });
    await settings.assume({ cwd: path.join(folder('one'), 'src') });
    await until('the start folder', () => focus.briefing?.standpoint.cwd.endsWith('/one/src'));
    await until('where it starts', () => starts().startsWith('In one/src/  '));
    await settings.assume({ sessions: { openclaw: 'subagent' } });
    const kind = () => focus.answer?.briefings.find(({ harness }) => harness === 'openclaw')?.standpoint.session;
    await until('the kind of session', () => kind() === 'subagent');
    await settings.assume({});
    await until('nothing assumed', () => kind() === 'main' && focus.briefing?.standpoint.cwd.endsWith('/one'));
    await until('the workspace folder', () => starts().startsWith('In one/  '));
  });

  it('names the folder in which a session starts, where there are several', async () => {
    const { views, settings, focus, report } = await started();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const about = () => views.instructions.description;
    await shows(about, 'start of a session in one/');
    await settings.assume({ cwd: folder('two') });
    await shows(about, 'start of a session in two/');
    await vscode.commands.executeCommand('briefing.contextReport');
    await until('the report', () => report.content.includes('at the start of a session in two/'));
    assert.match(
      report.content,
      /<p class="quiet">instructions [\d\u202f\u00a0 ]+ B, environment [\d\u202f\u00a0 ]+ B<\/p>/,
    );
    await focus.choose('codex');
    await vscode.commands.executeCommand('briefing.attachTold');
    assert.match(await vscode.env.clipboard.readText(), /^What Codex is told at the start of a session in two\/:\n/);
    await settings.assume({});
    await shows(about, 'start of a session in one/');
  });

  it('has a sentence for every line of its views, for those who hear it', async () => {
    const { views, settings, focus } = await started();
    write(folder('one'), { 'CLAUDE.md': '- For Claude.\n', '.codex/config.toml': 'project_doc_max_byte = 1\n' });
    await show(folder('one'), 'src/a.rs');
    const heard = new Map<string, string>();
    const hear = async (view: View, node?: Node): Promise<void> => {
      for (const child of await view.getChildren(node)) {
        const { label, description, accessibilityInformation } = view.getTreeItem(child);
        const spoken = accessibilityInformation?.label ?? '';
        assert.match(spoken, /^[^\u00a0·▰▱*]{3,}$/, `${child.kind}: ${JSON.stringify(label)} ${String(description)}`);
        heard.set(child.kind, spoken);
        await hear(view, child);
      }
    };
    const all = [views.instructions, views.notLoaded, views.extras, views.explorer];
    await settings.choose(['codex']);
    await until('one agent', () => focus.briefings.length === 1);
    for (const view of all) await hear(view);
    await settings.choose(undefined);
    await until('all agents', () => focus.briefings.length > 20);
    for (const view of all) await hear(view);
    const kinds = ['fact', 'harness', 'left-out', 'others', 'silent', 'source', 'standpoint', 'warnings', 'whole'];
    assert.deepEqual([...heard.keys()].sort(), kinds);
    ['CLAUDE.md', '.codex'].forEach(name => remove(folder('one'), name));
  });

  it('takes settings of its user, and tells the server only those it knows', async () => {
    const { focus } = await started();
    await show(folder('one'), 'src/a.rs');
    const user = vscode.workspace.getConfiguration('briefing');
    await user.update('harnesses', ['codex@0.104'], vscode.ConfigurationTarget.Global);
    await until('one harness', () => focus.answer?.briefings.map(({ edition }) => edition).join() === '0.104');
    await user.update('harnesses', ['all'], vscode.ConfigurationTarget.Global);
    await until('all of them', () => (focus.answer?.briefings.length ?? 0) > 20);
  });

  it('makes a choice of harnesses the setting of the workspace, and takes those in use where nobody chose', async () => {
    const { focus, settings, server, status } = await started();
    const file = await show(folder('one'), 'AGENTS.md');
    const ids = () => focus.briefings.map(({ harness }) => harness).join();
    const user = vscode.workspace.getConfiguration('briefing');
    await user.update('harnesses', undefined, vscode.ConfigurationTarget.Global);
    const { mine, others } = await server.request<Roster>(ROSTER);
    const used = mine.map(({ harness }) => harness);
    assert.ok(used.length && used.length < 10, used.join());
    await until('those in use', () => ids() === used.join());
    assert.equal(settings.chosen, undefined);
    await settings.pick(['gemini-cli'], used, used.length + others.length);
    await until('the chosen one', () => ids() === 'gemini-cli');
    assert.deepEqual(settings.chosen, ['gemini-cli']);
    assert.match(status.text, /^Gemini CLI /);
    // Codex cuts the file, and nobody asks about Codex any more.
    const ofCodex = ({ message }: vscode.Diagnostic) => message.includes('Codex');
    await until('no finding of Codex', () => !vscode.languages.getDiagnostics(file.document.uri).some(ofCodex));
    // A version that the settings name stays.
    const workspace = vscode.ConfigurationTarget.Workspace;
    await user.update('harnesses', ['codex@0.104'], workspace);
    await until('the version', () => focus.briefings[0]?.edition === '0.104');
    await settings.pick(['codex', 'gemini-cli'], used, used.length + others.length);
    assert.deepEqual(settings.chosen, ['codex@0.104', 'gemini-cli']);
    await settings.pick([...used, ...others], used, used.length + others.length);
    assert.deepEqual(settings.chosen, ['all']);
    await until('all of them', () => focus.briefings.length > 20);
    await settings.pick(used, used, used.length + others.length);
    await until('those in use again', () => ids() === used.join());
    assert.equal(settings.chosen, undefined);
    await user.update('harnesses', ['all'], vscode.ConfigurationTarget.Global);
  });

  it('unfolds a session step by step', async () => {
    const { focus, session } = await started();
    write(folder('one'), {
      'CLAUDE.md': 'Root.\n',
      'src/CLAUDE.md': 'Of src, for Claude.\n',
      'src/b.rs': '',
    });
    await show(folder('one'), 'src/a.rs');
    await focus.choose('claude-code');
    const steps = 'read one/src/a.rs; read one/src/b.rs; compact; subagent Explore';
    await vscode.commands.executeCommand('briefing.showSession', steps);
    const turns = await until('the steps', () => {
      const found = session.content.match(/<section class="turn">[^]*?<\/section>/g);
      return found?.length === 5 ? [...found] : undefined;
    });
    const row = (at: number) => / ([+=−])<.*?src\/CLAUDE\.md/s.exec(turns[at]?.replaceAll('<td>', ' ') ?? '')?.[1];
    assert.deepEqual([0, 1, 2, 3, 4].map(row), [undefined, '+', '=', '+', undefined], session.content);
    assert.match(turns[3] ?? '', /not exact: what is read again stands in answers of the read tool/);
    // What is no step is said, and the page stays.
    const before = session.content;
    await vscode.commands.executeCommand('briefing.showSession', 'look around');
    assert.equal(session.content, before);
    for (const file of ['CLAUDE.md', 'src/CLAUDE.md', 'src/b.rs']) {
      remove(folder('one'), file);
    }
  });

  it('keeps showing a pinned file', async () => {
    const { focus } = await started();
    await show(folder('one'), 'src/a.rs');
    await vscode.commands.executeCommand('briefing.pin');
    await show(folder('two'), 'b.rs');
    assert.match(focus.file?.path ?? '', /one\/src\/a\.rs$/);
    await vscode.commands.executeCommand('briefing.unpin');
    await until('the active file', () => focus.file?.path.endsWith('two/b.rs'));
  });

  it('opens a file at the byte where the model stops reading', async () => {
    await started();
    // A byte order mark, wide characters and Windows line ends before the cut.
    const text = '\ufeff' + '- é😀\r\n'.repeat(4000);
    write(folder('two'), { 'GEMINI.md': text });
    const offset = 3 + 10 * 1000 + 2;
    await vscode.commands.executeCommand('briefing.openFile', { path: path.join(folder('two'), 'GEMINI.md'), offset });
    const { active } = (await until('the editor', () => vscode.window.activeTextEditor)).selection;
    assert.deepEqual([active.line, active.character], [1000, 2]);
    remove(folder('two'), 'GEMINI.md');
  });

  it('answers other extensions, and tells them when to ask again', async () => {
    const { api } = await started();
    assert.equal(api.version, 1);
    const file = vscode.Uri.file(path.join(folder('two'), 'b.rs'));
    const { briefings } = await api.effectiveInstructions(file, { harness: 'codex', include: ['text'] });
    assert.match(briefings[0]?.messages[0]?.text ?? '', /- Two\.\n/);
    let told = 0;
    const subscription = api.onDidChangeInstructions(() => (told += 1));
    write(folder('two'), { 'AGENTS.md': '- Three.\n' });
    await until('the event', () => told > 0);
    subscription.dispose();
    await until('the new text', async () => {
      const { briefings } = await api.effectiveInstructions(file, { harness: 'codex', include: ['text'] });
      return briefings[0]?.messages[0]?.text?.includes('- Three.');
    });
    write(folder('two'), { 'AGENTS.md': '- Two.\n' });
    await assert.rejects(api.effectiveInstructions(file, { harness: 'kodex' }), /there is no agent `kodex`/);
  });

  it('answers agents in the editor as a tool', async () => {
    const { api } = await started();
    const ask = () => answer(api, { file: path.join(folder('two'), 'b.rs'), harness: 'codex' });
    await until('the text', async () => /^# codex [\d.]+\n[^]*- Two\./.test(await ask()));
    // VS Code has tools since 1.95.
    if (vscode.version.localeCompare('1.95', undefined, { numeric: true }) >= 0) {
      const models = vscode.lm as unknown as {
        tools: readonly { name: string }[];
        invokeTool(name: string, options: object): Promise<{ content: { value: string }[] }>;
      };
      const name = 'briefing_effective_instructions';
      assert.ok(models.tools.some(tool => tool.name === name));
      const input = { file: path.join(folder('two'), 'b.rs'), harness: 'codex' };
      const { content } = await models.invokeTool(name, { input, toolInvocationToken: undefined });
      assert.match(content[0]?.value ?? '', /^# codex [\d.]+\n[^]*- Two\./);
    }
  });

  it('shows diagnostics and hovers of the server', async () => {
    await started();
    const editor = await show(folder('one'), 'AGENTS.md');
    const { uri } = editor.document;
    const found = await until('a diagnostic', () => {
      const all = vscode.languages.getDiagnostics(uri);
      return all.find(
        ({ code, message }) =>
          (typeof code === 'object' ? code.value : code) === 'over-budget' && message.startsWith('Codex'),
      );
    });
    assert.equal(editor.document.offsetAt(found.range.start), 32_768);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      uri,
      new vscode.Position(0, 3),
    );
    const text = hovers.flatMap(({ contents }) => contents).map(part => (part as vscode.MarkdownString).value);
    assert.match(text.join('\n'), /Codex/);
  });
});
