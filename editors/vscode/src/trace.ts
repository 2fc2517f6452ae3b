// Traces the text of a prompt back to its files: lenses, definitions and colours, and marks where text was lost.

import * as vscode from 'vscode';
import { openAt, positionAt } from './open';
import type { Source } from './protocol';
import { SCHEME, type Prompt, type Texts } from './texts';
import * as words from './words';

/** A run of the prompt that stands in a file, in UTF-16 units of the prompt. */
interface Run {
  start: number;
  end: number;
  path: string;
  /** Its first byte in the file. */
  pathStart: number;
  source: Source | undefined;
  /** As it stands in the file. */
  text: string;
  /** How many bytes of the file are lost after it. */
  lost: number;
}

/** Behind the text, and in the ruler; the package declares the first ones. */
const COLORS = [
  ['briefing.source1Background', 'charts.blue'],
  ['briefing.source2Background', 'charts.purple'],
  ['briefing.source3Background', 'charts.green'],
  ['briefing.source4Background', 'charts.orange'],
  ['briefing.source5Background', 'charts.yellow'],
  ['briefing.source6Background', 'charts.red'],
] as const;

export class Trace implements vscode.CodeLensProvider, vscode.DefinitionProvider, vscode.Disposable {
  private readonly subscriptions: { dispose(): unknown }[];
  readonly onDidChangeCodeLenses: vscode.Event<void>;
  /** One per colour, so that each file is told from the one before it. */
  private readonly tints = COLORS.map(([background, ruler]) =>
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor(background),
      overviewRulerColor: new vscode.ThemeColor(ruler),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    }),
  );
  private readonly scissors = vscode.window.createTextEditorDecorationType({
    after: { color: new vscode.ThemeColor('list.warningForeground'), fontStyle: 'italic', margin: '0 0 0 1ch' },
    overviewRulerColor: new vscode.ThemeColor('list.warningForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });

  constructor(private readonly texts: Texts) {
    const changed = new vscode.EventEmitter<void>();
    this.onDidChangeCodeLenses = changed.event;
    this.subscriptions = [
      changed,
      ...this.tints,
      this.scissors,
      vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, this),
      vscode.languages.registerDefinitionProvider({ scheme: SCHEME }, this),
      texts.onDidProvide(() => {
        changed.fire();
        this.paint();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === SCHEME) {
          changed.fire();
          this.paint();
        }
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.paint()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return this.runs(document).map(run => {
      const place = document.positionAt(run.start);
      return new vscode.CodeLens(new vscode.Range(place, place), {
        title: titleOf(run, this.texts.known(document.uri)),
        command: 'briefing.openFile',
        arguments: [{ path: run.path, offset: run.pathStart }],
      });
    });
  }

  async provideDefinition(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.LocationLink[] | undefined> {
    const at = document.offsetAt(position);
    const run = this.runs(document).find(({ start, end }) => start <= at && at < end);
    if (!run) {
      return undefined;
    }
    const offset = run.pathStart + Buffer.byteLength(before(run.text, at - run.start, eolOf(document)));
    const target = await vscode.workspace.openTextDocument(vscode.Uri.file(run.path));
    const place = await positionAt(target, offset);
    const word = document.getWordRangeAtPosition(position);
    return [
      {
        targetUri: target.uri,
        targetRange: new vscode.Range(place, place),
        ...(word ? { originSelectionRange: word } : {}),
      },
    ];
  }

  /** Opens the file that the text at the start of the selection comes from. */
  async openSource(editor: vscode.TextEditor): Promise<void> {
    const [link] = (await this.provideDefinition(editor.document, editor.selection.active)) ?? [];
    if (link) {
      await openAt(link.targetUri, undefined, { selection: link.targetRange });
    }
  }

  /** Runs whose text is what the document shows; while another text is on its way to it there are none. */
  private runs(document: vscode.TextDocument): Run[] {
    const prompt = this.texts.known(document.uri);
    const eol = eolOf(document);
    return prompt && document.getText() === shown(prompt.text, eol) ? runsOf(prompt, eol) : [];
  }

  private paint(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.scheme !== SCHEME) {
        continue;
      }
      const runs = this.runs(editor.document);
      const rangeOf = (start: number, end: number) =>
        new vscode.Range(editor.document.positionAt(start), editor.document.positionAt(end));
      const paths = [...new Set(runs.map(({ path }) => path))];
      this.tints.forEach((tint, color) => {
        const mine = runs.filter(({ path }) => paths.indexOf(path) % COLORS.length === color);
        editor.setDecorations(
          tint,
          mine.map(({ start, end }) => rangeOf(start, Math.max(start, end - 1))),
        );
      });
      const lost = runs.filter(run => run.lost > 0);
      editor.setDecorations(
        this.scissors,
        lost.map(run => ({
          range: rangeOf(Math.max(run.start, run.end - 1), run.end),
          hoverMessage: run.source?.reason ?? '',
          renderOptions: { after: { contentText: `✂ ${words.count(run.lost, 'byte')} lost here` } },
        })),
      );
    }
  }
}

function titleOf(run: Run, prompt: Prompt | undefined): string {
  const name = prompt?.briefing ? words.place(run.path, prompt.briefing.standpoint) : run.path;
  const parts = [name];
  if (run.source) {
    parts.push(words.sizeOf(run.source), words.when(run.source.trigger));
    if (run.source.fate === 'truncated') {
      parts.push('cut');
    }
  }
  return parts.filter(Boolean).join(' · ');
}

const LINE_ENDS = /\r\n|\r|\n/g;

/** VS Code shows every line ending of a document as the same one. */
function shown(text: string, eol: string): string {
  return text.replace(LINE_ENDS, eol);
}

/** What of `text` stands before the unit `at` of it as it is shown. */
function before(text: string, at: number, eol: string): string {
  let [raw, units] = [0, 0];
  for (const end of text.matchAll(LINE_ENDS)) {
    const line = end.index - raw;
    if (units + line >= at) {
      break;
    }
    units += line + eol.length;
    raw = end.index + end[0].length;
  }
  return text.slice(0, raw + Math.max(0, at - units));
}

function eolOf(document: vscode.TextDocument): string {
  return document.eol === vscode.EndOfLine.LF ? '\n' : '\r\n';
}

function runsOf({ text, spans, briefing }: Prompt, eol: string): Run[] {
  const bytes = Buffer.from(text);
  const runs: Run[] = [];
  let at = { byte: 0, unit: 0 };
  const unit = (byte: number) => {
    at = { byte, unit: at.unit + shown(bytes.subarray(at.byte, byte).toString(), eol).length };
    return at.unit;
  };
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    if (span.start < at.byte) {
      continue;
    }
    const [start, end] = [unit(span.start), unit(span.end)];
    const source = briefing?.sources.find(({ path }) => path === span.path);
    const run = bytes.subarray(span.start, span.end).toString();
    const { path, pathStart } = span;
    runs.push({ start, end, path, pathStart, source, text: run, lost: lostAfter(span, source) });
  }
  return runs;
}

/** How many bytes of its file are lost where a span ends. */
function lostAfter(span: { start: number; end: number; pathStart: number }, source: Source | undefined): number {
  if (source?.fate !== 'truncated' || !source.size) {
    return 0;
  }
  const end = span.pathStart + span.end - span.start;
  const ranges = source.kept.filter(range => range.end >= end);
  if (ranges.some(range => range.start < end && end < range.end)) {
    return 0;
  }
  const next = source.kept.find(range => range.start >= end);
  return (next?.start ?? source.size.bytes) - end;
}
