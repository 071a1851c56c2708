import { fault, type Read, type Reader } from '../payload-reader.js';
import { type Cell, cellOf, columnsOf, type Row, rows } from '../rows.js';
import { type DelimitedRecord, formatDelimited, parseDelimited } from './delimited-text.js';
import { formatMarkdownTable, parseMarkdownTable } from './markdown-table.js';

export const TABLE_FORMATS = ['csv', 'tsv', 'json', 'markdown'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];
export const CSV_DELIMITERS = [',', ';', '|'] as const;

/** A table without its format: every row has a cell for every column. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** What was odd in the text and how it was read, one sentence each. */
  readonly warnings: readonly string[];
}

/** The text of a table, or its rows as objects. */
export type TableContent = string | readonly Row[];

/** Bounds the memory that a small text can ask for: a wide header times many short rows. */
const MAX_CELLS = 200_000;
const WARNINGS_LISTED = 20;

export const tableContent: Reader<TableContent> = (value, pointer) => {
  if (typeof value === 'string' && value.trim() !== '') return { value: value.replace(/^\uFEFF/, '') };
  if (Array.isArray(value)) return rows()(value, pointer);
  return fault(pointer, 'the text of a table, or an array of rows', value);
};

/** The format in which a content is most likely written. */
export function detectFormat(content: TableContent): TableFormat {
  if (typeof content !== 'string' || /^\s*[[{]/.test(content)) return 'json';
  if (parseMarkdownTable(content) !== undefined) return 'markdown';
  return firstLine(content).includes('\t') ? 'tsv' : 'csv';
}

/** Reads a content in a format. `delimiter` is that of CSV, found out where it is undefined. */
export function readTable(
  content: TableContent,
  format: TableFormat,
  delimiter: string | undefined,
  pointer: string,
): Read<Table> {
  if (typeof content !== 'string') return tableOfRows(content, pointer);
  if (format === 'json') {
    const parsed = parsedJson(content);
    const read = rows()(parsed, pointer);
    return 'value' in read ? tableOfRows(read.value, pointer) : read;
  }
  if (format === 'markdown') {
    const lines = parseMarkdownTable(content);
    if (lines === undefined) return fault(pointer, 'a Markdown table with a header and a rule', content);
    return tableOfRecords(
      lines.map((cells, index) => ({ line: index === 0 ? 1 : index + 2, cells })),
      content,
      pointer,
    );
  }
  const read = parseDelimited(content, format === 'tsv' ? '\t' : (delimiter ?? likeliestDelimiter(content)));
  return 'records' in read
    ? tableOfRecords(read.records, content, pointer)
    : fault(pointer, `a closing quote for the one that opens on line ${read.openQuoteOnLine}`, content);
}

/** Writes a table as text. JSON has no text form here: it is given as rows, see `rowsOf`. */
export function writeTable(table: Table, format: Exclude<TableFormat, 'json'>, delimiter = ','): string {
  const written = table.rows.map((cells) => cells.map((cell) => (cell === null ? '' : String(cell))));
  return format === 'markdown'
    ? formatMarkdownTable(table.columns, written)
    : formatDelimited([table.columns, ...written], format === 'tsv' ? '\t' : delimiter);
}

/** The table as objects, one a row. */
export function rowsOf(table: Table): readonly Row[] {
  return table.rows.map((cells) =>
    Object.fromEntries(table.columns.map((column, index) => [column, cells[index] ?? null])),
  );
}

/** A cell's text as the value that it shows; numbers that JSON would not keep as written stay text. */
export function typedCell(cell: Cell): Cell {
  if (typeof cell !== 'string') return cell;
  if (cell === '') return null;
  if (cell === 'true' || cell === 'false') return cell === 'true';
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(cell) && cell.replace(/\D/g, '').length <= 15 ? Number(cell) : cell;
}

function tableOfRows(objects: readonly Row[], pointer: string): Read<Table> {
  const columns = columnsOf(objects);
  return (
    tooLarge(columns.length, objects.length, pointer) ?? {
      value: {
        columns,
        rows: objects.map((each) => columns.map((column) => cellOf(each, column))),
        warnings: [],
      },
    }
  );
}

function tableOfRecords(records: readonly DelimitedRecord[], content: string, pointer: string): Read<Table> {
  const [header, ...body] = records;
  if (header === undefined) return fault(pointer, 'a table with a header line', content);
  const declared = header.cells.length;
  const width = records.reduce((widest, { cells }) => Math.max(widest, cells.length), 0);
  const ragged = body.filter(({ cells }) => cells.length !== declared);
  return (
    tooLarge(width, body.length, pointer) ?? {
      value: {
        columns: uniqueNames(Array.from({ length: width }, (_, index) => header.cells[index] ?? '')),
        rows: body.map(({ cells }) => Array.from({ length: width }, (_, index) => cells[index] ?? '')),
        warnings: ragged
          .slice(0, WARNINGS_LISTED)
          .map(({ line, cells }) => `line ${line}: ${cells.length} cells, the header has ${declared}`),
      },
    }
  );
}

function tooLarge(columns: number, rowCount: number, pointer: string): Read<never> | undefined {
  const cells = columns * rowCount;
  return cells > MAX_CELLS ? fault(pointer, `a table of at most ${MAX_CELLS} cells`, cells) : undefined;
}

/** Names for all columns: one without gets its place, one that was there already a number behind it. */
function uniqueNames(header: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  for (const [index, cell] of header.entries()) {
    const wanted = cell.trim() || `column_${index + 1}`;
    let name = wanted;
    for (let copy = 2; taken.has(name); copy += 1) name = `${wanted}_${copy}`;
    taken.add(name);
  }
  return [...taken];
}

function likeliestDelimiter(content: string): string {
  const header = firstLine(content);
  const counts = CSV_DELIMITERS.map((delimiter) => ({ delimiter, count: header.split(delimiter).length }));
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).delimiter;
}

function firstLine(content: string): string {
  return content.trimStart().split(/[\r\n]/, 1)[0] ?? '';
}

/** Text that is no JSON comes back as it is, to be told as what was received. */
function parsedJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
