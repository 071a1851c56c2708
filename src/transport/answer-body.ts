import type { HttpHead, HttpResponse } from '../net/http-outcome.js';
import { isObject, type JsonObject } from '../wire/json-object.js';

/** Something that an agent sent. `fault` completes the sentence "the agent answered with ...". */
type Read<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | { readonly kind: 'unreadable'; readonly fault: string };

/** Nesting past which an answer is refused: whoever writes it out again must not run out of stack. */
const MAX_DEPTH = 512;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

const unreadable = (fault: string) => ({ kind: 'unreadable', fault }) as const;

function deeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((item) => deeperThan(item, depth - 1));
}

/** The media type of an answer without its parameters, lower case; '' where it has none. */
export function mediaTypeOf({ headers }: HttpHead): string {
  const type = headers['content-type'] ?? '';
  const end = type.indexOf(';');
  return (end === -1 ? type : type.slice(0, end)).trim().toLowerCase();
}

/** Text as JSON. `what` names the text in a fault. */
export function readJson(text: string, what: string): Read<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unreadable(`${what} that is not JSON`);
  }
  // Each level takes two characters: most texts are too short to be nested so deep.
  return text.length > 2 * MAX_DEPTH && deeperThan(value, MAX_DEPTH)
    ? unreadable(`${what} nested deeper than ${MAX_DEPTH}`)
    : { kind: 'read', value };
}

export function readJsonObject(text: string, what: string): Read<JsonObject> {
  const json = readJson(text, what);
  if (json.kind === 'unreadable') return json;
  return isObject(json.value)
    ? { kind: 'read', value: json.value }
    : unreadable(`${what} that is not an object`);
}

/** The body of an answer as a JSON object. A wrong media type is forgiven where the body is JSON all the same. */
export function readAnswerBody(answer: HttpResponse): Read<JsonObject> {
  if (answer.body.length === 0) return unreadable('an empty body');
  const encoding = answer.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return unreadable(`a body encoded as ${encoding}`);
  let text: string;
  try {
    text = UTF8.decode(answer.body);
  } catch {
    return unreadable('a body that is not valid UTF-8');
  }
  return readJsonObject(text, `a body of media type ${mediaTypeOf(answer) || 'not given'}`);
}
