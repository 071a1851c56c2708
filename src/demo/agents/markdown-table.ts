const RULE_CELL = /^:?-+:?$/;

/** The header and the rows of a Markdown table; undefined where the text is none. */
export function parseMarkdownTable(text: string): readonly (readonly string[])[] | undefined {
  const [header, rule, ...rows] = text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '')
    .map(cellsOf);
  const isTable = header !== undefined && rule?.every((cell) => RULE_CELL.test(cell)) === true;
  return isTable ? [header, ...rows] : undefined;
}

/** Writes a Markdown table; a pipe is escaped, a line break becomes `<br>`. */
export function formatMarkdownTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const written = (cells: readonly string[]) => `| ${cells.map(escapedCell).join(' | ')} |\n`;
  return [columns, columns.map(() => '---'), ...rows].map(written).join('');
}

function cellsOf(line: string): readonly string[] {
  const trimmed = line.trim();
  const inner = trimmed.slice(trimmed.startsWith('|') ? 1 : 0, /(?<!\\)\|$/.test(trimmed) ? -1 : undefined);
  return inner.split(/(?<!\\)\|/).map((cell) =>
    cell
      .trim()
      .replaceAll('\\|', '|')
      .replaceAll(/<br\s?\/?>/gi, '\n'),
  );
}

function escapedCell(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll(/\r\n|\r|\n/g, '<br>');
}
