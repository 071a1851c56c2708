import { scaleLog } from 'd3-scale';
import type { TopKPoint } from '../judging/tune-charts.js';
import type { Step } from '../judging/tune-report.js';
import { type Axis, chart, curve, type Plane, shareAxis } from './chart.js';
import { percent } from './figures-text.js';
import { html, type Markup } from './markup.js';

const SIZE = { width: 460, height: 300 } as const;

const topKOf = ({ top_k }: TopKPoint) => top_k;

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
      curve(points, topKOf, recall, { plane, style: 'precision after' }),
      ...dots(points, recall, (point) => percent(point.recall), plane),
    ],
  });
}

/** By ratio, 1 to 2 to 5 to 10: half of the decisions and the slowest of a hundred may lie far apart. */
function millisecondsAxis(points: readonly TopKPoint[]): Axis & { readonly ends: readonly [number, number] } {
  const times = points.flatMap(({ latency_ms: { p50, p99 } }) => [p50, p99]).filter((ms) => ms > 0);
  const low = 10 ** Math.floor(Math.log10(Math.min(1, ...times)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(10, ...times)));
  const scale = scaleLog([low, high], [0, 1]).clamp(true);
  const ticks = scale.ticks().filter((ms) => /^[125]e/.test(ms.toExponential(0)));
  return { label: 'ms a decision', scale, ticks, format: String, ends: [low, high] };
}

function latencyChart(points: readonly TopKPoint[], topK: Step): Markup {
  const { ends, ...y } = millisecondsAxis(points);
  const p50 = ({ latency_ms }: TopKPoint) => latency_ms.p50;
  const p99 = ({ latency_ms }: TopKPoint) => latency_ms.p99;
  return chart({
    title: 'Milliseconds of a decision over the candidates looked at',
    ...SIZE,
    x: countAxis(points),
    y,
    marks: (plane) => [
      chosen(topK, plane, [plane.y(ends[0]), plane.y(ends[1])]),
      curve(points, topKOf, p50, { plane, style: 'precision after' }),
      curve(points, topKOf, p99, { plane, style: 'coverage after' }),
      ...dots(points, p50, (point) => `p50 ${p50(point).toFixed(2)} ms`, plane),
    ],
  });
}

/** What looking at more candidates finds, and what it costs. */
export function topKCharts(points: readonly TopKPoint[], topK: Step): Markup {
  return html`<div class="pair">${recallChart(points, topK)}${latencyChart(points, topK)}</div>`;
}
