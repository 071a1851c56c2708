/** A regular expression, as far as its paths depend on it. */
export type PatternNode =
  /** One character of those that `source` stands for: itself, an escape, a class or `.`. */
  | { readonly kind: 'character'; readonly source: string }
  /** `^`, `$`, `\b`, `\B`. */
  | { readonly kind: 'assertion'; readonly source: string }
  | { readonly kind: 'lookaround'; readonly isAhead: boolean; readonly body: PatternNode }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly min: number; readonly max: number };

const ESCAPE = String.raw`\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|k<[^>]*>|[1-9]\d*|.)`;
const CLASS = String.raw`\[(?:\\.|[^\\\]])*\]`;
const GROUP = String.raw`\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?`;
const QUANTIFIER = String.raw`(?:[*+?]|\{\d+(?:,\d*)?\})\??`;
const TOKEN = new RegExp(`${ESCAPE}|${CLASS}|${GROUP}|${QUANTIFIER}|.`, 'gsu');
const IS_QUANTIFIER = new RegExp(`^${QUANTIFIER}$`, 'u');
const IS_BACK_REFERENCE = /^\\(?:k<|[1-9])/;

function boundsOf(quantifier: string): { min: number; max: number } {
  if (quantifier.startsWith('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
  if (quantifier.startsWith('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
  if (quantifier.startsWith('?')) return { min: 0, max: 1 };
  const [min, max = min] = quantifier.replace(/[{}?]/g, '').split(',');
  return { min: Number(min), max: max === '' ? Number.POSITIVE_INFINITY : Number(max) };
}

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#tokens = source.match(TOKEN) ?? [];
  }

  /** Up to the end of the group; undefined where something in it is not known here. */
  choice(): PatternNode | undefined {
    const branches: PatternNode[] = [];
    do {
      const branch = this.#sequence();
      if (branch === undefined) return undefined;
      branches.push(branch);
    } while (this.#take('|'));
    const [only] = branches;
    return branches.length > 1 || only === undefined ? { kind: 'choice', branches } : only;
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }

  #sequence(): PatternNode | undefined {
    const items: PatternNode[] = [];
    for (let token = this.#tokens[this.#at]; token !== undefined; token = this.#tokens[this.#at]) {
      if (token === '|' || token === ')') break;
      const item = this.#repeated();
      if (item === undefined) return undefined;
      items.push(item);
    }
    return { kind: 'sequence', items };
  }

  #repeated(): PatternNode | undefined {
    const item = this.#item();
    const quantifier = this.#tokens[this.#at] ?? '';
    if (item === undefined || !IS_QUANTIFIER.test(quantifier)) return item;
    this.#at += 1;
    return { kind: 'repeat', item, ...boundsOf(quantifier) };
  }

  #item(): PatternNode | undefined {
    const source = this.#tokens[this.#at] ?? '';
    this.#at += 1;
    if (source.startsWith('(')) return this.#group(source);
    if (source === '^' || source === '$' || source === '\\b' || source === '\\B') {
      return { kind: 'assertion', source };
    }
    if (IS_BACK_REFERENCE.test(source) || IS_QUANTIFIER.test(source)) return undefined;
    return { kind: 'character', source };
  }

  #group(opening: string): PatternNode | undefined {
    const body = this.choice();
    if (body === undefined || !this.#take(')')) return undefined;
    if (!/^\(\?<?[=!]/.test(opening)) return body;
    return { kind: 'lookaround', isAhead: !opening.startsWith('(?<'), body };
  }
}

/**
 * Reads a regular expression that is valid under the flag `u`. Groups and lazy quantifiers count as plain ones:
 * they change what is captured, not how much is tried. Undefined where it has back references, or syntax of a
 * later day.
 */
export function patternTree(source: string): PatternNode | undefined {
  return new Reader(source).choice();
}
