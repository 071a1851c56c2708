import type { Step, TuneReport, WeightsChange } from '../judging/tune-report.js';
import { compact } from './figures-text.js';
import { html, type Markup, quoted } from './markup.js';

const step = ({ before, after }: Step) =>
  before === after ? compact(after) : `${compact(before)} → ${compact(after)}`;
const own = (threshold: number | null) => (threshold === null ? 'the global one' : compact(threshold));

function thresholdTable(thresholds: WeightsChange['thresholds']): Markup {
  const rows = Object.entries(thresholds).map(
    ([name, { before, after }]) =>
      html`<tr><th scope="row">${quoted(name)}</th><td>${own(before)}</td><td>${own(after)}</td></tr>`,
  );
  if (rows.length === 0) return html`<p>No capability has a threshold of its own, before or after.</p>`;
  return html`<div class="scroll"><table><thead><tr><th>capability</th><th>threshold before</th><th>after</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function featureTable(features: WeightsChange['features']): Markup {
  const rows = Object.entries(features).map(
    ([name, { without_payload: without, with_payload: withPayload }]) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${step(without)}</td><td>${step(withPayload)}</td></tr>`,
  );
  return html`<details><summary>What each signal counts (${rows.length})</summary><div class="scroll"><table><thead><tr><th>signal</th><th>without a payload</th><th>with a payload</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

/** What differs between the weights. */
export function weightsSection({ weights }: TuneReport): Markup {
  return html`<section><h2>What would be set</h2>
<p>The global threshold: ${step(weights.threshold)}. Candidates looked at (<code>top_k</code>): ${step(weights.top_k)}.</p>
${thresholdTable(weights.thresholds)}${featureTable(weights.features)}</section>`;
}

/** Which labels did not count, and what cannot be concluded. */
export function leftOutSection({ labels, notes }: TuneReport): Markup {
  return html`<section><h2>What was left out, and what cannot be told</h2>
<p>Of ${labels.total} labels, ${labels.learned_from} were learned from and ${labels.judged_on} judged on.</p>
<ul>${notes.map((note) => html`<li>${quoted(note)}</li>`)}</ul></section>`;
}
