import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Service, serve } from '../../src/app.js';
import type { ChatReplyWire } from '../../src/wire/invoke.js';
import type { SessionWire } from '../../src/wire/sessions.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let service: Service;
beforeAll(async () => {
  const data = await temporaryFolder(afterAll);
  service = await serve({ port: 0, manifests: null, data, probes: false, logLevel: 'silent' });
});
afterAll(() => service.close());

async function call<Answer>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') {
  const response = await fetch(`${service.address}${path}`, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  return (await response.json()) as Answer;
}

interface ToldAgent {
  readonly capability_id: string;
  readonly intent: string;
  readonly session?: Record<string, unknown>;
}

/** An agent that answers as it is told, and remembers what it was sent. */
async function agent(answer: (told: ToldAgent) => object) {
  const told: ToldAgent[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    told.push(JSON.parse(body));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(JSON.parse(body))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(stop);
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, told, stop };
}

let published = 0;

async function publish(agentName: string, address: string, capabilities: readonly object[]): Promise<void> {
  published += 1;
  const manifest = {
    agent_name: agentName,
    manifest_version: published,
    capabilities,
    instances: [{ instance_id: 'one', address }],
  };
  await call(`/api/v1/agents/${agentName}/manifest`, manifest, 'PUT');
  onTestFinished(() => call(`/api/v1/agents/${agentName}`, undefined, 'DELETE').then(() => {}));
}

const invoke = (sessionId: string, message: string, extra?: object) =>
  call<ChatReplyWire>('/reach/invoke', { session_id: sessionId, message, ...(extra && { extra }) });
const sessionOf = (id: string) => call<SessionWire>(`/api/v1/sessions/${id}`);

const PARKING = {
  id: 'reserve-space',
  name: 'Reserve a parking space 预订停车位',
  description: 'Reserves a parking space in the garage for a day.',
  examples: ['I need a parking space for tomorrow', '帮我预订一个停车位'],
  idempotent: true,
};

describe('a conversation', () => {
  test('goes on: the agent is told what was said, and a follow-up reaches it', async () => {
    const parking = await agent(({ intent }) => ({ result: {}, reply: `reserved: ${intent}` }));
    await publish('parking-agent', parking.address, [PARKING]);
    const dispatch = (intent: string) =>
      call<{ state: string; decision: { resumed?: boolean } }>('/api/v1/dispatch', {
        intent,
        session_id: 'p',
        user_id: 'u',
      });
    await dispatch('I need a parking space for tomorrow');
    const second = await dispatch('and for Friday?');
    expect(second).toMatchObject({ state: 'completed', decision: { resumed: true } });
    const [first, next] = parking.told;
    expect(first?.session).toEqual({ session_id: 'p', user_id: 'u', revision: 0, entities: {}, rounds: [] });
    expect(next).toMatchObject({
      intent: 'and for Friday?',
      session: {
        session_id: 'p',
        user_id: 'u',
        revision: 1,
        rounds: [{ intent: 'I need a parking space for tomorrow', agent_name: 'parking-agent' }],
      },
    });
    expect(await sessionOf('p')).toMatchObject({
      revision: 2,
      intent: 'I need a parking space for tomorrow',
      affinity: { agent_name: 'parking-agent', version: null },
      rounds: [{}, { intent: 'and for Friday?', reply: 'reserved: and for Friday?' }],
    });
  });

  test('survives one dead target that fails a whole session: it goes on with an equivalent', async () => {
    const agents = {
      'parking-agent': await agent(() => ({ result: 'parking-agent' })),
      'garage-agent': await agent(() => ({ result: 'garage-agent' })),
    };
    for (const [name, { address }] of Object.entries(agents)) await publish(name, address, [PARKING]);
    const intent = 'I need a parking space for tomorrow';
    const dispatch = () =>
      call<{ result: keyof typeof agents }>('/api/v1/dispatch', { intent, session_id: 'd' });
    const { result: dead } = await dispatch();
    expect((await sessionOf('d')).affinity?.agent_name).toBe(dead);
    agents[dead].stop();
    const alive = dead === 'parking-agent' ? 'garage-agent' : 'parking-agent';
    expect(await dispatch()).toMatchObject({ state: 'completed', result: alive });
    const followUp = await call('/api/v1/dispatch', { intent: 'and for Friday?', session_id: 'd' });
    expect(followUp).toMatchObject({ result: alive, decision: { resumed: true } });
    expect((await sessionOf('d')).affinity?.agent_name).toBe(alive);
  });
});

describe('a chat', () => {
  test('shows what the agent says, else its result where that is text, else a sentence', async () => {
    const answers: object[] = [
      { result: 'text', reply: 'words' },
      { result: 'text' },
      { result: {} },
      { result: {} },
      { result: {}, need_human_handoff: true },
    ];
    const parking = await agent(() => answers.shift() ?? {});
    await publish('parking-agent', parking.address, [PARKING]);
    const reply = async (message: string) => {
      const { reply: text, need_human_handoff, agent_id } = await invoke('c', message);
      expect(agent_id).toBe('parking-agent');
      return [text, need_human_handoff];
    };
    expect(await reply('I need a parking space for tomorrow')).toEqual(['words', false]);
    expect(await reply('I need a parking space for tomorrow')).toEqual(['text', false]);
    expect(await reply('I need a parking space for tomorrow')).toEqual(['It is done.', false]);
    expect(await reply('帮我预订一个停车位')).toEqual(['已完成。', false]);
    expect(await reply('帮我预订一个停车位')).toEqual([expect.stringContaining('会有人'), true]);
  });

  test('asks what is meant, and takes a number or a name for the answer', async () => {
    const all = await agent(({ capability_id }) => ({ result: capability_id }));
    await publish('calendar-agent', all.address, [
      {
        id: 'cancel-event',
        name: 'Call off a meeting 取消会议',
        description: 'Takes a meeting out of the calendar.',
        examples: ['cancel the meeting with Anna', '取消会议'],
      },
    ]);
    await publish('orders-agent', all.address, [
      {
        id: 'cancel-order',
        name: 'Cancel an order 取消订单',
        description: 'Cancels an order before it ships.',
        examples: ['cancel order 20230958', '取消订单'],
      },
    ]);
    const asked = await invoke('q', '帮我取消一下');
    expect(asked).toMatchObject({ agent_id: null, need_human_handoff: false });
    const [question, ...choices] = asked.reply.split('\n');
    expect(question).toBe('您指的是哪一项？请回复编号：');
    expect(choices.map((line) => line.replace(/^\d\. /, '')).sort()).toEqual([
      'Call off a meeting 取消会议',
      'Cancel an order 取消订单',
    ]);
    const order = choices.findIndex((line) => line.includes('订单')) + 1;
    expect((await sessionOf('q')).confirmations).toHaveLength(1);
    expect(await invoke('q', String(order))).toMatchObject({
      agent_id: 'orders-agent',
      reply: 'cancel-order',
    });
    expect(all.told.at(-1)?.intent).toBe('帮我取消一下');
    expect(await sessionOf('q')).toMatchObject({ intent: '帮我取消一下', confirmations: [] });

    await invoke('q', '帮我取消一下');
    expect(await invoke('q', '取消会议')).toMatchObject({
      agent_id: 'calendar-agent',
      reply: 'cancel-event',
    });
    await invoke('q', '帮我取消一下');
    expect(await invoke('q', 'cancel order 20230958')).toMatchObject({ agent_id: 'orders-agent' });
    expect(all.told.at(-1)?.intent).toBe('cancel order 20230958');
  });

  test('a question that is open no longer is answered all the same, by what the session knows', async () => {
    const parking = await agent(({ intent }) => ({ result: `for ${intent}` }));
    await publish('parking-agent', parking.address, [PARKING]);
    const choices = [{ agent_name: 'parking-agent', capability_id: 'reserve-space', name: 'Parking' }];
    const content = { intent: 'a space', confirmations: [{ route_id: 'rt_gone', choices }] };
    await fetch(`${service.address}/api/v1/sessions/late`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'if-none-match': '*' },
      body: JSON.stringify(content),
    });
    expect(await invoke('late', '1')).toMatchObject({ agent_id: 'parking-agent', reply: 'for a space' });
  });

  test('says what it lacks, and that nobody is sure', async () => {
    const parking = await agent(() => ({ result: 'reserved' }));
    const schema = { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] };
    await publish('parking-agent', parking.address, [{ ...PARKING, input_schema: schema }]);
    const lacking = await invoke('l', 'I need a parking space for tomorrow');
    expect(lacking).toMatchObject({ agent_id: null, reply: 'I need more for this: day.' });
    const extra = { day: '2026-01-02' };
    expect(await invoke('l', 'I need a parking space for tomorrow', extra)).toMatchObject({
      reply: 'reserved',
    });
    const unsure = await invoke('l', '法国的首都是哪里');
    expect(unsure).toMatchObject({ agent_id: null, need_human_handoff: true });
    expect(unsure.reply).toMatch(/\p{Script=Han}/u);
  });

  test.each(['', '   ', 'x'.repeat(20_001)])('refuses a message that is none', async (message) => {
    expect(await invoke('e', message)).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ pointer: '/message' }],
    });
  });
});
