import type { Trend, TrendPoint } from '../wire/records.js';
import { momentOf } from './local-time.js';
import { printable } from './printable.js';
import { type Column, table } from './table.js';

/** A terminal holds as many beside the headings and figures. */
const GRAPH_COLUMNS = 48;
const BARS = [...'▁▂▃▄▅▆▇█'];
/** A period of which nothing is known. */
const NOTHING = ' ';

interface Resolution {
  readonly name: string;
  readonly lengthMs: number;
  /** The longest range that is still drawn in it. */
  readonly longestMs: number;
  readonly points: readonly TrendPoint[];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const startOf = ({ points: [first] }: Resolution) =>
  first === undefined ? Number.NaN : Date.parse(first.at);
const endOf = ({ points }: Resolution) => Date.parse(points.at(-1)?.at ?? '');

/** The finest in which all that is known can be drawn; undefined where nothing is known. */
function finestOf({ minutes, hours, days }: Trend): Resolution | undefined {
  const resolutions: readonly Resolution[] = [
    { name: 'minute', lengthMs: MINUTE_MS, longestMs: 2 * HOUR_MS, points: minutes },
    { name: 'hour', lengthMs: HOUR_MS, longestMs: 5 * DAY_MS, points: hours },
    { name: 'day', lengthMs: DAY_MS, longestMs: Number.POSITIVE_INFINITY, points: days },
  ].filter(({ points }) => points.length > 0);
  return resolutions.find((each, index) => {
    const coarser = resolutions.slice(index + 1);
    const isWhole = coarser.every((other) => startOf(each) < startOf(other) + other.lengthMs);
    return isWhole && endOf(each) - startOf(each) <= each.longestMs;
  });
}

const COLUMNS: readonly Column[] = [
  { heading: '', align: 'left' },
  { heading: 'trend', align: 'left' },
  { heading: 'least', align: 'right' },
  { heading: 'most', align: 'right' },
];

interface Series {
  readonly name: string;
  readonly of: (point: TrendPoint) => number;
  /** Of the periods that share a column. */
  readonly join: (values: readonly number[]) => number;
  readonly digits: number;
  /** What fills a column; undefined: the most of the series. */
  readonly full?: number;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;
const least = (values: readonly number[]) => Math.min(...values);
const most = (values: readonly number[]) => Math.max(...values);

const SERIES: readonly Series[] = [
  { name: 'reachability', of: ({ reachability }) => reachability.mean, join: mean, digits: 2, full: 1 },
  { name: 'lowest', of: ({ reachability }) => reachability.min, join: least, digits: 2, full: 1 },
  { name: 'eligible', of: ({ eligible }) => eligible, join: least, digits: 0 },
  { name: 'registered', of: ({ registered }) => registered, join: most, digits: 0 },
  { name: 'routed', of: ({ routed }) => routed, join: sum, digits: 0 },
  { name: 'failed', of: ({ failed }) => failed, join: sum, digits: 0 },
];

/** The points of each column of the graph, in which every period has its place, also those without a point. */
function columnsOf(points: readonly TrendPoint[], lengthMs: number): readonly (readonly TrendPoint[])[] {
  const times = points.map(({ at }) => Date.parse(at));
  const [first = 0] = times;
  const places = ((times.at(-1) ?? first) - first) / lengthMs + 1;
  const perColumn = Math.ceil(places / GRAPH_COLUMNS);
  const columns: TrendPoint[][] = Array.from({ length: Math.ceil(places / perColumn) }, () => []);
  for (const [index, point] of points.entries()) {
    const place = ((times[index] ?? first) - first) / lengthMs;
    columns[Math.floor(place / perColumn)]?.push(point);
  }
  return columns;
}

function rowOf(
  { name, of, join, digits, full }: Series,
  columns: readonly (readonly TrendPoint[])[],
): string[] {
  const values = columns.map((points) => (points.length === 0 ? undefined : join(points.map(of))));
  const known = values.filter((value) => value !== undefined);
  const top = full ?? Math.max(1, ...known);
  const barOf = (value: number) => BARS[Math.round((value / top) * (BARS.length - 1))] ?? NOTHING;
  const graph = values.map((value) => (value === undefined ? NOTHING : barOf(value))).join('');
  return [name, graph, least(known).toFixed(digits), most(known).toFixed(digits)];
}

/** How reachable an agent was, as bars over time. Ends with a newline. */
export function trendText(trend: Trend): string {
  const name = printable(trend.agentName);
  const resolution = finestOf(trend);
  if (resolution === undefined) return `nothing is recorded of ${name}\n`;
  const columns = columnsOf(resolution.points, resolution.lengthMs);
  const heading = `${name} by the ${resolution.name}, ${momentOf(startOf(resolution))} to ${momentOf(endOf(resolution))}\n`;
  return (
    heading +
    table(
      COLUMNS,
      SERIES.map((series) => rowOf(series, columns)),
    )
  );
}
