import { printable } from './printable.js';
import { columnsOf } from './text-width.js';

/** A column: its heading and the side on which its cells stand. Numbers read best on the right. */
export interface Column {
  readonly heading: string;
  readonly align: 'left' | 'right';
}

function padded(cell: string, width: number, align: Column['align']): string {
  const gap = ' '.repeat(width - columnsOf(cell));
  return align === 'left' ? cell + gap : gap + cell;
}

/** Rows under headings, two spaces apart, aligned by what a terminal shows. Ends with a newline. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const lines = [columns.map(({ heading }) => heading), ...rows.map((row) => row.map(printable))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => columnsOf(line[index] ?? ''))));
  return lines
    .map((line) => {
      const cells = columns.map(({ align }, index) => padded(line[index] ?? '', widths[index] ?? 0, align));
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}
