import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentAnswer, AgentCall } from '../../src/transport/agent-transport.js';
import { CallLog, callOf, newTransport } from '../support/agent-call.js';
import { http2Server, httpServer, rawServer } from '../support/local-servers.js';
import { until } from '../support/until.js';

const STREAM = { 'content-type': 'text/event-stream; charset=utf-8' };
const RESULT = 'event: result\ndata: {"result":{"rows":2},"reply":"好的","entities":{"month":"May"}}\n\n';

interface Heard {
  readonly answer: AgentAnswer;
  readonly heard: readonly unknown[];
}

/** What a call comes to where the agent answers with a stream that it writes like this. */
async function streamed(
  write: (response: ServerResponse) => void,
  overrides: Partial<AgentCall> = {},
): Promise<Heard> {
  const server = await httpServer((_, response) => {
    response.writeHead(200, STREAM).flushHeaders();
    write(response);
  });
  const log = new CallLog();
  const answer = await newTransport().call(callOf(server.url, overrides), log);
  return { answer, heard: log.heard };
}

describe('a stream of events', () => {
  it('is passed on as it comes, and its result ends the call', async () => {
    let response: ServerResponse | undefined;
    const server = await httpServer((_, opened) => {
      response = opened.writeHead(200, STREAM);
      response.flushHeaders();
    });
    const log = new CallLog();
    const answer = newTransport().call(callOf(server.url), log);
    await until(() => response !== undefined);
    response?.write(': still here\n\nevent: progress\ndata: {"done":1}\n\n');
    await until(() => log.heard.length === 2);
    response?.write('event: delta\ndata: "你"\n\nevent: delta\ndata: "好"\n\n');
    await until(() => log.heard.length === 4);
    response?.end(RESULT);
    expect(await answer).toEqual({
      kind: 'completed',
      result: { rows: 2 },
      reply: '好的',
      entities: { month: 'May' },
      needHumanHandoff: false,
    });
    expect(log.heard).toEqual(['acknowledged', { progress: { done: 1 } }, { delta: '你' }, { delta: '好' }]);
  });

  it('is the same in whatever parts its bytes come, with any line end', async () => {
    const text = `\ufeff: hello\r\nevent: progress\r\ndata: {"a":\r\ndata: "周报 😀"}\r\n\r\nevent: delta\rdata: 1\r\r${RESULT}`;
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 20 }), async (sizes) => {
        const { answer, heard } = await streamed(async (response) => {
          let at = 0;
          for (const size of [...sizes, bytes.length]) {
            response.write(bytes.subarray(at, at + size));
            at += size;
            await wait(0);
          }
          response.end();
        });
        expect(answer).toMatchObject({ kind: 'completed', result: { rows: 2 } });
        expect(heard).toEqual(['acknowledged', { progress: { a: '周报 😀' } }, { delta: 1 }]);
      }),
      { numRuns: 20 },
    );
  });

  it('may be compressed', async () => {
    const server = await httpServer((_, response) => {
      response.writeHead(200, { ...STREAM, 'content-encoding': 'gzip' });
      const gzip = createGzip();
      gzip.pipe(response);
      gzip.write('event: delta\ndata: "a"\n\n');
      gzip.end(RESULT);
    });
    const log = new CallLog();
    expect(await newTransport().call(callOf(server.url), log)).toMatchObject({ kind: 'completed' });
    expect(log.heard).toEqual(['acknowledged', { delta: 'a' }]);
  });

  it('comes over h2 too', async () => {
    const server = await http2Server((_, response) => {
      response.writeHead(200, STREAM);
      response.write('event: delta\ndata: "a"\n\n');
      response.end(RESULT);
    });
    const log = new CallLog();
    expect(await newTransport().call(callOf(server.url), log)).toMatchObject({ kind: 'completed' });
    expect(log.heard).toEqual(['acknowledged', { delta: 'a' }]);
  });

  it('that ends leaves its connection for the next call', async () => {
    const server = await httpServer((_, response) => void response.writeHead(200, STREAM).end(RESULT));
    const transport = newTransport();
    for (let i = 0; i < 4; i += 1) {
      expect(await transport.call(callOf(server.url), new CallLog())).toMatchObject({ kind: 'completed' });
      await wait(20);
    }
    expect(server.sockets).toHaveLength(1);
  });

  it('that goes on after its result is not listened to, and closed', async () => {
    let gone = false;
    const { answer, heard } = await streamed((response) => {
      response.write(`${RESULT}event: delta\ndata: "late"\n\nevent: error\ndata: {}\n\n`);
      response.on('close', () => {
        gone = true;
      });
    });
    expect(answer).toMatchObject({ kind: 'completed' });
    expect(heard).toEqual(['acknowledged']);
    await until(() => gone);
  });

  it('may tell of a failure', async () => {
    const { answer, heard } = await streamed((response) => {
      response.end('event: progress\ndata: 1\n\nevent: error\ndata: {"detail":"disk full"}\n\n');
    });
    expect(answer).toMatchObject({ kind: 'failed', code: 'AGENT_FAILED', mayHaveExecuted: true });
    expect(answer).toHaveProperty('detail', 'the agent failed at its work: disk full');
    expect(heard).toEqual(['acknowledged', { progress: 1 }]);
  });

  it('with another status than 200 is none', async () => {
    const server = await httpServer((_, response) => void response.writeHead(500, STREAM).end(RESULT));
    const log = new CallLog();
    expect(await newTransport().call(callOf(server.url), log)).toMatchObject({ code: 'AGENT_FAILED' });
    expect(log.heard).toEqual([]);
  });
});

describe('a stream of events that cannot be understood', () => {
  it.each([
    ['ends without a result', 'event: delta\ndata: "a"\n\n', 'without a result'],
    ['is empty', '', 'without a result'],
    ['is cut off in its result', RESULT.slice(0, -1), 'without a result'],
    ['has events of other names alone', 'data: {"result":1}\n\nevent: done\ndata: 1\n\n', 'without a result'],
    ['has a delta that is not JSON', 'event: delta\ndata: hello\n\n', 'a delta that is not JSON'],
    ['has a result that is not JSON', 'event: result\ndata: <html>\n\n', 'a result that is not JSON'],
    ['has a result that is no object', 'event: result\ndata: 7\n\n', 'not an object'],
    ['has a result without one', 'event: result\ndata: {"answer":1}\n\n', 'no "result"'],
    ['has an error that is no object', 'event: error\ndata: "x"\n\n', 'not an object'],
    ['is nested without end', `event: delta\ndata: ${'['.repeat(5_000)}${']'.repeat(5_000)}\n\n`, 'deeper'],
    ['has a delta of 2 MB', `event: delta\ndata: "${'x'.repeat(2_000_000)}"\n\n`, 'more than 1048576'],
    ['has 17 MB in all', 'event: delta\ndata: "x"\n\n'.repeat(800_000), 'larger than 16777216 bytes'],
    ['has a line without end', `event: delta\ndata: ${'x'.repeat(17_000_000)}`, 'larger than 16777216 bytes'],
  ])('%s', async (_, text, words) => {
    const { answer } = await streamed((response) => void response.end(text));
    expect(answer).toMatchObject({ kind: 'failed', code: 'AGENT_PROTOCOL', mayHaveExecuted: true });
    expect(answer).toHaveProperty('detail', expect.stringContaining(words));
  });

  it('closes in the middle', async () => {
    const agent = await rawServer((socket) =>
      socket.end(
        'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n5\r\nevent\r\n',
      ),
    );
    expect(await newTransport().call(callOf(agent.url), new CallLog())).toMatchObject({
      code: 'AGENT_PROTOCOL',
    });
  });
});

describe('time', () => {
  it('to the first event runs from the head on; comments are none', async () => {
    const { answer, heard } = await streamed(
      (response) => {
        const beat = setInterval(() => response.write(': beat\n\n'), 10);
        response.on('close', () => clearInterval(beat));
      },
      { ackMs: 200 },
    );
    expect(answer).toMatchObject({ kind: 'timeout', code: 'DEADLINE_EXCEEDED', mayHaveExecuted: true });
    expect(answer).toHaveProperty('detail', 'no event within 200 ms of the head of the stream');
    expect(heard).toEqual([]);
  });

  it('to the first event is not the time to the head', async () => {
    const server = await httpServer(async (_, response) => {
      await wait(400);
      response.writeHead(200, STREAM).end(RESULT);
    });
    const answer = await newTransport().call(callOf(server.url, { ackMs: 100 }), new CallLog());
    expect(answer).toMatchObject({ kind: 'completed' });
  });

  it('to the first event does not bound the others', async () => {
    const { answer } = await streamed(
      async (response) => {
        response.write('event: progress\ndata: 1\n\n');
        await wait(400);
        response.end(RESULT);
      },
      { ackMs: 200 },
    );
    expect(answer).toMatchObject({ kind: 'completed' });
  });

  it('for the whole is the deadline of the call', async () => {
    const { answer, heard } = await streamed(
      (response) => {
        const drip = setInterval(() => response.write('event: delta\ndata: "x"\n\n'), 20);
        response.on('close', () => clearInterval(drip));
      },
      { timeoutMs: 300 },
    );
    expect(answer).toMatchObject({ kind: 'timeout', code: 'DEADLINE_EXCEEDED', mayHaveExecuted: true });
    expect(heard.length).toBeGreaterThan(1);
  });

  it('ends by the signal, and nothing is passed on after it', async () => {
    const cancel = new AbortController();
    let gone = false;
    const server = await httpServer((_, response) => {
      response.writeHead(200, STREAM);
      const drip = setInterval(() => response.write('event: delta\ndata: "x"\n\n'), 5);
      response.on('close', () => {
        clearInterval(drip);
        gone = true;
      });
    });
    const log = new CallLog();
    const answer = newTransport().call(callOf(server.url, { signal: cancel.signal }), log);
    await until(() => log.heard.length > 3);
    cancel.abort();
    expect(await answer).toEqual({ kind: 'cancelled' });
    const heard = log.heard.length;
    await until(() => gone);
    expect(log.heard).toHaveLength(heard);
  });
});
