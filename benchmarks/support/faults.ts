import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** One call on its way through a proxy. */
export interface Meeting {
  /** To the one who called. */
  readonly response: ServerResponse;
  /** Hands the call on; the head of the answer. */
  readonly forward: () => Promise<IncomingMessage>;
}

type Behaviour = (meeting: Meeting) => Promise<void>;

const DELAY_MS = 1_000;
/** A slow body comes in so many pieces, with so much time between them. */
const PIECES = 10;
const PIECE_EVERY_MS = 150;
/** In which what was sent is read at the other end. */
const READ_MS = 50;
/** How far a wrong length is off. */
const OFF_BY = 5;

/** Nothing goes wrong: what comes is handed on as it comes. */
export async function pass({ response, forward }: Meeting): Promise<void> {
  const answer = await forward();
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.on('error', () => response.destroy());
  answer.pipe(response);
}

/** Says a length that is off by so many bytes, and what there is; then the connection ends. */
async function misled({ response, forward }: Meeting, offBy: number): Promise<void> {
  const answer = await forward();
  const body = await buffer(answer);
  const head = `HTTP/1.1 ${answer.statusCode} x\r\ncontent-type: ${answer.headers['content-type']}`;
  response.socket?.end(`${head}\r\ncontent-length: ${body.length + offBy}\r\n\r\n${body}`);
}

/** What can go wrong with a call, each as it looks to the one who called. */
export const FAULTS = {
  async delay(meeting) {
    await sleep(DELAY_MS);
    await pass(meeting);
  },
  async resetBefore({ response }) {
    response.socket?.resetAndDestroy();
  },
  /** The work is done, and nobody hears of it. */
  async resetAfter({ response, forward }) {
    await buffer(await forward());
    response.socket?.resetAndDestroy();
  },
  /** The beginning of an answer comes through: of a stream whole events, so that it is acknowledged. */
  async resetWithin({ response, forward }) {
    const answer = await forward();
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    const [first] = await once(answer, 'data');
    const isStream = answer.headers['content-type'] === 'text/event-stream';
    response.write(isStream ? first : first.subarray(0, first.length / 2));
    // A reset overtakes what has not been read yet.
    await sleep(READ_MS);
    response.socket?.resetAndDestroy();
  },
  /** The other end is gone, and no word of it arrives. */
  async halfOpen() {},
  async error({ response }) {
    response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
  },
  /** The work is done, and said to have failed. */
  async errorAfter({ response, forward }) {
    await buffer(await forward());
    response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
  },
  async slowBody({ response, forward }) {
    const answer = await forward();
    const body = await buffer(answer);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    const size = Math.ceil(body.length / PIECES);
    for (let from = 0; from < body.length && !response.destroyed; from += size) {
      response.write(body.subarray(from, from + size));
      await sleep(PIECE_EVERY_MS);
    }
    response.end();
  },
  tooLong: (meeting) => misled(meeting, -OFF_BY),
  tooShort: (meeting) => misled(meeting, OFF_BY),
} satisfies Readonly<Record<string, Behaviour>>;

export type Fault = keyof typeof FAULTS;
