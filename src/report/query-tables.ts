import { shortened } from '../evaluation/shortened.js';
import type { ConfusedPair } from '../judging/tune-charts.js';
import type { ComparedQuery, QueryAnswer } from '../judging/tune-report.js';
import { percent } from './figures-text.js';
import { html, type Markup, quoted } from './markup.js';

/** More pairs are folded away. */
const SHOWN_PAIRS = 12;

const nothingFits = html`<i>nothing fits</i>`;
const namesOf = (names: readonly string[]) =>
  names.length === 0
    ? nothingFits
    : html`${names.map((name, place) => html`${place === 0 ? '' : ' or '}${quoted(name)}`)}`;

/** What was found, how sure it was, and what came of it. */
function answerCell({ predicted, right, confidence, sure }: QueryAnswer): Markup {
  const verdict = `${right ? 'right' : 'wrong'}, ${sure ? 'acted on' : 'left alone'}`;
  return html`<td><span class="${right ? 'good' : 'bad'}">${right ? '✓' : '✗'}</span> ${namesOf(predicted === null ? [] : [predicted])}<p>${percent(confidence)} sure: ${verdict}</p></td>`;
}

/** Queries whose answers changed, before and after side by side. */
export function queryTable(queries: readonly ComparedQuery[]): Markup {
  if (queries.length === 0) return html`<p>None.</p>`;
  const rows = queries.map(
    ({ intent, lang, expected, before, after }) =>
      html`<tr><th scope="row">${quoted(shortened(intent), lang)}<p>expected ${namesOf(expected)}</p></th>${answerCell(before)}${answerCell(after)}</tr>`,
  );
  return html`<div class="scroll"><table><thead><tr><th>intent</th><th>before</th><th>after</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function bar(count: number, most: number, when: 'before' | 'after'): Markup {
  return html`<div class="bar ${when}" style="width:${(100 * count) / most}%"></div>`;
}

function pairTable(pairs: readonly ConfusedPair[], most: number): Markup {
  const rows = pairs.map(
    ({ expected, predicted, before, after }) =>
      html`<tr><th scope="row">${namesOf(expected === null ? [] : [expected])}</th><td>${quoted(predicted)}</td><td>${before} → ${after}</td><td class="bars">${bar(before, most, 'before')}${bar(after, most, 'after')}</td></tr>`,
  );
  return html`<div class="scroll"><table><thead><tr><th>asked for</th><th>taken for</th><th>times before → after</th><th></th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Which capabilities are taken for which; beyond the first, folded away. */
export function confusionTable(pairs: readonly ConfusedPair[]): Markup {
  if (pairs.length === 0) return html`<p>None was taken for another.</p>`;
  const most = Math.max(...pairs.flatMap(({ before, after }) => [before, after]));
  const rest = pairs.slice(SHOWN_PAIRS);
  const folded =
    rest.length === 0
      ? []
      : html`<details><summary>${rest.length} more</summary>${pairTable(rest, most)}</details>`;
  return html`${pairTable(pairs.slice(0, SHOWN_PAIRS), most)}${folded}`;
}
