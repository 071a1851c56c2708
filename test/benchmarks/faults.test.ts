import { once } from 'node:events';
import { request as send } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FaultProxy } from '../../benchmarks/support/fault-proxy.js';
import { FAULTS, type Fault } from '../../benchmarks/support/faults.js';
import { WorkAgents } from '../../benchmarks/support/work-agents.js';
import { httpServer } from '../support/local-servers.js';

const WHOLE = '{"result":{"rows":3}}';
/** Longer than any fault but the one without an end. */
const PATIENCE_MS = 5_000;

async function seenBy(call: ReturnType<typeof request>): Promise<string> {
  try {
    const { statusCode, body } = await call;
    return `${statusCode} ${await body.text()}`;
  } catch (error) {
    const { code } = error as { code?: unknown };
    return typeof code === 'string' ? code : String(error);
  }
}

/** What a caller sees of an agent that works, through a fault, and how often the agent was asked. */
async function through(fault: Fault) {
  let asked = 0;
  const agent = await httpServer((_, response) => {
    asked += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end(WHOLE);
  });
  const door = await httpServer(async (_, response) => {
    await FAULTS[fault]({
      response,
      async forward() {
        const [answer] = await once(send(agent.url).end(), 'response');
        return answer;
      },
    });
  });
  const seen = await seenBy(request(door.url, { signal: AbortSignal.timeout(PATIENCE_MS) }));
  return [seen, asked];
}

describe('a fault', () => {
  it.each<[Fault, string, number]>([
    ['delay', `200 ${WHOLE}`, 1],
    ['resetBefore', 'ECONNRESET', 0],
    ['resetAfter', 'ECONNRESET', 1],
    ['resetWithin', 'ECONNRESET', 1],
    ['halfOpen', 'TimeoutError', 0],
    ['error', '500 {}', 0],
    ['errorAfter', '500 {}', 1],
    ['slowBody', `200 ${WHOLE}`, 1],
    ['tooShort', 'UND_ERR_SOCKET', 1],
    ['tooLong', '200 {"result":{"rows', 1],
  ])('%s looks to a caller like %s', async (fault, seen, asked) => {
    expect(await through(fault)).toEqual([expect.stringContaining(seen), asked]);
  });
});

describe('a proxy before an agent', () => {
  async function pair(share: number) {
    const agents = await WorkAgents.open(1, true);
    onTestFinished(() => agents.close());
    const proxy = await FaultProxy.open(agents.ports[0] ?? 0, share, 1);
    onTestFinished(() => proxy.close());
    const call = (id: number, work: object = { work_ms: 0, way: 'plain' }) =>
      request(`${proxy.address}/execute`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-reach-attempt': '1' },
        body: JSON.stringify({ request_id: `r${id}`, capability_id: 'read', payload: work, reply_to: null }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
    return { agents, proxy, call };
  }

  it('lets calls through, and both write them down', async () => {
    const { agents, proxy, call } = await pair(0);
    expect(await seenBy(call(1))).toBe('200 {"result":{"work_ms":0}}');
    expect(await seenBy(call(2, { work_ms: 1, way: 'later' }))).toBe('202 {}');
    expect(await seenBy(call(3, { work_ms: 1, way: 'stream' }))).toContain('event: result');
    await sleep(50);
    expect(proxy.calls).toMatchObject([
      { requestId: 'r1', capabilityId: 'read', fault: undefined },
      { requestId: 'r2' },
      { requestId: 'r3' },
    ]);
    expect(await agents.executions()).toMatchObject([
      { requestId: 'r1', way: 'plain', done: true },
      { requestId: 'r2', way: 'later', done: true },
      { requestId: 'r3', way: 'stream', done: true },
    ]);
  });

  it('harms as many of the calls as it is told, and no probe', async () => {
    const { proxy, call } = await pair(0.5);
    await Promise.all(Array.from({ length: 60 }, (_, id) => seenBy(call(id))));
    const harmed = proxy.calls.filter(({ fault }) => fault !== undefined).length;
    expect(harmed).toBeGreaterThan(15);
    expect(harmed).toBeLessThan(45);
    for (let probe = 0; probe < 10; probe += 1)
      expect(await seenBy(request(`${proxy.address}/healthz`))).toBe('200 {}');
  });

  it('leaves a sick agent as it is: it carries nothing out', async () => {
    const { agents, call } = await pair(0);
    await agents.beSick(true);
    expect(await seenBy(call(1))).toBe('500 {}');
    await agents.beSick(false);
    expect(await seenBy(call(2))).toContain('200');
    expect(await agents.executions()).toMatchObject([{ requestId: 'r2' }]);
  });
});
