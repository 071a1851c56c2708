import type { HttpResponse } from '../net/http-outcome.js';
import { isObject, type JsonObject } from '../wire/json-object.js';

export type AnswerBody =
  | { readonly kind: 'object'; readonly value: JsonObject }
  /** `fault` completes the sentence "the agent answered with ...". */
  | { readonly kind: 'unreadable'; readonly fault: string };

/** Nesting past which an answer is refused: whoever writes it out again must not run out of stack. */
const MAX_DEPTH = 512;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function deeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((item) => deeperThan(item, depth - 1));
}

/** The media type of an answer without its parameters, lower case; '' where it has none. */
export function mediaTypeOf({ headers }: HttpResponse): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** The body of an answer as a JSON object. A wrong media type is forgiven where the body is JSON all the same. */
export function readAnswerBody(answer: HttpResponse): AnswerBody {
  const unreadable = (fault: string): AnswerBody => ({ kind: 'unreadable', fault });
  if (answer.body.length === 0) return unreadable('an empty body');
  const encoding = answer.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return unreadable(`a body encoded as ${encoding}`);
  let text: string;
  try {
    text = UTF8.decode(answer.body);
  } catch {
    return unreadable('a body that is not valid UTF-8');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unreadable(`a body that is not JSON (media type ${mediaTypeOf(answer) || 'not given'})`);
  }
  if (!isObject(value)) return unreadable('JSON that is not an object');
  if (deeperThan(value, MAX_DEPTH)) return unreadable(`JSON nested deeper than ${MAX_DEPTH}`);
  return { kind: 'object', value };
}
