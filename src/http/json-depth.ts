/** The position of the bracket that nests deeper than `maxDepth`, or -1. Looks at brackets only, in one pass. */
export function findTooDeep(text: string, maxDepth: number): number {
  let depth = 0;
  let quoted = false;
  for (let position = 0; position < text.length; position += 1) {
    const char = text.charCodeAt(position);
    if (quoted) {
      if (char === 0x5c) position += 1;
      else if (char === 0x22) quoted = false;
    } else if (char === 0x22) {
      quoted = true;
    } else if (char === 0x7b || char === 0x5b) {
      depth += 1;
      if (depth > maxDepth) return position;
    } else if (char === 0x7d || char === 0x5d) {
      depth -= 1;
    }
  }
  return -1;
}
