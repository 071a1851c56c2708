/** A place in a text as a person finds it in an editor: both counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export function placeOf(text: string, offset: number): TextPlace {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', lineStart)) {
    line += 1;
    lineStart = at + 1;
  }
  return { line, column: offset - lineStart + 1 };
}
