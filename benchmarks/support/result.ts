import { type Bench, type Figure, holds } from './figure.js';
import { describeMachine, type Machine } from './machine.js';

interface JudgedFigure extends Figure {
  readonly holds: boolean;
}

/** The outcome of a benchmark as `--json` prints it. */
export interface BenchResult {
  readonly bench: string;
  readonly machine: Machine;
  readonly figures: readonly JudgedFigure[];
}

/** Runs a benchmark and judges its figures. */
export async function resultOf(bench: Bench): Promise<BenchResult> {
  const figures = await bench.run();
  return {
    bench: bench.name,
    machine: describeMachine(),
    figures: figures.map(judged),
  };
}

function judged(figure: Figure): JudgedFigure {
  const { value, goal, ceiling, chance } = figure;
  return {
    ...figure,
    value: rounded(value),
    goal: goal === null ? null : rounded(goal),
    ...(ceiling === undefined ? {} : { ceiling: rounded(ceiling) }),
    ...(chance === undefined ? {} : { chance: { low: rounded(chance.low), high: rounded(chance.high) } }),
    holds: holds(figure),
  };
}

/** Four significant digits: more would only be noise. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

interface Column {
  readonly head: string;
  readonly cell: (figure: JudgedFigure) => string;
}

const COLUMNS: readonly Column[] = [
  { head: 'figure', cell: ({ name }) => name },
  { head: 'value', cell: ({ value, unit }) => `${value} ${unit}` },
  {
    head: 'goal',
    cell: ({ goal, better, unit }) =>
      goal === null ? '' : `${better === 'lower' ? '<=' : '>='} ${goal} ${unit}`,
  },
  {
    head: 'ceiling (bare run)',
    cell: ({ ceiling, unit }) => (ceiling === undefined ? '' : `${ceiling} ${unit}`),
  },
  { head: 'holds', cell: ({ goal, holds }) => (goal === null ? '' : holds ? 'yes' : 'NO') },
];
/** Only where some figure says it. */
const CHANCE: Column = {
  head: 'chance, 95 %',
  cell: ({ chance }) => (chance === undefined ? '' : `${chance.low} to ${chance.high}`),
};

/** The cells of the tables, row by row, the first their heads. */
function cellsOf({ figures }: BenchResult): string[][] {
  const columns = figures.some(({ chance }) => chance !== undefined) ? [...COLUMNS, CHANCE] : COLUMNS;
  return [
    columns.map(({ head }) => head),
    ...figures.map((figure) => columns.map(({ cell }) => cell(figure))),
  ];
}

/** The figures as columns for a terminal. */
export function textTable(result: BenchResult): string {
  const rows = cellsOf(result);
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The figures as a Markdown table. */
export function markdownTable(result: BenchResult): string {
  const [heads = [], ...rows] = cellsOf(result);
  return [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
