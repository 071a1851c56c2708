/** Where a text stops being JSON, and what would have been right there. */
export class JsonFault extends Error {
  /** Index into the text; its length where the text ends too early. */
  readonly offset: number;
  /** Undefined where the text should have ended. */
  readonly expected: string | undefined;
  /** The character that stands there, quoted; undefined at the end of the text. */
  readonly found: string | undefined;

  constructor(text: string, offset: number, expected: string | undefined) {
    super(`no JSON from character ${offset} on`);
    const point = text.codePointAt(offset);
    this.offset = offset;
    this.expected = expected;
    this.found = point === undefined ? undefined : JSON.stringify(String.fromCodePoint(point));
  }
}

/** A field of an object or an item of an array, where it begins in the text. */
export interface JsonEntry {
  /** 1 in the outermost object or array. */
  readonly depth: number;
  readonly key: string;
  readonly offset: number;
  /** True where the object has a field of this name already. */
  readonly repeated: boolean;
}

interface Container {
  readonly close: '}' | ']';
  /** The names so far of an object; undefined in an array. */
  readonly names: Set<string> | undefined;
  items: number;
}

const SPACES = /[ \t\n\r]*/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The end of what a sticky pattern matches at `offset`, or -1. */
function endOf(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

function afterSpaces(text: string, offset: number): number {
  // Most often there are none, and asking a pattern takes far longer.
  return text.charCodeAt(offset) > 0x20 ? offset : endOf(SPACES, text, offset);
}

function afterString(text: string, start: number): number {
  let offset = start + 1;
  while (offset < text.length) {
    const code = text.charCodeAt(offset);
    if (code === 0x22) return offset + 1;
    if (code < 0x20) throw new JsonFault(text, offset, 'no bare control character in a string');
    if (code === 0x5c) {
      const end = endOf(ESCAPE, text, offset);
      if (end < 0) throw new JsonFault(text, offset, 'a JSON escape such as \\n or \\u00e9');
      offset = end;
    } else {
      offset += 1;
    }
  }
  throw new JsonFault(text, offset, 'a closing quote');
}

function afterScalar(text: string, start: number): number {
  const end = text[start] === '"' ? afterString(text, start) : endOf(SCALAR, text, start);
  if (end < 0) throw new JsonFault(text, start, 'a JSON value');
  return end;
}

/** The name that stands from `start` to `end`, quotes included. */
function nameIn(text: string, start: number, end: number): string {
  const plain = text.slice(start + 1, end - 1);
  return plain.includes('\\') ? JSON.parse(text.slice(start, end)) : plain;
}

/**
 * The entries of JSON text with their places, which `JSON.parse` does not tell: it does not see repeated names
 * either, and its messages name no place for short texts. Any depth.
 * @throws JsonFault where the text is not JSON.
 */
export function* jsonEntries(text: string): Generator<JsonEntry> {
  const open: Container[] = [];
  let at = afterSpaces(text, 0);
  for (;;) {
    // Here stands a value.
    const first = text[at];
    if (first === '{' || first === '[') {
      open.push({ close: first === '{' ? '}' : ']', names: first === '{' ? new Set() : undefined, items: 0 });
      at = afterSpaces(text, at + 1);
    } else {
      at = afterSpaces(text, afterScalar(text, at));
    }
    // Here stands what may follow a value or an opening bracket.
    let container = open.at(-1);
    while (container !== undefined && text[at] === container.close) {
      open.pop();
      at = afterSpaces(text, at + 1);
      container = open.at(-1);
    }
    if (container === undefined) {
      if (at < text.length) throw new JsonFault(text, at, undefined);
      return;
    }
    if (container.items > 0) {
      if (text[at] !== ',') throw new JsonFault(text, at, `',' or '${container.close}'`);
      at = afterSpaces(text, at + 1);
    }
    const offset = at;
    let key = String(container.items);
    let repeated = false;
    if (container.names !== undefined) {
      if (text[at] !== '"') throw new JsonFault(text, at, 'a field name in double quotes');
      const end = afterString(text, at);
      key = nameIn(text, at, end);
      repeated = container.names.has(key);
      container.names.add(key);
      at = afterSpaces(text, end);
      if (text[at] !== ':') throw new JsonFault(text, at, "':'");
      at = afterSpaces(text, at + 1);
    }
    yield { depth: open.length, key, offset, repeated };
    container.items += 1;
  }
}

/** The first fault of a text that `JSON.parse` refused; undefined where it is JSON after all. */
export function findJsonFault(text: string): JsonFault | undefined {
  const entries = jsonEntries(text);
  try {
    while (!entries.next().done);
    return undefined;
  } catch (fault) {
    if (fault instanceof JsonFault) return fault;
    throw fault;
  }
}
