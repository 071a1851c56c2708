/** Blocks that terminals draw two columns wide: East Asian Wide and Fullwidth of Unicode's UAX #11. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;
const ASCII = /^[ -~]*$/;

function isWide(grapheme: string): boolean {
  const point = grapheme.codePointAt(0) ?? 0;
  return EMOJI.test(grapheme) || WIDE.some(([first, last]) => point >= first && point <= last);
}

/** How many terminal columns a text takes: what a reader sees as one sign counts once, CJK and emoji twice. */
export function columnsOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) {
    if (!INVISIBLE.test(segment)) columns += isWide(segment) ? 2 : 1;
  }
  return columns;
}

/** A text in at most so many columns: what is too long ends in an ellipsis. */
export function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let cut = '';
  let taken = 1;
  for (const { segment } of graphemes.segment(text)) {
    taken += columnsOf(segment);
    if (taken > columns) break;
    cut += segment;
  }
  return `${cut}…`;
}
