import { exists } from '../calendar-date.js';
import type { Cell } from '../rows.js';
import { type Table, typedCell } from './table-formats.js';

type ColumnType = 'number' | 'date' | 'boolean' | 'text' | 'mixed' | 'empty';

/** What is in a column. `min` and `max` are there for numbers and dates. */
export interface ColumnProfile {
  readonly name: string;
  readonly type: ColumnType;
  readonly empty: number;
  readonly distinct: number;
  readonly min?: Cell;
  readonly max?: Cell;
}

export function profileColumns(table: Table): readonly ColumnProfile[] {
  return table.columns.map((name, index) => {
    const cells = table.rows.map((row) => typedCell(row[index] ?? null));
    const filled = cells.filter((cell) => cell !== null);
    const type = commonType(filled);
    return {
      name,
      type,
      empty: cells.length - filled.length,
      distinct: new Set(filled).size,
      ...(type === 'number' || type === 'date' ? rangeOf(filled) : {}),
    };
  });
}

/** The places (0 for the first) of rows that an earlier row says already. */
export function repeatedRows(table: Table): readonly number[] {
  const seen = new Set<string>();
  return table.rows.flatMap((row, index) => {
    const key = JSON.stringify(row);
    if (seen.has(key)) return [index];
    seen.add(key);
    return [];
  });
}

function commonType(cells: readonly Cell[]): ColumnType {
  const types = new Set(cells.map(typeOf));
  const [first] = types;
  if (first === undefined) return 'empty';
  return types.size === 1 ? first : 'mixed';
}

function typeOf(cell: Cell): ColumnType {
  if (typeof cell === 'number') return 'number';
  if (typeof cell === 'boolean') return 'boolean';
  return typeof cell === 'string' && exists(cell) ? 'date' : 'text';
}

/** Numbers compare as numbers and ISO dates as strings: both as `<` does. */
function rangeOf(cells: readonly (string | number | boolean)[]): { min: Cell; max: Cell } {
  const sorted = cells.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
  return { min: sorted.at(0) ?? null, max: sorted.at(-1) ?? null };
}
