import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RequestEvent, RequestStatus } from '../../src/wire/requests.js';
import { httpServer } from '../support/local-servers.js';
import { describeWithRedis, describeWithRedisServer, freshRedisUrl, ownRedis } from '../support/redis.js';
import { until } from '../support/until.js';
import { ReplicaProcess } from './replica-process.js';

const TIMEOUT = { timeout: 180_000 };

interface Call {
  readonly requestId: string;
  readonly replicaId: string;
  readonly replyTo: string;
}

/** An agent that counts what it is given, and answers as the test says. */
async function countingAgent(answer: (call: Call) => number | Promise<number> = () => 200) {
  const calls: Call[] = [];
  const agent = await httpServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const call = JSON.parse(body) as Call;
    calls.push(call);
    response.statusCode = await answer(call);
    response.setHeader('content-type', 'application/json').end(`{"call":${calls.length}}`);
  });
  const timesOf = (requestId: string) => calls.filter((call) => call.requestId === requestId).length;
  return { url: agent.url, calls, timesOf };
}

function replicasOver(redisUrl: string, agent: string | URL, count: number): Promise<ReplicaProcess[]> {
  return Promise.all(Array.from({ length: count }, () => ReplicaProcess.start(redisUrl, agent)));
}

const request = (requestId: string, idempotent = false) => ({
  intent: 'x',
  requestId,
  payload: { idempotent },
});
const isFinal = ({ answer }: RequestStatus) => answer !== null;

/** The replica that carries a request out, and another one. */
function runnerAndOther(replicas: readonly ReplicaProcess[], call: Call | undefined) {
  const runner = replicas.find(({ id }) => id === call?.replicaId);
  const other = replicas.find(({ id }) => id !== call?.replicaId);
  if (runner === undefined || other === undefined) throw new Error('nobody carries it out');
  return { runner, other };
}

describeWithRedis('replicas', () => {
  test('the same key at three of them at once is carried out once, and has one answer', TIMEOUT, async () => {
    const agent = await countingAgent(async () => {
      await sleep(50);
      return 200;
    });
    const replicas = await replicasOver(freshRedisUrl(), agent.url, 3);
    const ids = Array.from({ length: 30 }, (_, index) => `key:${index}`);
    for (const requestId of ids) {
      const answers = await Promise.all(replicas.map((replica) => replica.dispatch(request(requestId))));
      expect(answers[0]).toMatchObject({ requestId, state: 'completed' });
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(agent.timesOf(requestId)).toBe(1);
    }
    await expect(replicas[0]?.dispatch({ ...request('key:1'), payload: { other: 1 } })).rejects.toMatchObject(
      {
        code: 'IDEMPOTENCY_CONFLICT',
      },
    );
  });

  test(
    'status and events are told, and a cancel is taken, by another one than carries it out',
    TIMEOUT,
    async () => {
      let letGo = () => {};
      const held = new Promise<number>((resolve) => {
        letGo = () => resolve(200);
      });
      const agent = await countingAgent(() => held);
      const replicas = await replicasOver(freshRedisUrl(), agent.url, 2);
      await replicas[0]?.later(request('r-1'));
      await until(() => agent.calls.length === 1);
      const { runner, other } = runnerAndOther(replicas, agent.calls[0]);
      const [there, here]: [RequestEvent[], RequestEvent[]] = [[], []];
      const followed = [
        other.events('r-1', (event) => there.push(event)),
        runner.events('r-1', (event) => here.push(event)),
      ];
      await until(() => there.length === 3);
      expect(await other.status('r-1')).toMatchObject({ state: 'delivered', answer: null });
      letGo();
      await Promise.all(followed);
      expect(there).toEqual(here);
      expect(there.map(({ event }) => event)).toEqual([
        'state',
        'state',
        'state',
        'progress',
        'state',
        'answer',
      ]);

      const waiting = await countingAgent(() => new Promise(() => {}));
      const others = await replicasOver(freshRedisUrl(), waiting.url, 2);
      await others[0]?.later(request('r-2'));
      await until(() => waiting.calls.length === 1);
      const second = runnerAndOther(others, waiting.calls[0]);
      await second.other.cancel('r-2');
      for (const replica of others) expect(await replica.status('r-2')).toMatchObject({ state: 'cancelled' });
      await expect(second.runner.cancel('r-2')).rejects.toMatchObject({ code: 'REQUEST_ENDED' });
    },
  );

  test(
    'a late reply is taken by any of them, also after the one that waits for it was killed',
    TIMEOUT,
    async () => {
      const agent = await countingAgent(() => 202);
      const replicas = await replicasOver(freshRedisUrl(), agent.url, 3);
      const tokenOf = (requestId: string) => {
        const call = agent.calls.find((each) => each.requestId === requestId);
        return new URL(call?.replyTo ?? '').searchParams.get('token') ?? '';
      };
      const isIn = (replica: ReplicaProcess, requestId: string) =>
        until(async () => (await replica.status(requestId)).state === 'acknowledged');
      await replicas[0]?.later(request('r-1'));
      await until(() => agent.calls.length === 1);
      const { runner, other } = runnerAndOther(replicas, agent.calls[0]);
      await isIn(other, 'r-1');
      await other.reply('r-1', tokenOf('r-1'), { state: 'completed', result: { late: 1 } });
      expect(await runner.status('r-1')).toMatchObject({ answer: { result: { late: 1 } } });

      const waiting = runner.dispatch(request('r-2')).catch(() => {});
      await until(() => agent.timesOf('r-2') === 1);
      await isIn(other, 'r-2');
      const joined = other.dispatch(request('r-2'));
      await sleep(300);
      await runner.kill();
      await other.reply('r-2', tokenOf('r-2'), { state: 'completed', result: { late: 2 } });
      expect(await joined).toMatchObject({ state: 'completed', result: { late: 2 } });
      expect(agent.timesOf('r-2')).toBe(1);
      void waiting;
    },
  );

  test(
    'kill -9 of one in the middle of 200 requests loses none, and repeats none in silence',
    TIMEOUT,
    async () => {
      const agent = await countingAgent(async () => {
        await sleep(400);
        return 200;
      });
      const replicas = await replicasOver(freshRedisUrl(), agent.url, 3);
      const [killed, ...living] = replicas;
      const ids = Array.from({ length: 200 }, (_, index) => `r-${index}`);
      const mayBeRepeated = (requestId: string) => Number(requestId.slice(2)) % 2 === 0;
      await Promise.all(ids.map((id, index) => replicas[index % 3]?.later(request(id, mayBeRepeated(id)))));
      // One whose caller waits at the replica that is killed.
      const sync = killed?.dispatch(request('r-201'));
      await until(
        () => agent.timesOf('r-201') === 1 && agent.calls.some((call) => call.replicaId === killed?.id),
      );
      await killed?.kill();
      const [survivor] = living;
      const ends = new Map<string, RequestStatus>();
      await until(async () => {
        for (const id of [...ids, 'r-201']) {
          const status = ends.get(id) ?? (await survivor?.status(id));
          if (status === undefined || !isFinal(status)) return false;
          ends.set(id, status);
        }
        return true;
      }, 90_000);
      const counts = { completed: 0, lost: 0 };
      for (const [id, { state, answer }] of ends) {
        if (answer?.error?.code === 'NODE_LOST') counts.lost += 1;
        else {
          counts.completed += 1;
          expect(state).toBe('completed');
        }
        if (!mayBeRepeated(id)) expect(agent.timesOf(id)).toBeLessThanOrEqual(1);
        expect(await living[1]?.status(id)).toMatchObject({ state, answer });
      }
      expect(counts.completed + counts.lost).toBe(201);
      expect(counts.lost).toBeGreaterThan(0);
      expect(ends.get('r-201')?.answer?.error?.code).toBe('NODE_LOST');
      void sync;
    },
  );

  test('what waits at one that closes is carried out by another', TIMEOUT, async () => {
    const agent = await countingAgent(() => 202);
    const redisUrl = freshRedisUrl();
    const replicas = await replicasOver(redisUrl, agent.url, 2);
    await replicas[0]?.later(request('r-1'));
    await until(() => agent.calls.length === 1);
    const { runner, other } = runnerAndOther(replicas, agent.calls[0]);
    await until(async () => (await other.status('r-1')).state === 'acknowledged');
    await runner.close();
    const token = new URL(agent.calls[0]?.replyTo ?? '').searchParams.get('token') ?? '';
    await other.reply('r-1', token, { state: 'completed', result: 1 });
    expect(await other.status('r-1')).toMatchObject({ state: 'completed' });
  });
});

describeWithRedisServer('replicas whose Redis', () => {
  test('is paused in the middle end every request once', TIMEOUT, async () => {
    const redis = await ownRedis();
    const agent = await countingAgent(async () => {
      await sleep(200);
      return 200;
    });
    const replicas = await replicasOver(`redis://127.0.0.1:${redis.port}`, agent.url, 2);
    const ids = Array.from({ length: 100 }, (_, index) => `r-${index}`);
    const accepted = new Set<string>();
    const asked = ids.map(async (id, index) => {
      await sleep(index * 20);
      try {
        await replicas[index % 2]?.later(request(id));
        accepted.add(id);
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'STORE_UNAVAILABLE' });
      }
    });
    await until(() => agent.calls.length > 20);
    redis.pause();
    await sleep(5_000);
    redis.resume();
    await Promise.all(asked);
    await until(async () => {
      for (const id of accepted) if (!isFinal((await replicas[0]?.status(id)) as RequestStatus)) return false;
      return true;
    }, 60_000);
    for (const id of ids) expect(agent.timesOf(id)).toBeLessThanOrEqual(1);
    for (const id of accepted) expect(await replicas[0]?.status(id)).toEqual(await replicas[1]?.status(id));
    expect(accepted.size).toBeGreaterThan(20);
  });

  test('comes back empty go on, and take and end new requests', TIMEOUT, async () => {
    const redis = await ownRedis('--save', '', '--appendonly', 'no');
    let letGo = () => {};
    const held = new Promise<number>((resolve) => {
      letGo = () => resolve(200);
    });
    const agent = await countingAgent(() => held);
    const replicas = await replicasOver(`redis://127.0.0.1:${redis.port}`, agent.url, 2);
    const running = replicas[0]?.dispatch(request('r-1'));
    await until(() => agent.calls.length === 1);
    await redis.end('SIGKILL');
    await redis.begin();
    await until(async () => {
      await replicas[1]?.later(request('r-2'));
      return true;
    });
    letGo();
    expect(await running).toMatchObject({ state: 'completed' });
    await until(async () => isFinal((await replicas[0]?.status('r-2')) as RequestStatus));
    expect(await replicas[1]?.status('r-1')).toMatchObject({ state: 'completed' });
    for (const id of ['r-1', 'r-2']) expect(agent.timesOf(id)).toBe(1);
  });
});
