// Why a file is, or is not, loaded: per harness what became of it, and what was asked about it.

import { html, link, type Html } from './page';
import type { Explanations } from './protocol';
import * as words from './words';

export function why(
  file: string,
  name: string,
  { explanations }: Explanations,
  titleOf: (harness: string) => string,
): Html {
  // Those that do something with the file come first.
  const ordered = [...explanations].sort((a, b) => Number(a.fate === null) - Number(b.fate === null));
  return html`<header>
      <h1>Why ${link(file, name)} is loaded or not</h1>
      <p class="quiet">${file}</p>
    </header>
    ${ordered.map(({ harness, edition, fate, reason, probes }) => {
      const word = fate === null ? 'not looked at' : words.fateOf(fate).word;
      return html`<section>
        <h2>
          ${titleOf(harness)} <small>${edition}</small>
          <span class="badge fate-${fate ?? 'none'}">${word}</span>
        </h2>
        <p>${reason}</p>
        ${
          probes.length
            ? html`<table>
                <thead>
                  <tr>
                    <th>asked</th>
                    <th>answer</th>
                    <th>because</th>
                  </tr>
                </thead>
                <tbody>
                  ${probes.map(
                    ({ asked, answer, rule }) =>
                      html`<tr>
                        <td>${asked}</td>
                        <td>${answer}</td>
                        <td>${rule}</td>
                      </tr>`,
                  )}
                </tbody>
              </table>`
            : ''
        }
      </section>`;
    })}`;
}
