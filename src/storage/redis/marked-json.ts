import { ReachError } from '../../errors.js';

/**
 * A row as JSON behind a mark: what a script looks at, which reads no JSON, since it would not give back every text as
 * it was. A mark holds no space.
 */
export function markedJson(mark: string | number, value: unknown): string {
  return `${mark} ${JSON.stringify(value)}`;
}

/** The value behind the mark; `what` is named where it is none. @throws ReachError STORE_UNAVAILABLE */
export function valueIn<Value>(row: string, what: string): Value {
  return jsonFrom(row.slice(row.indexOf(' ') + 1), what);
}

/** The value of a JSON text; `what` is named where it is none. @throws ReachError STORE_UNAVAILABLE */
export function jsonFrom<Value>(text: string, what: string): Value {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const detail = `What Redis keeps as ${what} is no JSON: somebody else writes under our prefix, or it is damaged.`;
    throw new ReachError('STORE_UNAVAILABLE', detail, { cause });
  }
}
