// Control characters (C0, DEL, C1), line and paragraph separators, marks that turn the direction of text, half
// surrogate pairs: what could move a cursor, fake a line or hide a word on somebody's terminal.
const HOSTILE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text from elsewhere (names, reasons, answers) as one line that does nothing to a terminal. */
export function printable(text: string): string {
  return text.replace(HOSTILE, escaped);
}

/** A value as indented JSON; the same characters stay escaped, so that it is still the same JSON. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(HOSTILE, (char) => (char === '\n' ? char : escaped(char)));
}
