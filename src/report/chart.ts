import { type ScaleContinuousNumeric, scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { roughPercent } from './figures-text.js';
import { html, type Markup } from './markup.js';

type Scale = ScaleContinuousNumeric<number, number>;

export interface Axis {
  readonly label: string;
  /** With its domain; where it is drawn is up to the chart. */
  readonly scale: Scale;
  readonly ticks: readonly number[];
  readonly format: (value: number) => string;
}

const SHARES = [0, 0.2, 0.4, 0.6, 0.8, 1];

/** An axis of shares, from none to all. */
export function shareAxis(label: string): Axis {
  return { label, scale: scaleLinear([0, 1], [0, 1]), ticks: SHARES, format: roughPercent };
}

/** Where the values of both axes lie on the drawing. */
export interface Plane {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

export interface Chart {
  /** What it shows, for whoever cannot see it. */
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly x: Axis;
  readonly y: Axis;
  readonly marks: (plane: Plane) => readonly Markup[];
}

const MARGIN = { top: 14, right: 22, bottom: 46, left: 74 } as const;

/** A drawing with axes and a grid. */
export function chart({ title, width, height, x, y, marks }: Chart): Markup {
  const [left, right, top, bottom] = [MARGIN.left, width - MARGIN.right, MARGIN.top, height - MARGIN.bottom];
  const across = x.scale.copy().range([left, right]);
  const up = y.scale.copy().range([bottom, top]);
  const columns = x.ticks.map((tick) => {
    const at = across(tick);
    return html`<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${bottom}"/><text x="${at}" y="${bottom + 18}" text-anchor="middle">${x.format(tick)}</text>`;
  });
  const rows = y.ticks.map((tick) => {
    const at = up(tick);
    return html`<line class="grid" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/><text x="${left - 8}" y="${at + 4}" text-anchor="end">${y.format(tick)}</text>`;
  });
  const middle = (top + bottom) / 2;
  return html`<svg viewBox="0 0 ${width} ${height}" style="max-width:${width}px" role="img" aria-label="${title}">
${columns}${rows}
<text class="axis" x="${(left + right) / 2}" y="${height - 8}" text-anchor="middle">${x.label}</text>
<text class="axis" transform="translate(14 ${middle}) rotate(-90)" text-anchor="middle">${y.label}</text>
${marks({ x: across, y: up })}
</svg>`;
}

/** A line through points, with a gap where a value is null. */
export function curve<Point>(
  points: readonly Point[],
  x: (point: Point) => number,
  y: (point: Point) => number | null,
  { plane, style }: { readonly plane: Plane; readonly style: string },
): Markup {
  const path = line<Point>()
    .defined((point) => y(point) !== null)
    .x((point) => plane.x(x(point)))
    .y((point) => plane.y(y(point) ?? 0))
    .digits(1);
  return html`<path class="${style}" d="${path([...points]) ?? ''}"/>`;
}
