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
  const { value, ceiling } = figure;
  return {
    ...figure,
    value: rounded(value),
    ...(ceiling === undefined ? {} : { ceiling: rounded(ceiling) }),
    holds: holds(figure),
  };
}

/** Four significant digits: more would only be noise. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

const HEAD = ['figure', 'value', 'goal', 'ceiling (bare run)', 'holds'];

function cellsOf({
  name,
  value,
  unit,
  goal,
  better,
  ceiling,
  holds,
}: BenchResult['figures'][number]): string[] {
  return [
    name,
    `${value} ${unit}`,
    goal === null ? '' : `${better === 'lower' ? '<=' : '>='} ${goal} ${unit}`,
    ceiling === undefined ? '' : `${ceiling} ${unit}`,
    goal === null ? '' : holds ? 'yes' : 'NO',
  ];
}

/** The figures as columns for a terminal. */
export function textTable(result: BenchResult): string {
  const rows = [HEAD, ...result.figures.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
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
  const rows = [HEAD, HEAD.map(() => '---'), ...result.figures.map(cellsOf)];
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
