/** One block of a stream (`text/event-stream`, HTML standard 9.2). */
export interface EventBlock {
  readonly event: string;
  /** Undefined: it is no event, and tells at most where the stream stands. */
  readonly data: string | undefined;
  /** The last id that the stream gave, in this block or one before; '' before the first. */
  readonly id: string;
}

/** A block that tells something. */
export type ServerSentEvent = EventBlock & { readonly data: string };

/** A line that is longer is a fault of the stream. */
const MAX_LINE_CHARS = 16 * 1_048_576;

/** The blocks of a stream, as they come. One that the end of the stream cuts off is dropped. */
export async function* readBlocks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EventBlock> {
  let id = '';
  let event = '';
  let data: string[] = [];
  for await (const line of linesOf(chunks)) {
    if (line === '') {
      yield { event: event || 'message', data: data.length > 0 ? data.join('\n') : undefined, id };
      event = '';
      data = [];
      continue;
    }
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    // A carriage return at the very end may be the first half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARS) throw new Error('The stream of events has a line without end.');
    yield* lines;
  }
}
