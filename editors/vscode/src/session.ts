// A session step by step: what each step adds to the context, what is not sent again, and what is gone.

import { html, link, type Html } from './page';
import type { SessionStep, SessionTurn, Source, Unfolded } from './protocol';
import * as words from './words';

const FILES = ['read', 'edit', 'write', 'mention'] as const;
const NAMES = ['skill', 'agent', 'subagent'] as const;
const ALONE = ['compact', 'resume'] as const;

/** The steps of a text such as `read src/a.rs; compact; read b.rs + read c.rs`; `uriOf` says which file a path means. */
export function stepsOf(text: string, uriOf: (path: string) => string): SessionStep[] {
  const turns = text.split(/[;\n]/).map(turn => turn.trim());
  return turns
    .filter(turn => turn !== '')
    .map(turn => {
      const steps = turn.split(' + ').map(step => stepOf(step.trim(), uriOf));
      const [only, ...others] = steps;
      return only && !others.length ? only : { together: steps };
    });
}

function stepOf(text: string, uriOf: (path: string) => string): SessionStep {
  const [word = '', ...rest] = text.split(' ');
  const value = rest.join(' ').trim();
  const step = value === '' ? ALONE.find(known => known === word) : undefined;
  if (step) {
    return { [step]: true };
  }
  const file = FILES.find(known => known === word);
  const name = NAMES.find(known => known === word);
  if (value !== '' && file) {
    return { [file]: uriOf(value) };
  }
  if (value !== '' && name) {
    return { [name]: value };
  }
  if (value !== '' && word === 'run') {
    return { shell: '', cwd: uriOf(value) };
  }
  throw new Error(
    `“${text}” is not a step: use ${[...FILES, 'run', ...NAMES].join(', ')} with a name, or ${ALONE.join(', ')}`,
  );
}

export function session(
  { edition, steps }: Unfolded,
  title: string,
  named: string[],
  placeOf: (path: string) => string,
): Html {
  return html`<header>
      <h1>Session of ${title} <small class="quiet">${edition}</small></h1>
      <p class="quiet">+ is added to the context, = is not sent, or not again, − is gone</p>
    </header>
    ${steps.map((turn, at) => section(turn, at, named[at] ?? '', placeOf))}`;
}

function section(turn: SessionTurn, at: number, name: string, placeOf: (path: string) => string): Html {
  const sent = turn.messages.reduce((sum, { text }) => sum + new TextEncoder().encode(text ?? '').length, 0);
  const adds = sent ? `adds ${words.grouped(sent)} B, ≈ ${words.grouped(Math.ceil(sent / 4))} tokens` : 'adds nothing';
  const shown = turn.sources.filter(({ fate }) => fate !== 'missing');
  const doubt = turn.doubt ?? (turn.fidelity === 'exact' ? '' : words.fidelity(turn.fidelity));
  return html`<section class="turn">
    <h2>${at}. ${name} <small>${adds}</small></h2>
    <table class="steps">
      <tbody>
        ${shown.map(source => row(words.reaches(source) ? '+' : '=', wordOf(source), source, placeOf))}
        ${turn.gone.map(source => row('−', 'gone', source, placeOf))}
      </tbody>
    </table>
    ${doubt === '' ? '' : html`<p class="quiet">not exact: ${doubt}</p>`}
  </section>`;
}

/** A rule for some files waits for one of them. */
function wordOf({ fate, trigger, limit }: Source): string {
  return fate === 'dropped' && trigger !== 'session' && !limit ? 'waits' : words.fateOf(fate).word;
}

function row(mark: string, word: string, source: Source, placeOf: (path: string) => string): Html {
  const { path, url, reason } = source;
  const name = path === undefined ? html`${url ?? ''}` : link(path, placeOf(path));
  return html`<tr>
    <td>${mark}</td>
    <td class="name">${name}</td>
    <td>${word}</td>
    <td class="quiet">${word === 'gone' ? 'no longer in the context' : words.shortened(reason, placeOf)}</td>
  </tr>`;
}
