import { isObject } from '../wire/json-object.js';
import { pointerStep } from '../wire/json-pointer.js';
import { fault, listOf, type Reader, refusal } from './payload-reader.js';

/** What a cell of a table can hold. */
export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

const row: Reader<Row> = (value, pointer) => {
  if (!isObject(value)) return fault(pointer, 'an object of column names and values', value);
  const faults = Object.entries(value).flatMap(([column, cell]) =>
    isCell(cell)
      ? []
      : fault(pointer + pointerStep(column), 'a string, a number, true, false or null', cell).faults,
  );
  return faults.length > 0 ? { faults } : { value: value as Row };
};

/** Rows of a table as objects, at least `minRows` of them. */
export function rows(minRows = 1): Reader<readonly Row[]> {
  const least = minRows === 1 ? '1 row' : `${minRows} rows`;
  return listOf(row, `an array of at least ${least}`, minRows);
}

/** The names of all columns, in the order in which they first occur. */
export function columnsOf(table: readonly Row[]): readonly string[] {
  return [...new Set(table.flatMap((each) => Object.keys(each)))];
}

/** The columns that hold numbers, and apart from numbers nothing but gaps. */
export function numericColumns(table: readonly Row[]): readonly string[] {
  const seen = new Map<string, boolean>();
  for (const each of table) {
    for (const [column, cell] of Object.entries(each)) {
      if (isGap(cell)) continue;
      seen.set(column, (seen.get(column) ?? true) && typeof cell === 'number');
    }
  }
  return [...seen].flatMap(([column, numeric]) => (numeric ? [column] : []));
}

/** The value of a row in a column; null where there is none, also for names that every object inherits. */
export function cellOf(each: Row, column: string): Cell {
  return Object.hasOwn(each, column) ? (each[column] ?? null) : null;
}

/** The numbers of a column; gaps are left out. */
export function numbersOf(table: readonly Row[], column: string): readonly number[] {
  return table.flatMap((each) => {
    const cell = cellOf(each, column);
    return typeof cell === 'number' ? [cell] : [];
  });
}

/** A column that a caller named, checked to be one of those that can serve. @throws PayloadError */
export function namedColumn(name: string, pointer: string, columns: readonly string[]): string {
  if (columns.includes(name)) return name;
  throw refusal(pointer, columns.length > 0 ? `one of ${columns.join(', ')}` : 'a column that fits', name);
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

/** Rounded for people: sums of decimal fractions else show the noise of binary ones. */
export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

function isCell(value: unknown): value is Cell {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function isGap(cell: Cell): boolean {
  return cell === null || cell === '';
}
