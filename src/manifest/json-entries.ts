/** Where JSON text is not JSON. */
export class JsonFault extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
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

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

const afterSpace = (text: string, at: number) => after(SPACE, text, at);

function afterString(text: string, at: number): number {
  for (let index = at + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x22) return index + 1;
    if (code === 0x5c) index += 1;
    if (code < 0x20) throw new JsonFault(index, 'a control character or line break inside a string');
  }
  throw new JsonFault(at, 'a string that does not end');
}

function unexpected(text: string, at: number, expected: string): JsonFault {
  const found =
    at < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0)) : 'the end';
  return new JsonFault(at, `expected ${expected}, found ${found}`);
}

function parsedName(text: string, at: number, end: number): string {
  try {
    return JSON.parse(text.slice(at, end));
  } catch {
    throw new JsonFault(at, 'a string with an escape that does not exist');
  }
}

/**
 * The entries of JSON text with their places, which `JSON.parse` does not tell: it does not see repeated names
 * either. Any depth.
 * @throws JsonFault where the text is not JSON.
 */
export function* jsonEntries(text: string): Generator<JsonEntry> {
  const open: Container[] = [];
  let at = afterSpace(text, 0);
  for (;;) {
    // Here stands a value.
    const first = text[at];
    if (first === '{' || first === '[') {
      open.push({ close: first === '{' ? '}' : ']', names: first === '{' ? new Set() : undefined, items: 0 });
      at = afterSpace(text, at + 1);
    } else {
      const end = first === '"' ? afterString(text, at) : after(SCALAR, text, at);
      if (end === at) throw unexpected(text, at, 'a value');
      at = afterSpace(text, end);
    }
    // Here stands what may follow a value or an opening bracket.
    let container = open.at(-1);
    while (container !== undefined && text[at] === container.close) {
      open.pop();
      at = afterSpace(text, at + 1);
      container = open.at(-1);
    }
    if (container === undefined) {
      if (at < text.length) throw unexpected(text, at, 'nothing more');
      return;
    }
    if (container.items > 0) {
      if (text[at] !== ',') throw unexpected(text, at, `, or ${container.close}`);
      at = afterSpace(text, at + 1);
    }
    const offset = at;
    let key = String(container.items);
    let repeated = false;
    if (container.names !== undefined) {
      if (text[at] !== '"') throw unexpected(text, at, 'a name in double quotes');
      const end = afterString(text, at);
      key = parsedName(text, at, end);
      repeated = container.names.has(key);
      container.names.add(key);
      at = afterSpace(text, end);
      if (text[at] !== ':') throw unexpected(text, at, ':');
      at = afterSpace(text, at + 1);
    }
    yield { depth: open.length, key, offset, repeated };
    container.items += 1;
  }
}
