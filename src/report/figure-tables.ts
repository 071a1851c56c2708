import {
  CHANGES,
  type ChangeName,
  type Compared,
  type ComparedCapability,
  figureOf,
  type TuneReport,
} from '../judging/tune-report.js';
import { FIGURE_WORDS } from './figure-words.js';
import { percent, points, pointsRange } from './figures-text.js';
import { html, type Markup, NOTHING, quoted } from './markup.js';
import { changeStrip, stepStrip } from './strip.js';

/** More rows are read in the JSON. */
const SHOWN_CAPABILITIES = 40;
/** Of the strips of changes, in either direction. */
const LEAST_REACH = 0.02;

const intents = (count: number) => `${count} ${count === 1 ? 'intent' : 'intents'}`;

/** All figures before and after, with what chance leaves open. */
export function changeTable({ before, after, changes }: Compared): Markup {
  const ends = Object.values(changes).flatMap((change) => (change === null ? [] : [change.low, change.high]));
  const most = Math.max(LEAST_REACH, ...ends.map(Math.abs));
  const rows = CHANGES.map((name) => {
    const words = FIGURE_WORDS[name];
    return html`<tr><th scope="row">${words.title} <code>${name}</code><p>${words.meaning}</p></th>
<td>${percent(figureOf(before, name))}</td><td>${percent(figureOf(after, name))}</td>
<td>${points(changes[name])}</td><td>${changeStrip(changes[name], most, words)}<br><small>${pointsRange(changes[name])}</small></td></tr>`;
  });
  return html`<div class="scroll"><table><thead><tr><th>figure</th><th>before</th><th>after</th><th>change in points</th><th>90 of 100 times between</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function stepCell(before: number | null, after: number | null): Markup {
  return html`<td>${stepStrip(before, after)}<br><small>${percent(before)} → ${percent(after)}</small></td>`;
}

/** Every language with its figures before and after. */
export function languageTable(byLang: TuneReport['by_lang']): Markup {
  const heads = CHANGES.map((name) => html`<th>${FIGURE_WORDS[name].title}</th>`);
  const cell = ({ before, after }: Compared, name: ChangeName) =>
    stepCell(figureOf(before, name), figureOf(after, name));
  const rows = Object.entries(byLang).map(
    ([lang, compared]) =>
      html`<tr><th scope="row">${quoted(lang)}<p>${intents(compared.after.queries)}, nothing fits ${compared.after.out_of_scope} of them</p></th>${CHANGES.map((name) => cell(compared, name))}</tr>`,
  );
  return html`<div class="scroll"><table><thead><tr><th>language</th>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

function capabilityRow(name: string, { queries, before, after }: ComparedCapability): Markup {
  const threshold =
    before.threshold === after.threshold
      ? html`${after.threshold}`
      : html`${before.threshold} → ${after.threshold}`;
  return html`<tr><th scope="row">${quoted(name)}<p>${intents(queries)}</p></th><td>${threshold}</td>${stepCell(before.top1, after.top1)}${stepCell(before.precision, after.precision)}${stepCell(before.found, after.found)}</tr>`;
}

/** The capabilities that are asked for most. */
export function capabilityTable(byCapability: TuneReport['by_capability']): Markup {
  const all = Object.entries(byCapability);
  const rows = all.slice(0, SHOWN_CAPABILITIES).map(([name, compared]) => capabilityRow(name, compared));
  const more = all.length - rows.length;
  const note =
    more > 0
      ? html`<p>${more} more capabilities with fewer intents are in the JSON (<code>--json</code>).</p>`
      : NOTHING;
  return html`<div class="scroll"><table><thead><tr><th>capability</th><th>threshold</th><th>Right one first</th><th>Right when it acts on it</th><th>Asked for, and acted on rightly</th></tr></thead><tbody>${rows}</tbody></table></div>${note}`;
}
