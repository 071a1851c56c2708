import { LIMITS } from './limits.js';

/** What one block of server-sent events says; without data it only tells when and where to go on. */
export interface EventBlock {
  readonly event: string;
  readonly id: string | undefined;
  readonly retryMs: number | undefined;
  readonly data: string | undefined;
}

/** No event of a server is longer, an answer with its result included; without an end, a line would fill the memory. */
const MAX_CHARS = 2 * LIMITS.answerBytes;

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

/** Reads server-sent events in the form of the HTML standard, as their bytes come. What the end cuts off is dropped. */
export class EventBlockReader {
  readonly #maxChars: number;
  readonly #decoder = new TextDecoder();
  #block: string[] = [];
  #chars = 0;
  /** Of the line that has no end yet. */
  #line = '';
  #endedByReturn = false;

  /** `maxChars` bounds a block. */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /**
   * The blocks that these bytes complete. Each byte is looked at once, into however many parts a line is cut.
   * @throws RangeError where a block is too long
   */
  *read(bytes: Uint8Array): Generator<EventBlock, void> {
    const text = this.#decoder.decode(bytes, { stream: true });
    let start = 0;
    // A line feed after a return that was the last of its part belongs to it.
    if (this.#endedByReturn && text.startsWith('\n')) start = 1;
    if (text !== '') this.#endedByReturn = text.endsWith('\r');
    const lineEnd = /\r\n|\n|\r/g;
    lineEnd.lastIndex = start;
    for (let end = lineEnd.exec(text); end !== null; end = lineEnd.exec(text)) {
      const line = this.#line + text.slice(start, end.index);
      this.#line = '';
      start = lineEnd.lastIndex;
      this.#count(line.length);
      if (line !== '') this.#block.push(line);
      else if (this.#block.length > 0) yield this.#completed();
    }
    this.#line += text.slice(start);
    this.#count(0);
  }

  #count(chars: number): void {
    this.#chars += chars;
    if (this.#chars + this.#line.length > this.#maxChars) {
      throw new RangeError(`An event of more than ${this.#maxChars} characters`);
    }
  }

  #completed(): EventBlock {
    const block = blockOf(this.#block);
    this.#block = [];
    this.#chars = 0;
    return block;
  }
}

/** @throws RangeError where a block is longer than any of a server */
export async function* readEventBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<EventBlock, void> {
  const reader = new EventBlockReader(MAX_CHARS);
  for await (const part of bytes) yield* reader.read(part);
}
