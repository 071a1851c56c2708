import { LIMITS } from '../wire/limits.js';

/** What one block of server-sent events says; without data it only tells when and where to go on. */
export interface EventBlock {
  readonly event: string;
  readonly id: string | undefined;
  readonly retryMs: number | undefined;
  readonly data: string | undefined;
}

/** No event of a server is longer, an answer with its result included; without an end, a line would fill the memory. */
const MAX_CHARS = 2 * LIMITS.answerBytes;
const LINE_END = /\r\n|\n|\r(?!$)/;

/** What a line says: its field and its value; a comment has an empty field. */
function fieldOf(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}

function blockOf(lines: readonly string[]): EventBlock {
  const fields = lines.map(fieldOf);
  const last = (name: string) => fields.findLast(([field]) => field === name)?.[1];
  const data = fields.filter(([field]) => field === 'data').map(([, value]) => value);
  const retry = last('retry') ?? '';
  return {
    event: last('event') || 'message',
    id: last('id'),
    retryMs: /^[0-9]+$/.test(retry) ? Number(retry) : undefined,
    data: data.length === 0 ? undefined : data.join('\n'),
  };
}

/**
 * Reads server-sent events in the form of the HTML standard. What the end of the bytes cuts off is dropped.
 * @throws RangeError where a block is longer than any of a server
 */
export async function* readEventBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<EventBlock, void> {
  const decoder = new TextDecoder();
  let rest = '';
  let block: string[] = [];
  let chars = 0;
  for await (const part of bytes) {
    const lines = (rest + decoder.decode(part, { stream: true })).split(LINE_END);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (block.length > 0) yield blockOf(block);
        block = [];
        chars = 0;
      } else {
        block.push(line);
        chars += line.length;
      }
    }
    if (chars + rest.length > MAX_CHARS)
      throw new RangeError(`An event of more than ${MAX_CHARS} characters`);
  }
}
