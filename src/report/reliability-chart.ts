import type { ReliabilityBin, TuneCharts } from '../judging/tune-charts.js';
import { chart, type Plane, shareAxis } from './chart.js';
import { percent } from './figures-text.js';
import { html, type Markup } from './markup.js';

function bin(
  { answers, confidence, right, interval }: ReliabilityBin,
  when: 'before' | 'after',
  { x, y }: Plane,
) {
  const at = x(confidence);
  const told = `${when}: ${answers} answers with a confidence of about ${percent(confidence)}; ${percent(right)} of them were right (${percent(interval.low)} to ${percent(interval.high)})`;
  return html`<g class="${when}"><title>${told}</title>
<line class="whisker" x1="${at}" x2="${at}" y1="${y(interval.low)}" y2="${y(interval.high)}"/>
<circle cx="${at}" cy="${y(right)}" r="5"/></g>`;
}

/** How often answers are right, by how sure they were. */
export function reliabilityChart({ reliability }: TuneCharts): Markup {
  const { before, after } = reliability;
  return chart({
    title: 'Share of right answers over their confidence; on the diagonal, confidence is true',
    width: 480,
    height: 460,
    x: shareAxis('confidence: how sure it was'),
    y: shareAxis('how often it was right'),
    marks: (plane) => [
      html`<line class="goal" x1="${plane.x(0)}" y1="${plane.y(0)}" x2="${plane.x(1)}" y2="${plane.y(1)}"/>
<text class="hint" x="${plane.x(0.04)}" y="${plane.y(0.93)}">above: too modest</text>
<text class="hint" x="${plane.x(0.96)}" y="${plane.y(0.05)}" text-anchor="end">below: too sure</text>`,
      ...before.map((each) => bin(each, 'before', plane)),
      ...after.map((each) => bin(each, 'after', plane)),
    ],
  });
}
