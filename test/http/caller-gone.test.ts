import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startHttp } from '../../src/http/server.js';
import type { Reach } from '../../src/reach.js';
import type { RequestEvent } from '../../src/wire/requests.js';
import { standInReach } from '../support/stand-in-reach.js';
import { answer } from '../support/stand-in-requests.js';
import { until } from '../support/until.js';

async function served(changes: Partial<Reach>) {
  const silent = pino({ level: 'silent' });
  const door = await startHttp({ ...standInReach(), ...changes }, { host: '127.0.0.1', port: 0 }, silent);
  onTestFinished(() => door.close());
  return door;
}

/** Sends a dispatch over a socket of its own, which reads nothing by itself. */
function ask(address: string, headers = ''): Socket {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  const body = '{"intent":"x"}';
  const head = `POST /api/v1/dispatch HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${headers}`;
  socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
  return socket;
}

/** A façade whose work never ends by itself, and the signals that it was given. */
function endlessWork() {
  const signals: AbortSignal[] = [];
  const left: number[] = [];
  const begin = (signal: AbortSignal | undefined) => {
    if (signal === undefined) throw new Error('nobody would notice that the caller has gone');
    signals.push(signal);
    return new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };
  const changes: Partial<Reach> = {
    dispatch: async (_, { signal } = {}) => begin(signal),
    batch: async (_, { signal } = {}) => begin(signal),
    async dispatchStream(_, { signal } = {}) {
      const end = begin(signal);
      const events = async function* (): AsyncGenerator<RequestEvent> {
        try {
          yield { event: 'progress', id: 1, data: 0 };
          await end;
        } finally {
          left.push(1);
        }
      };
      return { requestId: 'rq_1', events: events() };
    },
  };
  return { changes, signals, left };
}

const ACCEPT_EVENTS = 'accept: text/event-stream\r\n';

test.each([
  ['that breaks its connection', (socket: Socket) => socket.resetAndDestroy()],
  ['that closes its connection', (socket: Socket) => socket.destroy()],
  ['that closes its half of it', (socket: Socket) => socket.end()],
])('a caller %s has gone away: its work is cancelled, waited for or streamed', async (_, leave) => {
  const { changes, signals, left } = endlessWork();
  const { address } = await served(changes);
  const waiting = ask(address);
  const streaming = ask(address, ACCEPT_EVENTS);
  await Promise.all([until(() => signals.length === 2), once(streaming, 'readable')]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  leave(waiting);
  leave(streaming);
  await until(() => signals.every(({ aborted }) => aborted) && left.length === 1);
  expect(signals.map(({ reason }) => reason.code)).toEqual(['CLOSED', 'CLOSED']);
});

test('a batch ends with its caller', async () => {
  const { changes, signals } = endlessWork();
  const { address } = await served(changes);
  const leaving = new AbortController();
  const asked = fetch(`${address}/api/v1/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"requests":[{"intent":"x"}]}',
    signal: leaving.signal,
  });
  await until(() => signals.length === 1);
  leaving.abort();
  await expect(asked).rejects.toThrow();
  await until(() => signals[0]?.aborted === true);
});

test('whoever has its answer is not taken for gone', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const { address } = await served({
    async dispatch(_, { signal } = {}) {
      signals.push(signal);
      return answer;
    },
  });
  const socket = ask(address);
  await once(socket, 'data');
  expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
});

/** More than the buffers of a connection hold, told for as long as somebody takes it. */
function flood() {
  const state = { told: 0, left: false };
  const events = async function* (): AsyncGenerator<RequestEvent> {
    try {
      for (; state.told < 5_000; state.told += 1) {
        yield { event: 'delta', id: state.told, data: 'x'.repeat(10_000) };
      }
      yield { event: 'answer', id: 5_000, data: answer };
    } finally {
      state.left = true;
    }
  };
  return { state, dispatchStream: async () => ({ requestId: 'rq_1', events: events() }) };
}

test('a slow reader of a stream is told no more than it takes, and all of it', async () => {
  const { state, dispatchStream } = flood();
  const { address } = await served({ dispatchStream });
  const socket = ask(address, `${ACCEPT_EVENTS}connection: close\r\n`);
  await until(() => state.told > 0);
  const settled = async () => {
    const before = state.told;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return state.told === before;
  };
  while (!(await settled()));
  expect(state.told).toBeLessThan(5_000);
  expect(state.left).toBe(false);
  let bytes = 0;
  for await (const part of socket) bytes += (part as Buffer).length;
  expect(bytes).toBeGreaterThan(50_000_000);
  expect(state).toEqual({ told: 5_000, left: true });
});

test('a reader that never reads does not keep a closing door open', async () => {
  const { state, dispatchStream } = flood();
  const door = await served({ dispatchStream });
  ask(door.address, ACCEPT_EVENTS);
  await until(() => state.told > 0);
  await door.close();
  await until(() => state.left);
  expect(state.told).toBeLessThan(5_000);
});

test('a stream of work under way is not cut when the door closes', async () => {
  let finish = () => {};
  const worked = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const door = await served({
    async dispatchStream() {
      const events = async function* (): AsyncGenerator<RequestEvent> {
        yield { event: 'progress', id: 1, data: 0 };
        await worked;
        yield { event: 'answer', id: 2, data: answer };
      };
      return { requestId: 'rq_1', events: events() };
    },
  });
  const socket = ask(door.address, ACCEPT_EVENTS);
  let text = '';
  socket.on('data', (part) => {
    text += part.toString();
  });
  await until(() => text.includes('progress'));
  const closing = door.close();
  // Longer than a reader that takes nothing would be waited for.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  finish();
  await closing;
  await until(() => text.includes('event: answer'));
});
