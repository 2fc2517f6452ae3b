// Why a file is, or is not, loaded: per agent a sentence, then what it looked for, in which order, and what it found.

import { html, link, type Html } from './page';
import type { Briefing, Explanations, Probe } from './protocol';
import * as words from './words';

type Explanation = Explanations['explanations'][number];

interface Asked {
  /** The file that is asked about. */
  file: string;
  /** The file that the agent would read; absent: at the start of a session. */
  reads: string | undefined;
  /** Where agents are started. */
  where: string;
  explanations: Explanation[];
  /** With traces. */
  briefings: Briefing[];
  titleOf: (harness: string) => string;
  placeOf: (path: string) => string;
}

/** How many looks of one step are shown. */
const SHOWN = 12;

export function why(asked: Asked): Html {
  const { file, reads, where, explanations, titleOf, placeOf } = asked;
  const name = placeOf(file);
  const considered = explanations.filter(({ fate, probes }) => fate !== null || probes.length);
  const others = explanations.filter(({ fate, probes }) => fate === null && !probes.length);
  const rank = ({ fate }: Explanation) => (fate === null ? 2 : words.reaches({ fate }) ? 0 : 1);
  considered.sort((a, b) => rank(a) - rank(b));
  const when = reads ? `before it reads ${reads}` : 'when a session starts';
  return html`<header>
      <h1>Is ${link(file, name)} loaded?</h1>
      <p class="quiet">For an agent that is started in ${where}, ${when}</p>
    </header>
    ${considered.map(one => section(one, asked))}
    ${
      others.length
        ? html`<section>
            <h2>Never looked at</h2>
            <p>${others.map(({ harness }) => titleOf(harness)).join(', ')}: no rule leads there.</p>
          </section>`
        : ''
    }`;
}

function section(explanation: Explanation, asked: Asked): Html {
  const { harness, edition, fate, reason } = explanation;
  const briefing = asked.briefings.find(one => one.harness === harness && one.edition === edition);
  const source = briefing?.sources.find(({ path }) => path === asked.file);
  const target = briefing ? briefing.target !== null : false;
  const word =
    source && briefing
      ? words.fateText(source, briefing.standpoint, target)
      : fate === null
        ? 'not looked at'
        : words.fateOf(fate).word;
  const title = asked.titleOf(harness);
  const said = words.shortened(reason, asked.placeOf);
  const by = source?.by;
  const instead = by && !said.includes(asked.placeOf(by)) ? html`<p>Instead: ${link(by, asked.placeOf(by))}</p>` : '';
  return html`<section>
    <h2>
      ${title} <small>${briefing ? words.versionOf(briefing) : edition}</small>
      <span class="badge fate-${fate ?? 'none'}">${word}</span>
    </h2>
    <p>${verdict(title, explanation, source ? words.sizeOf(source) : '', asked)}: ${said}.</p>
    ${instead} ${steps(title, briefing?.trace ?? explanation.probes, asked)}
  </section>`;
}

function verdict(title: string, { fate }: Explanation, size: string, { reads }: Asked): string {
  const when = reads ? `when it reads ${reads.split('/').pop() ?? reads}` : 'at the start of a session';
  if (fate === 'loaded') {
    return `${title} loads all of it ${when}${size ? ` (${size})` : ''}`;
  }
  if (fate === 'truncated') {
    return `${title} loads a part of it ${when} (${size})`;
  }
  return fate === 'listed'
    ? `${title} is told that it exists, by name and description`
    : `${title} does not load it ${when}`;
}

/** A run of looks that one rule made. */
interface Step {
  rule: string;
  probes: Probe[];
}

/** The steps in which the file was looked for, with everything else that was looked for there, in order. */
function steps(title: string, trace: Probe[], asked: Asked): Html {
  const all: Step[] = [];
  // Where the agent never looks, Briefing may have looked, to say what is there.
  const never = trace.findIndex(({ path, asked: how }) => path === asked.file && how === 'never');
  for (const probe of trace.filter(({ path }, at) => never < 0 || at <= never || path !== asked.file)) {
    const last = all.at(-1);
    if (last?.rule === probe.rule) {
      last.probes.push(probe);
    } else {
      all.push({ rule: probe.rule, probes: [probe] });
    }
  }
  const found = all.filter(({ probes }) => probes.some(({ path }) => path === asked.file));
  return found.length
    ? html`<h3>How ${title} looked</h3>
        <ol>
          ${found.map(step => html`<li>${words.shortened(step.rule, asked.placeOf)}${looks(step, asked)}</li>`)}
        </ol>`
    : html``;
}

function looks({ probes }: Step, asked: Asked): Html {
  // What stands around the look at the file itself.
  const at = probes.findIndex(({ path }) => path === asked.file);
  const from = Math.max(0, Math.min(at - SHOWN / 2, probes.length - SHOWN));
  const shown = probes.slice(from, from + SHOWN);
  const more = probes.length - shown.length;
  return html`<ul>
    ${shown.map(probe => {
      const own = probe.path === asked.file;
      const name = html`<code>${asked.placeOf(probe.path)}</code>`;
      return html`<li class="${own ? 'own' : 'quiet'}">${name} ${found(probe)}</li>`;
    })}
    ${more > 0 ? html`<li class="quiet">and ${words.count(more, 'other place')}</li>` : ''}
  </ul>`;
}

/** What was looked for at a place, and what was found. */
function found({ asked, answer }: Probe): string {
  switch (asked) {
    case 'never':
      return 'is not looked for';
    case 'content':
      return answer === 'absent'
        ? 'is not there'
        : `was read: ${answer.replace(/\d{4,}/g, n => words.grouped(Number(n)))}`;
    case 'listing':
      return answer === 'absent' ? 'is not there' : `was listed: ${answer}`;
    case 'glob':
      return `was searched: ${answer}`;
    default:
      return answer === 'absent'
        ? 'is not there'
        : answer === 'file' || answer === 'directory'
          ? 'is there'
          : `is: ${answer}`;
  }
}
