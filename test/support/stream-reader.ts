import { once } from 'node:events';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { type EventBlock, readEventBlocks } from '../../src/wire/event-blocks.js';

interface StreamReader {
  /** The headers of the answer. */
  readonly head: string;
  /** The next block with an event, or, with `any`, also one without. */
  next(any?: 'any'): Promise<EventBlock | undefined>;
  /** Goes away without a word. */
  leave(): void;
}

/** What is inside chunked pieces that arrive in whatever parts. */
async function* unchunked(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const part of parts) {
    rest = Buffer.concat([rest, part]);
    for (;;) {
      const lineEnd = rest.indexOf('\r\n');
      const size = Number.parseInt(rest.toString('latin1', 0, Math.max(0, lineEnd)), 16);
      if (lineEnd === -1 || rest.length < lineEnd + 2 + size + 2) break;
      if (size === 0) return;
      yield rest.subarray(lineEnd + 2, lineEnd + 2 + size);
      rest = rest.subarray(lineEnd + 2 + size + 2);
    }
  }
}

/**
 * Opens an event stream over a socket of its own, which takes nothing but what the test asks for: where nobody asks,
 * it is a reader that never reads. Resolves with the headers.
 */
export async function openStream(url: string, headers: Record<string, string> = {}): Promise<StreamReader> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`);
  let start = Buffer.alloc(0);
  while (!start.includes('\r\n\r\n')) {
    await once(socket, 'readable');
    start = Buffer.concat([start, socket.read() ?? Buffer.alloc(0)]);
  }
  const bodyStart = start.indexOf('\r\n\r\n') + 4;
  socket.unshift(start.subarray(bodyStart));
  const blocks = readEventBlocks(unchunked(socket));
  return {
    head: start.toString('latin1', 0, bodyStart),
    async next(any) {
      for (;;) {
        const { value } = await blocks.next();
        if (value === undefined || any !== undefined || value.data !== undefined) return value ?? undefined;
      }
    },
    leave: () => void socket.destroy(),
  };
}
