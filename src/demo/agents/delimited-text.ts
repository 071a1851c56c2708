/** One line of a table as it was written, with the line on which it begins (1 for the first). */
export interface DelimitedRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

export type DelimitedRead =
  | { readonly records: readonly DelimitedRecord[] }
  /** The line on which a quote opens that nothing closes. */
  | { readonly openQuoteOnLine: number };

/**
 * CSV or TSV as spreadsheets write it: cells in double quotes may hold the delimiter, line breaks and doubled
 * quotes; lines end in LF, CRLF or CR; blank lines count for nothing (RFC 4180, read generously). A quote in
 * the middle of a bare cell is an ordinary character.
 */
export function parseDelimited(text: string, delimiter: string): DelimitedRead {
  const records: DelimitedRecord[] = [];
  let cells: string[] = [];
  let line = 1;
  let recordLine = 1;
  let at = 0;

  const endRecord = () => {
    if (cells.length > 1 || cells[0] !== '') records.push({ line: recordLine, cells });
    cells = [];
  };

  while (at < text.length) {
    if (cells.length === 0) recordLine = line;
    if (text[at] === '"') {
      const quoted = readQuoted(text, at);
      if (quoted === undefined) return { openQuoteOnLine: line };
      line += lineBreaksIn(text.slice(at, quoted.end));
      const rest = readBare(text, quoted.end, delimiter);
      cells.push(quoted.cell + rest.cell);
      at = rest.end;
    } else {
      const bare = readBare(text, at, delimiter);
      cells.push(bare.cell);
      at = bare.end;
    }
    if (text[at] === delimiter) {
      at += 1;
      if (at === text.length) cells.push('');
    } else if (at < text.length) {
      at += text.startsWith('\r\n', at) ? 2 : 1;
      line += 1;
      endRecord();
    }
  }
  if (cells.length > 0) endRecord();
  return { records };
}

/** Writes records with CRLF ends; a cell is quoted where it must be. */
export function formatDelimited(records: readonly (readonly string[])[], delimiter: string): string {
  const written = (cell: string) =>
    cell.includes(delimiter) || /["\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  return records.map((cells) => `${cells.map(written).join(delimiter)}\r\n`).join('');
}

function readQuoted(text: string, start: number): { cell: string; end: number } | undefined {
  const pieces: string[] = [];
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return undefined;
    pieces.push(text.slice(from, quote));
    if (text[quote + 1] !== '"') return { cell: pieces.join('"'), end: quote + 1 };
    from = quote + 2;
  }
}

function readBare(text: string, start: number, delimiter: string): { cell: string; end: number } {
  let end = start;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return { cell: text.slice(start, end), end };
}

function lineBreaksIn(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}
