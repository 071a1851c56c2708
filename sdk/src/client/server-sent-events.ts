/** One event of a stream (`text/event-stream`, HTML standard 9.2). */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  /** The last id that the stream gave, of this event or one before; '' before the first. */
  readonly id: string;
}

/** A line that is longer is a fault of the stream. */
const MAX_LINE_CHARS = 16 * 1_048_576;

/** The events of a stream, as they come. One that the end of the stream cuts off is dropped. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let id = '';
  let event = '';
  let data: string[] = [];
  for await (const line of linesOf(chunks)) {
    if (line === '') {
      if (data.length > 0) yield { event: event || 'message', data: data.join('\n'), id };
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
