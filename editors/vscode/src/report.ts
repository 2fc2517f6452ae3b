// The context report: what each source takes of what a harness tells, as a chart and a table.

import { html, link, type Html } from './page';
import type { ContextReport, SourceShare } from './protocol';
import * as words from './words';

/** Colours of the chart, by the order of the sources; the classes are in `page.css`. */
const COLORS = 6;
/** Sources with a bar of their own; the rest is one bar. */
const BARS = 40;

export function report(
  reports: ContextReport[],
  titleOf: (harness: string) => string,
  about: string,
  placeOf: (path: string) => string,
): Html {
  const told = reports.filter(({ sources }) => sources.some(words.counts));
  const silent = reports.filter(({ sources }) => !sources.some(words.counts));
  const quiet = silent.length
    ? html`<p class="quiet">No instruction files: ${silent.map(({ harness }) => titleOf(harness)).join(', ')}</p>`
    : '';
  return html`<header>
      <h1>Context report</h1>
      <p class="quiet">${about}</p>
    </header>
    ${told.map(one => section(one, titleOf(one.harness), placeOf))}${quiet}`;
}

function section(report: ContextReport, title: string, placeOf: (path: string) => string): Html {
  const { totals, whole, sources } = report;
  const reaching = sources.filter(source => source.injected > 0);
  const rest = sources.filter(source => source.injected === 0 && source.fate !== 'missing');
  const exact = words.fidelity(report.fidelity);
  return html`<section>
    <h2>${title} <small>${report.edition} · ${exact}</small></h2>
    <p class="total">
      <b>${words.grouped(whole.bytes)} B</b> ≈ ${words.grouped(whole.tokens.value)} tokens
      <span class="quiet">(${whole.tokens.method})</span>
    </p>
    ${whole.layers.length > 1 ? html`<p class="quiet">${words.layers(whole)}</p>` : ''}
    ${chart(reaching, report, placeOf)}
    <table>
      <thead>
        <tr>
          <th></th>
          <th>source</th>
          <th>fate</th>
          <th class="extra">when</th>
          <th class="number">share</th>
          <th class="number">reaches the model</th>
          <th class="number extra">size</th>
          <th class="number extra">≈ tokens</th>
        </tr>
      </thead>
      <tbody>
        ${reaching.map((source, at) => row(source, at, placeOf))}
        ${
          report.frame > 0
            ? html`<tr class="quiet">
                <td><span class="swatch frame"></span></td>
                <td class="name">wrappers, headings, separators</td>
                <td></td>
                <td class="extra"></td>
                <td class="number">${percent(report.frame, totals.bytes)}</td>
                <td class="number">${words.grouped(report.frame)} B</td>
                <td class="extra"></td>
                <td class="number extra">${words.grouped(Math.ceil(report.frame / 4))}</td>
              </tr>`
            : ''
        }
        ${rest.map((source, at) => row(source, at, placeOf))}
      </tbody>
    </table>
  </section>`;
}

/** One bar, shared out; an SVG, because the page's policy forbids styles in the text. */
function chart(sources: SourceShare[], { totals, frame }: ContextReport, placeOf: (path: string) => string): Html {
  if (!totals.bytes) {
    return html``;
  }
  let x = 0;
  const bars = sources.slice(0, BARS).map(({ name, injected, share }, at) => {
    const width = (injected / totals.bytes) * 100;
    const rect = html`<rect class="c${at % COLORS}" x="${x}" y="0" width="${width}" height="10">
      <title>${placeOf(name)}: ${words.size(injected)}, ${share} %</title>
    </rect>`;
    x += width;
    return rect;
  });
  const others = sources.slice(BARS).reduce((sum, { injected }) => sum + injected, 0);
  if (others) {
    const width = (others / totals.bytes) * 100;
    bars.push(
      html`<rect class="others" x="${x}" y="0" width="${width}" height="10">
        <title>${words.count(sources.length - BARS, 'more file')}: ${words.size(others)}</title>
      </rect>`,
    );
    x += width;
  }
  const label = `shares of ${words.count(sources.length, 'source')}`;
  return html`<svg class="chart" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${label}">
    <rect class="frame" x="0" y="0" width="100" height="10"><title>wrappers: ${words.size(frame)}</title></rect>
    ${bars}
  </svg>`;
}

function row(source: SourceShare, at: number, placeOf: (path: string) => string): Html {
  const { name, fate, injected, size, tokens } = source;
  const swatch = injected > 0 ? html`<span class="swatch ${at < BARS ? `c${at % COLORS}` : 'others'}"></span>` : '';
  const short = placeOf(name);
  const named = /^[a-z]+:\/\//.test(name) || fate === 'missing' ? html`${short}` : link(name, short);
  return html`<tr class="${injected > 0 ? '' : 'quiet'}">
    <td>${swatch}</td>
    <td class="name">${named}</td>
    <td class="fate-${fate}">${words.fateOf(fate).word}</td>
    <td class="extra">${words.when(source.trigger)}</td>
    <td class="number">${injected > 0 ? `${source.share} %` : ''}</td>
    <td class="number">${injected > 0 ? `${words.grouped(injected)} B` : ''}</td>
    <td class="number extra">${size ? `${words.grouped(size.bytes)} B` : ''}</td>
    <td class="number extra">${injected > 0 ? words.grouped(tokens.value) : ''}</td>
  </tr>`;
}

function percent(part: number, whole: number): string {
  return whole ? `${Math.round((part * 1000) / whole) / 10} %` : '';
}
