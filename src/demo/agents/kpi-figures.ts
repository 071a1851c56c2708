import {
  type Cell,
  cellOf,
  columnsOf,
  numbersOf,
  numericColumns,
  type Row,
  rounded,
  sumOf,
} from '../rows.js';

/** One metric over all rows of a period. Growth is a ratio: 0.12 is 12 % more than before. */
export interface MetricFigures {
  readonly metric: string;
  readonly total: number;
  readonly average: number;
  readonly previousTotal: number | null;
  readonly growth: number | null;
}

/** How teams name the column with the value of the period before: alone, before or behind the metric's name. */
const PREVIOUS_MARKS = ['previous', 'last_week', '上周', '上期'] as const;

/** The growth from one value to the next; null where there is nothing positive to grow from. */
export function growthOf(current: number, previous: number | null): number | null {
  return previous === null || previous <= 0 ? null : rounded((current - previous) / previous, 4);
}

/** The columns that are measured: numbers, but not those of the period before. */
export function metricsOf(rows: readonly Row[]): readonly string[] {
  return numericColumns(rows).filter((column) => !isPrevious(column));
}

/** The column that names a row: the first that holds text, or undefined where none does. */
export function labelColumn(rows: readonly Row[]): string | undefined {
  return columnsOf(rows).find((column) => rows.some((row) => typeof cellOf(row, column) === 'string'));
}

/** How a row is called in a ranking or comparison: its label, or its place where it has none. */
export function labelOf(label: Cell, index: number): string {
  return label === null || label === '' ? `#${index + 1}` : String(label);
}

export function metricFigures(rows: readonly Row[]): readonly MetricFigures[] {
  const metrics = metricsOf(rows);
  return metrics.map((metric) => {
    const values = numbersOf(rows, metric);
    const total = rounded(sumOf(values));
    const before = previousColumn(rows, metric, metrics.length === 1);
    const previousTotal = before === undefined ? null : rounded(sumOf(numbersOf(rows, before)));
    return {
      metric,
      total,
      average: rounded(total / values.length),
      previousTotal,
      growth: growthOf(total, previousTotal),
    };
  });
}

function previousColumn(rows: readonly Row[], metric: string, onlyMetric: boolean): string | undefined {
  return numericColumns(rows).find((column) =>
    PREVIOUS_MARKS.some(
      (mark) =>
        column === `${mark}_${metric}` ||
        column === `${metric}_${mark}` ||
        column === `${mark}${metric}` ||
        (onlyMetric && column === mark),
    ),
  );
}

function isPrevious(column: string): boolean {
  return PREVIOUS_MARKS.some((mark) => column.startsWith(mark) || column.endsWith(mark));
}
