import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

// The process that sends requests, forked by HttpLoad: one of its own, so that it takes no time from the server
// that is measured. It speaks HTTP over bare sockets, since a client that costs more than the server would
// measure itself.

/** What is to be sent: `requests` POSTs, the bodies in turn, over `connections` that are kept alive. */
export interface LoadOrder {
  readonly port: number;
  readonly path: string;
  readonly bodies: readonly string[];
  readonly connections: number;
  readonly requests: number;
}

export type LoadAnswer = { readonly seconds: number } | { readonly error: string };

const HEAD_END = '\r\n\r\n';

function requestBytes({ path, port }: LoadOrder, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(head.join('\r\n') + HEAD_END + body);
}

/** The bytes that the answer at the start of these has; undefined while its head is not whole. */
function answerLength(received: Buffer): number | undefined {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = received.toString('latin1', 0, headEnd);
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`The server answered:\n${head}`);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`The answer has no length:\n${head}`);
  return headEnd + HEAD_END.length + Number(length);
}

/** Sends one request after the other over a connection until there are none, reading each answer to its end. */
function exchange(socket: Socket, requests: Iterator<Buffer>): Promise<void> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const sendNext = () => {
      const { value, done } = requests.next();
      if (done) resolve();
      else socket.write(value);
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The server closed the connection.')));
    socket.on('data', (bytes: Buffer) => {
      try {
        received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
        const length = answerLength(received);
        if (length === undefined || received.length < length) return;
        received = received.subarray(length);
        sendNext();
      } catch (error) {
        reject(error);
      }
    });
    sendNext();
  });
}

function* inTurn(bodies: readonly Buffer[], requests: number): Generator<Buffer, void> {
  for (let sent = 0; sent < requests; sent += 1) yield bodies[sent % bodies.length] ?? Buffer.alloc(0);
}

async function carryOut(order: LoadOrder): Promise<number> {
  const sockets = await Promise.all(
    Array.from({ length: order.connections }, async () => {
      const socket = connect({ port: order.port, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
  const requests = inTurn(
    order.bodies.map((body) => requestBytes(order, body)),
    order.requests,
  );
  const startedAt = performance.now();
  await Promise.all(sockets.map((socket) => exchange(socket, requests)));
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const socket of sockets) socket.destroy();
  return seconds;
}

process.on('message', async (order: LoadOrder) => {
  const answer = await carryOut(order).then(
    (seconds): LoadAnswer => ({ seconds }),
    (error: unknown): LoadAnswer => ({ error: String(error) }),
  );
  process.send?.(answer);
});
process.on('disconnect', () => process.exit(0));
