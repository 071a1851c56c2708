import type { ThresholdPoint } from '../judging/tune-charts.js';
import type { TuneReport } from '../judging/tune-report.js';
import { chart, curve, type Plane, shareAxis } from './chart.js';
import { roughPercent } from './figures-text.js';
import { html, type Markup } from './markup.js';

function curves(points: readonly ThresholdPoint[], when: 'before' | 'after', plane: Plane): Markup {
  const threshold = (point: ThresholdPoint) => point.threshold;
  return html`${curve(points, threshold, ({ coverage }) => coverage, { plane, style: `coverage ${when}` })}
${curve(points, threshold, ({ precision }) => precision, { plane, style: `precision ${when}` })}`;
}

function thresholdLine(threshold: number, when: 'before' | 'after', { x, y }: Plane): Markup {
  const at = x(threshold);
  return html`<line class="limit ${when}" x1="${at}" x2="${at}" y1="${y(0)}" y2="${y(1)}"><title>threshold ${when}: ${threshold}</title></line>`;
}

/** How right answers are, and how many there are, wherever the threshold is put. */
export function thresholdChart({ charts, weights, precision }: TuneReport): Markup {
  const { before, after } = charts.thresholds;
  return chart({
    title: `Precision and coverage over the threshold, which goes from ${weights.threshold.before} to ${weights.threshold.after}`,
    width: 680,
    height: 360,
    x: { ...shareAxis('threshold: the least confidence to act on'), format: (value) => value.toFixed(1) },
    y: shareAxis('share'),
    marks: (plane) => [
      html`<line class="goal" x1="${plane.x(0)}" x2="${plane.x(1)}" y1="${plane.y(precision)}" y2="${plane.y(precision)}"><title>precision asked for: ${roughPercent(precision)}</title></line>`,
      thresholdLine(weights.threshold.before, 'before', plane),
      thresholdLine(weights.threshold.after, 'after', plane),
      curves(before, 'before', plane),
      curves(after, 'after', plane),
    ],
  });
}
