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

/** A line that is longer is a fault of the stream: no answer is, whose result may have 16 MB. */
const MAX_LINE_CHARS = 32 * 1_048_576;

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

/** Each character is looked at once, into however many chunks a line is cut. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let endedByReturn = false;
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    if (text === '') continue;
    // The line feed behind a return that ended a chunk belongs to it.
    const [first = '', ...lines] = text
      .slice(endedByReturn && text.startsWith('\n') ? 1 : 0)
      .split(/\r\n|\n|\r/);
    endedByReturn = text.endsWith('\r');
    lines.unshift(rest + first);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARS) throw new Error('The stream of events has a line without end.');
    yield* lines;
  }
}
