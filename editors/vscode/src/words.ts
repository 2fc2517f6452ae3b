// How sizes, paths and fates are said; the same words as in the command line and the other editors.

import type { Briefing, Evidence, Fate, Limit, Source, Standpoint, Trigger, Unit, Whole } from './protocol';

/** What the fates look like: a codicon and a colour of the theme. */
export const FATES: Record<Fate, { icon: string; color: string; word: string }> = {
  loaded: { icon: 'circle-filled', color: 'charts.green', word: 'loaded' },
  listed: { icon: 'list-unordered', color: 'charts.green', word: 'listed' },
  truncated: { icon: 'circle-filled', color: 'charts.yellow', word: 'cut' },
  shadowed: { icon: 'eye-closed', color: 'disabledForeground', word: 'shadowed' },
  dropped: { icon: 'circle-slash', color: 'charts.orange', word: 'skipped' },
  empty: { icon: 'circle-outline', color: 'disabledForeground', word: 'empty' },
  excluded: { icon: 'exclude', color: 'disabledForeground', word: 'excluded' },
  missing: { icon: 'question', color: 'disabledForeground', word: 'missing' },
  unreadable: { icon: 'error', color: 'charts.red', word: 'unreadable' },
  pending: { icon: 'cloud', color: 'disabledForeground', word: 'not fetched' },
};

const WHEN: Record<Trigger, string> = {
  session: 'at start',
  read: 'on read',
  attach: 'if attached',
  call: 'if called',
};

export function when(trigger: Trigger): string {
  // A newer server may know more words.
  return (WHEN as Partial<Record<string, string>>)[trigger] ?? trigger;
}

export function fateOf(fate: Fate): { icon: string; color: string; word: string } {
  return (FATES as Partial<typeof FATES>)[fate] ?? { icon: 'circle-outline', color: 'disabledForeground', word: fate };
}

const FIDELITIES: Record<Briefing['fidelity'], string> = {
  exact: 'exact, byte for byte',
  unchecked: 'not checked on this version',
  files: 'not exact',
};

/** How far an answer can be relied on. */
export function fidelity(fidelity: Briefing['fidelity']): string {
  return (FIDELITIES as Partial<Record<string, string>>)[fidelity] ?? fidelity;
}

const EVIDENCE: Record<Evidence['what'], string> = {
  set: 'declared',
  run: 'has been run',
  installed: 'installed',
  editor: 'editor extension',
  configured: 'configured',
  repository: 'in this repository',
};

/** Why a harness counts as used here. */
export function evidence({ what, path, name }: Evidence, home: string): string {
  const proof = path === undefined ? name : tilde(path, home);
  const said = (EVIDENCE as Partial<Record<string, string>>)[what] ?? what;
  return proof === undefined ? said : `${said}: ${proof}`;
}

/** The folder an agent is started in, as people write it. */
export function startOf({ cwd, home }: Standpoint): string {
  return tilde(cwd, home);
}

/** The icon of a source that reaches the model says how it comes there. */
export function iconOf(source: Source): string {
  if (!reaches(source)) {
    return fateOf(source.fate).icon;
  }
  switch (source.scope) {
    case 'import':
      return 'references';
    case 'rule':
      // A rule without a condition is told as any file is.
      return source.trigger === 'session' ? 'circle-filled' : 'filter';
    case 'config':
      return 'settings-gear';
    case 'remote':
      return 'globe';
    case 'memory':
      return 'database';
    case 'managed':
      return 'shield';
    case 'generated':
      return 'sparkle';
    default:
      return { session: 'circle-filled', read: 'eye', attach: 'link', call: 'zap' }[source.trigger];
  }
}

/** Whether any of it reaches the model. */
export function reaches(source: { fate: Fate }): boolean {
  return source.fate === 'loaded' || source.fate === 'truncated' || source.fate === 'listed';
}

/** How many bytes of a source reach the model. */
export function kept(source: Source): number {
  return source.kept.reduce((sum, range) => sum + range.end - range.start, 0);
}

/** The first byte of a source that does not reach the model. */
export function cutAt(source: Source): number | undefined {
  if (source.fate === 'loaded' || !source.size) {
    return undefined;
  }
  let at = 0;
  for (const range of source.kept) {
    if (range.start > at) {
      return at;
    }
    at = Math.max(at, range.end);
  }
  return at < source.size.bytes ? at : undefined;
}

/** 36008 is `36 008`, with spaces that do not break. */
export function grouped(number: number): string {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}

/** 18637 is `18.2`, 32768 is `32`. */
function kibibytes(bytes: number): string {
  const value = bytes / 1024;
  return value >= 100 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);
}

/** 18637 is `18.2 KiB`, 10 is `10 B`. */
export function size(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${kibibytes(bytes)} KiB`;
}

/** `32 of 36.5 KiB`, `10 B`, or nothing where it is not known. */
export function sizeOf(source: Source): string {
  if (!source.size) {
    return '';
  }
  const all = source.size.bytes;
  const through = kept(source);
  if (source.fate !== 'truncated' || through === all) {
    return size(all);
  }
  return all < 1000 ? `${through} of ${all} B` : `${kibibytes(through)} of ${kibibytes(all)} KiB`;
}

const UNITS: Record<Unit, string> = { bytes: 'B', utf16: 'UTF-16 units', lines: 'lines', tokens: 'tokens' };

/** `32 KiB for all files together`, `200 lines per file` */
export function limitOf(limit: Limit): string {
  const unit = (UNITS as Partial<Record<string, string>>)[limit.unit] ?? limit.unit;
  const amount =
    limit.unit === 'bytes' && limit.value % 1024 === 0
      ? `${limit.value / 1024} KiB`
      : `${grouped(limit.value)} ${unit}`;
  return `${amount} ${limit.per === 'chain' ? 'for all files together' : 'per file'}`;
}

/** The name of a source for a row, and the directory it is in, which may be cut off where there is no room. */
export function splitName(source: Source, standpoint: Pick<Standpoint, 'cwd' | 'home'>): { name: string; dir: string } {
  // A skill is called as its folder is.
  const whole = nameOf(source, standpoint).replace(/[/\\]SKILL\.md$/, '');
  const at = Math.max(whole.lastIndexOf('/'), whole.lastIndexOf('\\'));
  if (at < 0 || source.path === undefined) {
    return { name: whole, dir: '' };
  }
  return { name: whole.slice(at + 1), dir: whole.slice(0, at) };
}

/** A sentence with its paths as people write them, and no full stop at its end. */
export function shortened(sentence: string, placeOf: (path: string) => string): string {
  return sentence.replace(/(?<=^|[\s`'"(])\/[^\s`'",;:)]+/g, path => placeOf(path)).replace(/\.$/, '');
}

/** What became of a source, in the fewest words. `target`: whether the agent reads a file. */
export function fateText(source: Source, standpoint: Standpoint, target: boolean): string {
  const { fate, by, limit, trigger, reason } = source;
  if (fate === 'shadowed') {
    return by ? `hidden by ${lastOf(source, by, standpoint)}` : 'hidden';
  }
  if (fate !== 'dropped') {
    return fateOf(fate).word;
  }
  if (limit) {
    return 'over the limit';
  }
  if (trigger !== 'session') {
    return target ? 'not for this file' : 'waits for a file';
  }
  return reason.startsWith('below the start directory') ? 'below start folder' : 'skipped';
}

/** The name of the file that won; where both have the same, with its directory. */
function lastOf(source: Source, path: string, standpoint: Standpoint): string {
  const last = (path: string) => path.split(/[/\\]/).pop() ?? path;
  return last(path) === last(source.path ?? '') ? place(path, standpoint) : last(path);
}

/**
 * What stands behind the name of a source: its fate first, which must not be cut off; its directory last. Beside the name of
 * the file that hides it there is no room for its directory, which stands there instead if it tells the source from another.
 */
export function rowOf(source: Source, { standpoint, target, sources }: Briefing): string {
  const size = sizeOf(source);
  const { name, dir } = splitName(source, standpoint);
  const isAnother = (other: Source) => other.fate === 'shadowed' && splitName(other, standpoint).name === name;
  const parts = () => {
    if (source.fate === 'loaded') {
      return [source.trigger === 'session' ? '' : when(source.trigger), size, dir];
    }
    const fate = fateText(source, standpoint, target !== null);
    if (source.fate === 'truncated') {
      return [fate, size, dir];
    }
    if (source.fate === 'shadowed') {
      return sources.filter(isAnother).length > 1 ? ['hidden', dir] : [fate];
    }
    return [fate, dir];
  };
  return parts().filter(Boolean).join(' · ');
}

/** The same as a sentence, for those who hear it. */
export function spokenOf(source: Source, standpoint: Standpoint, target: boolean): string {
  const parts = [nameOf(source, standpoint), fateText(source, standpoint, target), sizeOf(source)];
  if (reaches(source)) {
    parts.push(when(source.trigger));
  }
  return plain(parts.filter(Boolean).join(', '));
}

/** Without what only looks good. */
export function plain(text: string): string {
  return text.replace(/\u00a0/g, ' ').replace(/ · /g, ', ');
}

/** The version of the client that an answer is about. */
export function versionOf({ version, edition }: Pick<Briefing, 'version' | 'edition'>): string {
  return version?.running ?? edition;
}

/** Whether a source is a skill, a command or an agent: of those, names and descriptions are sent. */
export function isExtra(source: Source): boolean {
  return source.fate === 'listed' || source.purpose === 'skill';
}

/** A path as people write it: below the start directory, below home, or absolute. */
export function place(path: string, standpoint: Pick<Standpoint, 'cwd' | 'home'>): string {
  return below(standpoint.cwd, path) ?? tilde(path, standpoint.home);
}

export function tilde(path: string, home: string): string {
  const inside = below(home, path);
  return inside === undefined ? (path === home ? '~' : path) : `~/${inside}`;
}

function below(base: string, path: string): string | undefined {
  const whole = /[/\\]$/.test(base) ? base : `${base}${base.includes('\\') ? '\\' : '/'}`;
  return whole.length > 1 && path.startsWith(whole) && path.length > whole.length
    ? path.slice(whole.length)
    : undefined;
}

export function nameOf(source: Source, standpoint: Pick<Standpoint, 'cwd' | 'home'>): string {
  return source.path === undefined ? (source.url ?? '?') : place(source.path, standpoint);
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

/** What of a briefing fits into a status bar: `18.2/32 KiB · 3 files · 1 cut`. */
export function summary(briefing: Briefing): string {
  if (briefing.refusal) {
    return 'refuses to start';
  }
  const told = briefing.sources.filter(reaches);
  const cuts = briefing.sources.filter(isCut).length;
  if (!told.length && !cuts) {
    return briefing.totals.bytes ? size(briefing.totals.bytes) : 'loads nothing';
  }
  const parts = [budget(briefing) ?? size(briefing.totals.bytes), count(told.length, 'file')];
  if (cuts) {
    parts.push(count(cuts, 'cut'));
  }
  return parts.join(' · ');
}

/** `instructions 321 B, skills 26 B`; empty where one kind is all there is. */
export function layers({ layers }: Whole): string {
  return layers.length < 2 ? '' : layers.map(({ kind, bytes }) => `${kind} ${grouped(bytes)} B`).join(', ');
}

/** Lost to a limit, in part or as a whole. */
export function isCut(source: Source): boolean {
  return source.fate === 'truncated' || (source.fate === 'dropped' && source.limit !== null);
}

/** How much of a limit that files share is spent: `18.2/32 KiB`. */
function budget(briefing: Briefing): string | undefined {
  const sharing = briefing.sources.filter(source => source.limit?.per === 'chain');
  const limit = sharing[0]?.limit;
  if (!limit) {
    return undefined;
  }
  const spent = sharing.filter(reaches);
  switch (limit.unit) {
    case 'bytes': {
      const bytes = sum(spent, kept);
      return `${bytes < 1000 ? size(bytes) : kibibytes(bytes)}/${kibibytes(limit.value)} KiB`;
    }
    case 'utf16':
      // A file that the shared limit cuts has spent the rest of it.
      return `${grouped(
        spent.some(isCut) ? limit.value : sum(spent, source => source.size?.utf16 ?? 0),
      )}/${grouped(limit.value)} UTF-16 units`;
    case 'lines':
    case 'tokens':
      return undefined;
  }
}

function sum(sources: Source[], of: (source: Source) => number): number {
  return sources.reduce((total, source) => total + of(source), 0);
}

/** Whether a harness has no instruction file here, and nothing is wrong with that; some have a text of their own for it. */
export function isSilent(briefing: Briefing): boolean {
  return !briefing.refusal && !briefing.sources.some(counts);
}

/** Whether there is something to say of a source: more than that it is not there, or that there is nothing in it. */
export function counts(source: { fate: Fate }): boolean {
  return source.fate !== 'missing' && source.fate !== 'empty';
}
