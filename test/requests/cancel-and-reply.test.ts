import { describe, expect, test } from 'vitest';
import type { CarryOut, RequestLife } from '../../src/requests/request-life.js';
import { openStores } from '../../src/storage/open-stores.js';
import type { AgentReply } from '../../src/wire/requests.js';
import { HandClock } from '../support/hand-clock.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import {
  answerOf,
  carriedOutAtOnce,
  deliveryTo,
  endOf,
  HeldWork,
  openedRequests,
  PUBLIC_URL,
} from './requests-fixture.js';

const ask = { intent: 'x', requestId: 'r-1' };
const ended = { code: 'REQUEST_ENDED' };
const unknown = { code: 'REQUEST_UNKNOWN' };

describe('a cancel', () => {
  test('is final at once, reaches who carries it out, and says what was done', async () => {
    const work = new HeldWork();
    const { desk, control, inquiries } = await openedRequests({ carryOut: work.carryOut });
    const answer = desk.dispatch(ask, {});
    await until(() => work.isHeld('r-1'));
    await control.cancel('r-1');
    expect(await answer).toMatchObject({ state: 'cancelled' });
    const status = await inquiries.status('r-1');
    expect(status).toMatchObject({ state: 'cancelled', answer: { state: 'cancelled' } });
    expect(status.history.map(({ state }) => state)).toEqual(['queued', 'routing', 'delivered', 'cancelled']);
  });

  test('after the end is refused, and changes nothing', async () => {
    const { desk, control, inquiries } = await openedRequests({
      carryOut: async (_, life) => answerOf(life),
    });
    await desk.dispatch(ask, {});
    const before = await inquiries.status('r-1');
    await expect(control.cancel('r-1')).rejects.toMatchObject(ended);
    expect(await inquiries.status('r-1')).toEqual(before);
    await expect(control.cancel('r-2')).rejects.toMatchObject(unknown);
  });

  test('wins over a result that comes at the same time', async () => {
    let isWorking = false;
    const { desk, control } = await openedRequests({
      async carryOut(_, life) {
        await life.deliver(deliveryTo());
        isWorking = true;
        await endOf(life);
        return answerOf(life, { result: 1, reply: 'done', degraded: true });
      },
    });
    const answer = desk.dispatch(ask, {});
    await until(() => isWorking);
    await control.cancel('r-1');
    expect(await answer).toMatchObject({ state: 'cancelled', degraded: false });
    expect(await answer).not.toHaveProperty('result');
  });

  test('of one that waits for its turn ends it there', async () => {
    const work = new HeldWork();
    const { desk, control, inquiries, start } = await openedRequests({ carryOut: work.carryOut });
    await desk.dispatchLater(ask, {});
    await control.cancel('r-1');
    await start();
    expect(await inquiries.status('r-1')).toMatchObject({ state: 'cancelled' });
    await desk.dispatchLater({ ...ask, requestId: 'r-2' }, {});
    await until(() => work.isHeld('r-2'));
    expect(work.lives.map(({ requestId }) => requestId)).toEqual(['r-2']);
    work.letGo('r-2');
  });

  test('comes when the caller of a request without an id goes away; one with an id goes on', async () => {
    const work = new HeldWork();
    const { desk } = await openedRequests({ carryOut: work.carryOut });
    const gone = new AbortController();
    const lost = desk.dispatch({ intent: 'x' }, { signal: gone.signal });
    const kept = desk.dispatch(ask, { signal: gone.signal });
    await until(() => work.lives.length === 2 && work.isHeld('r-1'));
    gone.abort();
    expect(await lost).toMatchObject({ state: 'cancelled' });
    work.letGo('r-1');
    expect(await kept).toMatchObject({ state: 'completed' });
  });
});

/** An agent that takes the work with a 202: the dispatch waits for its reply. */
class LateAgent {
  readonly replyTo: string[] = [];

  readonly carryOut: CarryOut = async (_, life) => {
    for (let attempt = 1; ; attempt += 1) {
      await life.deliver(deliveryTo(attempt));
      const late = life.late(attempt);
      this.replyTo.push(late?.replyTo ?? '');
      life.enter('acknowledged', attempt);
      const aborted = new Promise<'aborted'>((resolve) => {
        life.signal?.addEventListener('abort', () => resolve('aborted'));
      });
      const answer = await Promise.race([late?.answer, aborted]);
      late?.giveUp();
      if (answer === 'aborted') return answerOf(life, { state: 'cancelled' });
      if (answer?.kind === 'completed') return answerOf(life, { result: answer.result });
    }
  };

  tokenOf(attempt: number): string {
    return new URL(this.replyTo[attempt - 1] ?? '').searchParams.get('token') ?? '';
  }
}

const completed = (result: unknown): AgentReply => ({ state: 'completed', result });

async function delivered() {
  const agent = new LateAgent();
  const requests = await openedRequests({ carryOut: agent.carryOut });
  const answer = requests.desk.dispatch(ask, {});
  await until(() => agent.replyTo.length === 1);
  return { agent, answer, ...requests };
}

describe('a late reply', () => {
  test('ends the request, and tells how far it is until then', async () => {
    const { agent, answer, control, inquiries } = await delivered();
    expect(agent.replyTo[0]).toMatch(`${PUBLIC_URL}/api/v1/requests/r-1/reply?token=`);
    await control.reply('r-1', agent.tokenOf(1), { state: 'processing', progress: { done: 0.5 } });
    expect(await inquiries.status('r-1')).toMatchObject({ state: 'processing' });
    await control.reply('r-1', agent.tokenOf(1), completed(7));
    expect(await answer).toMatchObject({ state: 'completed', result: 7 });
    const told: unknown[] = [];
    for await (const event of await inquiries.events('r-1', {})) told.push(event);
    expect(told).toContainEqual({ event: 'progress', id: 5, data: { done: 0.5 } });
  });

  test('with a wrong token is refused as unknown, and nothing happens', async () => {
    const { agent, answer, control } = await delivered();
    const right = agent.tokenOf(1);
    const wrong = [
      '',
      'x',
      right.slice(0, -1),
      `${right}0`,
      right.replace(/^1/, '2'),
      right.replace(/-1-/, '-2-'),
      '1-1-'.padEnd(47, 'A'),
    ];
    for (const token of wrong) {
      await expect(control.reply('r-1', token, completed(1))).rejects.toMatchObject(unknown);
    }
    await expect(control.reply('r-2', right, completed(1))).rejects.toMatchObject(unknown);
    await control.reply('r-1', right, completed(2));
    expect(await answer).toMatchObject({ result: 2 });
  });

  test('that comes twice, or after a cancel, is refused as ended', async () => {
    const first = await delivered();
    await first.control.reply('r-1', first.agent.tokenOf(1), completed(1));
    await expect(first.control.reply('r-1', first.agent.tokenOf(1), completed(2))).rejects.toMatchObject(
      ended,
    );
    expect(await first.answer).toMatchObject({ result: 1 });

    const second = await delivered();
    await second.control.cancel('r-1');
    const token = second.agent.tokenOf(1);
    await expect(second.control.reply('r-1', token, completed(1))).rejects.toMatchObject(ended);
    expect(await second.answer).toMatchObject({ state: 'cancelled' });
  });

  test('of an attempt that was given up is refused, the one of the next is taken', async () => {
    const { agent, answer, control } = await delivered();
    await control
      .reply('r-1', agent.tokenOf(1), { state: 'failed', error: { detail: 'no paper' } })
      .catch(() => {});
    await until(() => agent.replyTo.length === 2);
    await expect(control.reply('r-1', agent.tokenOf(1), completed(1))).rejects.toMatchObject(ended);
    await control.reply('r-1', agent.tokenOf(2), completed(2));
    expect(await answer).toMatchObject({ result: 2 });
  });

  test('to work that is taken with a 202 while the service closes is left to the next start', async () => {
    const stores = await openStores({ store: null, data: null });
    let replyTo = '';
    let take: () => void = () => {};
    const before = await openedRequests({
      stores,
      async carryOut(_, life) {
        await life.deliver(deliveryTo());
        const late = life.late(1);
        replyTo = late?.replyTo ?? '';
        await new Promise<void>((resolve) => {
          take = resolve;
        });
        await late?.answer;
        return answerOf(life);
      },
    });
    const left = before.desk.dispatch(ask, {});
    await until(() => replyTo !== '');
    const closed = before.close();
    take();
    await expect(left).rejects.toMatchObject({ code: 'CLOSED' });
    await closed;

    const after = await openedRequests({ stores, carryOut: new LateAgent().carryOut });
    await after.start();
    expect(await after.inquiries.status('r-1')).toMatchObject({ state: 'delivered', answer: null });
    expect(await stores.requests.find('t', 'r-1')).toMatchObject({ delivery: { awaitsReply: true } });
  });

  test('after a restart says what it says at once: entities, and what is wrong with the payload', async () => {
    const fault = { pointer: '/week', expected: 'a week', received: '"x"' };
    const replies: [AgentReply, object][] = [
      [
        { ...completed(7), entities: { week: 12 } },
        { state: 'completed', entities: { week: 12 } },
      ],
      [
        { state: 'failed', error: { detail: 'no such week', errors: [fault] } },
        { state: 'failed', error: { code: 'PAYLOAD_INVALID', errors: [fault] } },
      ],
    ];
    for (const [reply, answer] of replies) {
      const stores = await openStores({ store: null, data: null });
      const agent = new LateAgent();
      const before = await openedRequests({ carryOut: agent.carryOut, stores });
      void before.desk.dispatch(ask, {}).catch(() => {});
      await until(async () => (await stores.requests.find('t', 'r-1'))?.delivery?.awaitsReply === true);
      await before.close();
      const after = await openedRequests({ carryOut: agent.carryOut, stores });
      await after.control.reply('r-1', agent.tokenOf(1), reply);
      expect(await after.inquiries.status('r-1')).toMatchObject({ answer });
    }
  });

  test('is waited for through a restart, and its token is good there', async () => {
    const folder = await temporaryFolder();
    const stores = await openStores({ store: null, data: folder });
    const agent = new LateAgent();
    const before = await openedRequests({ carryOut: agent.carryOut, stores });
    await before.start();
    await before.desk.dispatchLater(ask, {});
    await until(async () => (await stores.requests.find('t', 'r-1'))?.delivery?.awaitsReply === true);
    await before.close();
    await stores.close();

    const reopened = await openStores({ store: null, data: folder });
    const lives: RequestLife[] = [];
    const after = await openedRequests({
      stores: reopened,
      carryOut: async (_, life) => {
        lives.push(life);
        return answerOf(life);
      },
    });
    await after.start();
    expect(await after.inquiries.status('r-1')).toMatchObject({ state: 'acknowledged', answer: null });
    await after.control.reply('r-1', agent.tokenOf(1), completed('late'));
    const answered = { state: 'completed', result: 'late' };
    expect(await after.inquiries.status('r-1')).toMatchObject({ state: 'completed', answer: answered });
    await expect(after.control.reply('r-1', agent.tokenOf(1), completed(1))).rejects.toMatchObject(ended);
    expect(lives).toEqual([]);
    await after.close();
    await reopened.close();
  });

  test.each(['cancelled', 'failed'] as const)(
    'that is not wanted any more after a restart is %s, and the agent told',
    async (state) => {
      const folder = await temporaryFolder();
      const stores = await openStores({ store: null, data: folder });
      const clock = new HandClock();
      const before = await openedRequests({ carryOut: new LateAgent().carryOut, stores, clock });
      await before.start();
      await before.desk.dispatchLater(ask, {});
      await until(async () => (await stores.requests.find('t', 'r-1'))?.delivery?.awaitsReply === true);
      await before.close();
      await stores.close();

      const reopened = await openStores({ store: null, data: folder });
      const after = await openedRequests({ carryOut: carriedOutAtOnce, stores: reopened, clock });
      await after.start();
      if (state === 'cancelled') await after.control.cancel('r-1');
      else clock.pass(200_000);
      await until(async () => (await after.inquiries.status('r-1')).answer !== null);
      expect((await after.inquiries.status('r-1')).answer).toMatchObject({ state });
      expect(after.withdrawn).toEqual([['r-1', 'a']]);
      await after.close();
      await reopened.close();
    },
  );
});
