import { type Content, html, type Markup } from './markup.js';

/** How to read a part of the page, for a person who sees it for the first time. */
export interface Reading {
  readonly shows: Content;
  readonly good: Content;
  readonly advice: Content;
}

/** A part of the page under its heading: how to read it, then what there is to read. */
export function section(
  heading: string,
  { shows, good, advice }: Reading,
  ...body: readonly Content[]
): Markup {
  return html`<section><h2>${heading}</h2>
<dl class="reading"><dt>What it shows</dt><dd>${shows}</dd><dt>Good looks like</dt><dd>${good}</dd><dt>What to do</dt><dd>${advice}</dd></dl>
${body}</section>`;
}

/** What the marks of a drawing stand for: each a sample, 30 by 12, and its words. */
export function key(...entries: readonly (readonly [sample: Markup, words: string])[]): Markup {
  const items = entries.map(
    ([sample, words]) => html`<li><svg viewBox="0 0 30 12" aria-hidden="true">${sample}</svg>${words}</li>`,
  );
  return html`<ul class="key">${items}</ul>`;
}

export const LINE = {
  precision: html`<path class="precision after" d="M0 6H30"/>`,
  coverage: html`<path class="coverage after" d="M0 6H30"/>`,
  before: html`<path class="before" style="stroke:var(--quiet)" d="M0 6H30"/>`,
  limit: html`<line class="limit" x1="15" x2="15" y1="0" y2="12"/>`,
  goal: html`<line class="goal" x1="0" x2="30" y1="6" y2="6"/>`,
} as const;

export const DOT = {
  before: html`<circle class="before" cx="15" cy="6" r="4"/>`,
  after: html`<circle class="after" cx="15" cy="6" r="4"/>`,
} as const;
