import { scaleLinear } from 'd3-scale';
import type { Change } from '../judging/tune-report.js';
import type { FigureWords } from './figure-words.js';
import { percent, points, pointsRange } from './figures-text.js';
import { html, type Markup, NOTHING } from './markup.js';

/** Drawings that stand in a cell of a table. */
const SIZE = { width: 150, height: 18, edge: 8 } as const;
const MIDDLE = SIZE.height / 2;

const strip = (title: string, inside: Markup) =>
  html`<svg class="strip" viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-label="${title}"><title>${title}</title>${inside}</svg>`;
const across = (domain: readonly [number, number]) =>
  scaleLinear(domain, [SIZE.edge, SIZE.width - SIZE.edge]);

/** A share before and after, between 0 and 100 %. */
export function stepStrip(before: number | null, after: number | null): Markup {
  if (before === null || after === null) return NOTHING;
  const x = across([0, 1]);
  return strip(
    `${percent(before)} before, ${percent(after)} after`,
    html`<line class="grid" x1="${x(0)}" x2="${x(1)}" y1="${MIDDLE}" y2="${MIDDLE}"/>
<line class="way" x1="${x(before)}" x2="${x(after)}" y1="${MIDDLE}" y2="${MIDDLE}"/>
<circle class="before" cx="${x(before)}" cy="${MIDDLE}" r="4"/><circle class="after" cx="${x(after)}" cy="${MIDDLE}" r="4"/>`,
  );
}

/** What a change says for sure: its interval lies on one side of none. */
function toneOf({ low, high }: Change, { lessIsBetter }: FigureWords): 'good' | 'bad' | 'open' {
  if (low <= 0 && high >= 0) return 'open';
  return low > 0 === (lessIsBetter === undefined) ? 'good' : 'bad';
}

/** A change with its interval, beside the line of none; all strips of a table reach as far as `most`. */
export function changeStrip(change: Change | null, most: number, words: FigureWords): Markup {
  if (change === null) return NOTHING;
  const x = across([-most, most]);
  return strip(
    `${points(change)} points, between ${pointsRange(change)}`,
    html`<line class="goal" x1="${x(0)}" x2="${x(0)}" y1="0" y2="${SIZE.height}"/>
<g class="${toneOf(change, words)}"><line class="whisker" x1="${x(change.low)}" x2="${x(change.high)}" y1="${MIDDLE}" y2="${MIDDLE}"/>
<circle cx="${x(change.change)}" cy="${MIDDLE}" r="4"/></g>`,
  );
}
