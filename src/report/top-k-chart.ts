import { scaleLinear, scaleLog } from 'd3-scale';
import type { TopKPoint } from '../learning/tune-charts.js';
import type { Step } from '../learning/tune-report.js';
import { type Axis, chart, curve, type Plane } from './chart.js';
import { percent } from './figures-text.js';
import { html, type Markup } from './markup.js';
import { shareAxis } from './threshold-chart.js';

const SIZE = { width: 460, height: 300 } as const;

function countAxis(points: readonly TopKPoint[]): Axis {
  const most = Math.max(2, ...points.map(({ top_k }) => top_k));
  const scale = scaleLog([1, most], [0, 1]).base(2);
  return { label: 'top_k: candidates looked at', scale, ticks: scale.ticks(6), format: String };
}

function dots(
  points: readonly TopKPoint[],
  value: (point: TopKPoint) => number | null,
  tell: (point: TopKPoint) => string,
  { x, y }: Plane,
) {
  return points.flatMap((point) => {
    const at = value(point);
    if (at === null) return [];
    return html`<circle class="after" cx="${x(point.top_k)}" cy="${y(at)}" r="4"><title>${point.top_k}: ${tell(point)}</title></circle>`;
  });
}

function chosen({ after }: Step, { x }: Plane, [from, to]: readonly [number, number]): Markup {
  return html`<line class="limit after" x1="${x(after)}" x2="${x(after)}" y1="${from}" y2="${to}"><title>top_k after: ${after}</title></line>`;
}

function recallChart(points: readonly TopKPoint[], topK: Step): Markup {
  const recall = ({ recall: share }: TopKPoint) => share;
  return chart({
    title: `Share of intents whose right capability is among the first candidates; top_k is ${topK.after} after`,
    ...SIZE,
    x: countAxis(points),
    y: shareAxis('right one among them'),
    marks: (plane) => [
      chosen(topK, plane, [plane.y(0), plane.y(1)]),
      curve(points, ({ top_k }) => top_k, recall, { plane, style: 'precision after' }),
      ...dots(points, recall, (point) => percent(point.recall), plane),
    ],
  });
}

function latencyChart(points: readonly TopKPoint[], topK: Step): Markup {
  const most = Math.max(0.1, ...points.map(({ latency_ms }) => latency_ms.p99));
  const scale = scaleLinear([0, most], [0, 1]).nice(4);
  const [, top = most] = scale.domain();
  return chart({
    title: `Time of a decision in milliseconds over the candidates looked at, at most ${most.toFixed(1)}`,
    ...SIZE,
    x: countAxis(points),
    y: { label: 'ms a decision', scale, ticks: scale.ticks(4), format: scale.tickFormat(4) },
    marks: (plane) => [
      chosen(topK, plane, [plane.y(0), plane.y(top)]),
      curve(
        points,
        ({ top_k }) => top_k,
        ({ latency_ms }) => latency_ms.p50,
        { plane, style: 'precision after' },
      ),
      curve(
        points,
        ({ top_k }) => top_k,
        ({ latency_ms }) => latency_ms.p99,
        { plane, style: 'coverage after' },
      ),
      ...dots(
        points,
        ({ latency_ms }) => latency_ms.p50,
        (point) => `p50 ${point.latency_ms.p50.toFixed(2)} ms`,
        plane,
      ),
    ],
  });
}

/** What looking at more candidates finds, and what it costs. */
export function topKCharts(points: readonly TopKPoint[], topK: Step): Markup {
  return html`<div class="pair">${recallChart(points, topK)}${latencyChart(points, topK)}</div>`;
}
