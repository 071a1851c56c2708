/** Where a text stops being JSON, and what would have been right there. */
export interface SyntaxFault {
  /** Index into the text; its length where the text ends too early. */
  readonly position: number;
  readonly expected: string;
}

class Fault extends Error {
  constructor(
    readonly position: number,
    readonly expected: string,
  ) {
    super(expected);
  }
}

const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACES = /[ \t\n\r]*/y;

/** The end of what a sticky pattern matches at `position`, or -1. */
function endOf(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

const skipSpaces = (text: string, position: number) => endOf(SPACES, text, position);

function stringEnd(text: string, start: number): number {
  let position = start + 1;
  while (position < text.length) {
    const char = text.charCodeAt(position);
    if (char === 0x22) return position + 1;
    if (char < 0x20) throw new Fault(position, 'no bare control character in a string');
    if (char === 0x5c) {
      const end = endOf(ESCAPE, text, position);
      if (end < 0) throw new Fault(position, 'a JSON escape such as \\n or \\u00e9');
      position = end;
    } else {
      position += 1;
    }
  }
  throw new Fault(position, 'a closing quote');
}

function memberEnd(text: string, start: number): number {
  if (text[start] !== '"') throw new Fault(start, 'a field name in double quotes');
  const colon = skipSpaces(text, stringEnd(text, start));
  if (text[colon] !== ':') throw new Fault(colon, "':'");
  return valueEnd(text, colon + 1);
}

/** Walks the items of an object or array that opens at `start`. */
function itemsEnd(text: string, start: number, close: string, itemEnd: typeof valueEnd): number {
  let position = skipSpaces(text, start + 1);
  if (text[position] === close) return position + 1;
  for (;;) {
    position = skipSpaces(text, itemEnd(text, position));
    if (text[position] === close) return position + 1;
    if (text[position] !== ',') throw new Fault(position, `',' or '${close}'`);
    position = skipSpaces(text, position + 1);
  }
}

function valueEnd(text: string, from: number): number {
  const start = skipSpaces(text, from);
  if (text[start] === '{') return itemsEnd(text, start, '}', memberEnd);
  if (text[start] === '[') return itemsEnd(text, start, ']', valueEnd);
  if (text[start] === '"') return stringEnd(text, start);
  const end = endOf(SCALAR, text, start);
  if (end < 0) throw new Fault(start, 'a JSON value');
  return end;
}

/**
 * The first fault of a text that `JSON.parse` refused (its own messages name no position for short texts);
 * undefined where the text is JSON. Recursive: the caller bounds the nesting first.
 */
export function findSyntaxFault(text: string): SyntaxFault | undefined {
  try {
    const end = skipSpaces(text, valueEnd(text, 0));
    return end === text.length ? undefined : { position: end, expected: 'the end of the body' };
  } catch (fault) {
    if (fault instanceof Fault) return { position: fault.position, expected: fault.expected };
    throw fault;
  }
}

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
