import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { changeCodec, type WatchedDecision, watchedDecisionCodec } from '../../src/wire/live.js';
import { httpServer } from '../support/local-servers.js';
import { decision } from '../support/stand-in-reach.js';
import { until } from '../support/until.js';
import { captured } from './captured.js';

const AT = '2026-01-02T03:04:05.678Z';
const TIME = new Date(AT).toLocaleTimeString('sv-SE');

const watched: WatchedDecision = {
  routeId: 'rt_1',
  at: AT,
  intent: 'a weekly\u001b[31m report',
  payloadFields: {},
  outcome: 'routed',
  reason: 'It fits best.',
  targetAgent: 'report-agent',
  capabilityId: 'weekly-summary',
  instanceId: 'a',
  confidence: 0.91,
  threshold: 0.75,
  candidates: decision.candidates,
  timingMs: decision.timingMs,
};
const change = {
  seq: 3,
  at: AT,
  agent: 'reports',
  instance: 'a',
  from: 'up',
  to: 'down',
  reason: '3 probes failed',
  addrVersion: 1,
};

const sse = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const decided = sse('decision', watchedDecisionCodec.encode(watched));

/** A server of events: what each connection is answered with, and what it asked. */
async function eventServer(answer: (response: ServerResponse, connection: number) => void) {
  const asked: { url: string | undefined; lastEventId: unknown }[] = [];
  const server = await httpServer((request, response) => {
    asked.push({ url: request.url, lastEventId: request.headers['last-event-id'] });
    response.setHeader('content-type', 'text/event-stream');
    response.write('retry: 10\n\n');
    answer(response, asked.length);
  });
  return { server, asked, url: server.url.href };
}

/** A command that runs until it is told to stop, with what it has written so far. */
function running(argv: readonly string[]) {
  const written = { out: '', err: '' };
  const signals = new EventEmitter();
  const collect = (to: 'out' | 'err') => ({
    write: (text: string) => {
      written[to] += text;
    },
  });
  const ended = captured(argv, { signals, stdout: collect('out'), stderr: collect('err') });
  const stop = async () => {
    signals.emit('SIGINT');
    const { code } = await ended;
    expect(signals.eventNames()).toEqual([]);
    return code;
  };
  onTestFinished(() => void signals.emit('SIGINT'));
  return { written, stop, ended };
}

test('watch shows each decision with its candidates and why they lost, until Ctrl+C, which is no failure', async () => {
  const { url, asked } = await eventServer((response) => response.write(decided));
  const { written, stop } = running(['watch', '/week.*/', '--url', url]);
  await until(() => written.out.includes('a lower confidence\n'));
  expect(await stop()).toBe(0);
  expect(asked[0]?.url).toBe('/api/v1/watch?intent_pattern=%2Fweek.*%2F');
  expect(written.out.split('\n')).toEqual([
    `${TIME}  a weekly\\u001b[31m report`,
    '  routed -> report-agent/weekly-summary (a)  confidence 0.91 >= 0.75  5.1 ms',
    '  It fits best.',
    '  share       capability                    sim   lex   cov  conf  reach  prio  score  why not',
    '  #########.  report-agent/weekly-summary  0.90  0.50     -  0.91   1.00    50   0.90',
    '  ..........  sheet-agent/表格转换         0.20  0.00  0.25  0.02   0.50     7   0.01  a lower confidence',
    '',
  ]);
  expect(written.err).toBe(`agent-reach: following ${new URL(url).origin}; Ctrl+C ends it\n`);
});

test('of many candidates the most relevant are shown, also those that were filtered out', async () => {
  const [best, other] = decision.candidates;
  if (best === undefined || other === undefined) throw new Error('two candidates are expected');
  const far = Array.from({ length: 20 }, (_, i) => ({ ...other, agentName: `far-${i}`, relevance: -1 }));
  const near = { ...other, agentName: 'staging', relevance: 0.7, excludedBy: 'filter: label env is staging' };
  const candidates = [best, ...far, near];
  const { url } = await eventServer((response) =>
    response.write(sse('decision', watchedDecisionCodec.encode({ ...watched, candidates }))),
  );
  const { written, stop } = running(['watch', '--url', url]);
  await until(() => written.out.includes('less relevant'));
  await stop();
  expect(written.out).toContain('filter: label env is staging');
  expect(written.out).toContain('and 14 less relevant');
});

test('changes shows one line a change, notices and gaps', async () => {
  const notice = { ...change, agent: null, instance: null, from: null, to: null, addrVersion: null };
  const events = [
    sse('gap', { from_seq: 1, to_seq: 2 }),
    sse('change', changeCodec.encode(change)),
    sse('change', changeCodec.encode({ ...change, from: null, to: 'up', reason: 'registered' })),
    sse('change', changeCodec.encode({ ...notice, reason: 'probes fail everywhere' })),
    sse('what-comes-later', {}),
    sse('gap', { from_seq: null, to_seq: 0 }),
  ];
  const { url, asked } = await eventServer((response) => response.write(events.join('')));
  const { written, stop } = running(['changes', '--agent', 'reports', '--capability', 'a/b', '--url', url]);
  await until(() => written.out.includes('since before'));
  expect(await stop()).toBe(0);
  expect(asked[0]?.url).toBe('/api/v1/changes?agent=reports&capability=a%2Fb');
  expect(written.out.split('\n')).toEqual([
    '(changes lost: 1 to 2)',
    `${TIME}  reports/a  up -> down  3 probes failed`,
    `${TIME}  reports/a  came -> up  registered`,
    `${TIME}  service  probes fail everywhere`,
    '(changes lost: since before the server started)',
    '',
  ]);
});

test('--json prints a line of JSON an event', async () => {
  const { url } = await eventServer((response) => response.write(decided + sse('lost', { count: 5 })));
  const { written, stop } = running(['watch', '--json', '--url', url]);
  await until(() => written.out.includes('lost'));
  await stop();
  const lines = written.out.trimEnd().split('\n');
  expect(written.out).not.toContain('\u001b');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { event: 'decision', data: watchedDecisionCodec.encode(watched) },
    { event: 'lost', data: { count: 5 } },
  ]);
});

test('a server that goes away is told of once, waited for, and asked for what was missed', async () => {
  const { url, asked } = await eventServer((response, connection) => {
    if (connection === 1) response.end(`id: run-3\n${sse('change', changeCodec.encode(change))}`);
    else if (connection < 5) response.destroy();
    else response.write(sse('change', changeCodec.encode({ ...change, reason: 'back again' })));
  });
  const { written, stop } = running(['changes', '--url', url]);
  await until(() => written.out.includes('back again'));
  expect(await stop()).toBe(0);
  expect(asked.map(({ lastEventId }) => lastEventId)).toEqual([
    undefined,
    'run-3',
    'run-3',
    'run-3',
    'run-3',
  ]);
  const following = `agent-reach: following ${new URL(url).origin}; Ctrl+C ends it\n`;
  const lost = `agent-reach: ${new URL(url).origin} has gone away; waiting for it\n`;
  expect(written.err).toBe(following + lost + following);
});

test.each<[string, string[], number, string]>([
  ['no server is named', ['watch'], 2, 'name a server: --url or REACH_URL'],
  ['nobody is there at first', ['watch', '--url', 'http://127.0.0.1:1'], 3, 'cannot be reached'],
])('where %s, it ends and says so', async (_, argv, code, sentence) => {
  const { written, ended } = running(argv);
  expect((await ended).code).toBe(code);
  expect(written.err).toContain(sentence);
});

test('what the server refuses, and what is no server of ours, end it', async () => {
  const errors = [{ pointer: '/intent_pattern', expected: 'a fast one', received: 'a slow one' }];
  const problem = { type: 'about:blank', title: 'x', status: 422, code: 'INVALID_REQUEST', errors };
  const refusing = await httpServer((_, response) => {
    response.writeHead(422).end(JSON.stringify({ ...problem, detail: 'The pattern is slow.' }));
  });
  const refused = running(['watch', '/(a+)+$/', '--url', refusing.url.href]);
  expect((await refused.ended).code).toBe(1);
  expect(refused.written.err).toBe('agent-reach: The pattern is slow.\n');

  const foreign = await httpServer((_, response) => void response.end('hello'));
  const unknown = running(['watch', '--url', foreign.url.href]);
  expect((await unknown.ended).code).toBe(3);

  const { url } = await eventServer((response) => response.write(sse('decision', { hello: 1 })));
  const odd = running(['watch', '--url', url]);
  expect((await odd.ended).code).toBe(3);
});
