/** What a spreadsheet would take for a formula (OWASP, CSV injection): also full-width, and behind white space. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/u;
const CONTROL = /^[\t\r\n]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A text of a cell starts no formula: it has an apostrophe in front then, which spreadsheets show as none. */
function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) || CONTROL.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line as RFC 4180 has it. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}
