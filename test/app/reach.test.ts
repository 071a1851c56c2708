import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createReach, type Reach } from '../../src/app.js';

let reach: Reach;

const manifest = (agent: string, version: number, capability: object, rest: object = {}) => ({
  agent_name: agent,
  manifest_version: version,
  capabilities: [capability],
  ...rest,
});

const parking = {
  id: 'reserve-space',
  name: 'Reserve a parking space',
  description: 'Reserves a parking space in the garage for a day.',
  examples: ['I need a parking space for tomorrow', '帮我预订一个停车位'],
  input_schema: {
    type: 'object',
    properties: {
      day: { type: 'string' },
      car: { type: 'object', properties: { plate: { type: 'string' } }, required: ['plate'] },
    },
    required: ['day', 'car'],
  },
};

beforeAll(async () => {
  reach = await createReach({ probes: false });
});
afterAll(() => reach.close());

/** An agent that answers after `delayMs` with what it was sent. */
async function echoAgent(delayMs = 0): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    await sleep(delayMs);
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ result: JSON.parse(body).payload }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('publish', () => {
  test('what was published is found when the call returns, what was removed never again', async () => {
    const answer = await reach.publish(manifest('parking-agent', 1, parking));
    expect(answer).toMatchObject({ agentName: 'parking-agent', manifestVersion: 1 });
    const decision = await reach.route('could I get a parking space on Monday', null, { threshold: 0 });
    expect(decision).toMatchObject({
      targetAgent: 'parking-agent',
      catalogueVersion: answer.catalogueVersion,
    });

    const { catalogueVersion } = await reach.remove('parking-agent');
    expect(catalogueVersion).toBeGreaterThan(answer.catalogueVersion);
    const after = await reach.route('could I get a parking space on Monday', null, { threshold: 0 });
    expect(after).toMatchObject({ outcome: 'human', candidates: [], catalogueVersion });
  });

  test('a replaced capability is found by its new words alone', async () => {
    await reach.publish(manifest('parking-agent', 2, parking));
    await reach.publish(
      manifest('parking-agent', 3, {
        id: 'lunch',
        name: 'Lunch menu',
        description: 'Tells what the canteen cooks today.',
      }),
    );
    const decision = await reach.route({ intent: 'a parking space', threshold: 0, topK: 64, explain: true });
    expect(decision.candidates.map(({ capabilityId }) => capabilityId)).toEqual(['lunch']);
    await reach.remove('parking-agent');
  });

  test('who is told of few candidates, and then asks for more, is told of more', async () => {
    const capabilities = Array.from({ length: 9 }, (_, i) => ({
      ...parking,
      id: `${parking.id}-${i}`,
      name: `Reserve a parking space on level ${i}`,
      description: [
        'Cars.',
        'Lorries at night.',
        'Bicycles with a cage.',
        'Buses.',
        'Boats on trailers.',
        'Guests of the board.',
        'Electric vans that charge.',
        'Motorcycles in winter.',
        'Disabled drivers.',
      ][i],
      input_schema: { required: [`field_${i}`] },
    }));
    await reach.publish(manifest('many-agent', 1, parking, { capabilities }));
    const listed = async (topK: number) =>
      (await reach.route({ intent: 'a parking space', threshold: 0, topK })).candidates.length;
    expect([await listed(2), await listed(9), await listed(2)]).toEqual([2, 9, 2]);
    await reach.remove('many-agent');
  });

  test('the inputs of a confidence are told where it was made of them, and not for a declared example', async () => {
    const example = 'Where can I leave my car?';
    await reach.publish(manifest('car-park-agent', 1, { ...parking, examples: [example] }));
    const ask = (intent: string) => reach.route({ intent, threshold: 0, explain: true });
    expect((await ask('a parking space')).confidenceInputs).toHaveProperty('softmax_logit');
    const declared = await ask(example);
    expect(declared).toMatchObject({ confidence: 1, candidates: [{ matchedExample: example }] });
    expect(declared).not.toHaveProperty('confidenceInputs');
    await reach.remove('car-park-agent');
    const { candidates, confidenceInputs } = await ask(example);
    expect({ candidates, confidenceInputs }).toEqual({ candidates: [], confidenceInputs: undefined });
  });

  test('candidates that are still known never outlive a change', async () => {
    const intent = 'could I get a parking space on Monday';
    const ask = async () => (await reach.route({ intent, threshold: 0 })).targetAgent;
    expect([await ask(), await ask()]).toEqual([null, null]);
    const instances = [{ instance_id: 'p1', address: 'http://127.0.0.1:1' }];
    await reach.publish(manifest('parking-agent', 4, parking, { instances }));
    expect([await ask(), await ask()]).toEqual(['parking-agent', 'parking-agent']);
    const moved = [{ instance_id: 'p1', address: 'http://127.0.0.1:2' }];
    await reach.publish(manifest('parking-agent', 5, parking, { instances: moved }));
    expect((await reach.route({ intent, threshold: 0 })).targetAddress).toBe('http://127.0.0.1:2');
    await reach.remove('parking-agent');
    expect([await ask(), await ask()]).toEqual([null, null]);
  });

  test('a manifest that is refused changes nothing', async () => {
    const before = reach.agents();
    await expect(reach.publish(manifest('Bad Name', 1, { id: 'x' }))).rejects.toMatchObject({
      code: 'MANIFEST_INVALID',
      errors: expect.arrayContaining([
        expect.objectContaining({ pointer: '/agent_name' }),
        expect.objectContaining({ pointer: '/capabilities/0/name' }),
      ]),
    });
    await expect(
      reach.publish({
        ...manifest('a', 1, parking),
        instances: [{ instance_id: 'x', address: 'http://169.254.169.254' }],
      }),
    ).rejects.toMatchObject({
      code: 'MANIFEST_INVALID',
      errors: [expect.objectContaining({ pointer: '/instances/0/address' })],
    });
    expect(reach.agents()).toEqual(before);
  });
});

describe('route', () => {
  test('without a payload the missing fields are listed, nested ones too; with one they are asked for', async () => {
    const address = await echoAgent();
    await reach.publish(
      manifest('parking-agent', 6, parking, { instances: [{ instance_id: 'p1', address }] }),
    );
    onTestFinished(async () => void (await reach.remove('parking-agent')));

    const open = await reach.route('帮我预订一个停车位');
    expect(open).toMatchObject({
      outcome: 'routed',
      confidence: 1,
      missingFields: ['/day', '/car', '/car/plate'],
    });

    const asked = await reach.route('帮我预订一个停车位', { day: 'Monday', car: {} });
    expect(asked).toMatchObject({
      outcome: 'clarify',
      targetAgent: 'parking-agent',
      missingFields: ['/car/plate'],
    });

    const payload = { day: 'Monday', car: { plate: 'B-XY 12' } };
    const done = await reach.dispatch({ routeId: asked.routeId, payload });
    expect(done).toMatchObject({ state: 'completed', result: payload, decision: { outcome: 'routed' } });
    await expect(reach.route({ routeId: 'rt_unknown', payload })).rejects.toMatchObject({
      code: 'ROUTE_UNKNOWN',
    });
  });

  test('a named capability needs no search, one that is not there is an error with a hint', async () => {
    await reach.publish(
      manifest('parking-agent', 7, parking, {
        instances: [{ instance_id: 'p1', address: 'http://127.0.0.1:1' }],
      }),
    );
    onTestFinished(async () => void (await reach.remove('parking-agent')));
    expect(await reach.route({ capabilityId: 'parking-agent/reserve-space' })).toMatchObject({
      outcome: 'routed',
      confidence: 1,
    });
    expect(await reach.route({ agentName: 'parking-agent' })).toMatchObject({
      outcome: 'routed',
      capabilityId: 'reserve-space',
    });
    await expect(reach.route({ agentName: 'parking-agnet' })).rejects.toMatchObject({
      code: 'AGENT_UNKNOWN',
      message: expect.stringContaining('parking-agent'),
    });
    await expect(reach.route({ agentName: 'parking-agent', capabilityId: 'reserve' })).rejects.toMatchObject({
      code: 'CAPABILITY_UNKNOWN',
    });
    expect(
      await reach.route({ agentName: 'parking-agent', intent: 'something else', threshold: 0 }),
    ).toMatchObject({ targetAgent: 'parking-agent' });
  });

  test('what the caller may not see, or has ruled out itself, is not taken by name either', async () => {
    const hidden = { team: 'finance', visible_to: ['finance'] };
    await reach.publish(manifest('hidden-agent', 1, { id: 'audit', name: 'Audit the books' }, hidden));
    await reach.publish(
      manifest(
        'open-agent',
        1,
        { id: 'greet', name: 'Greet' },
        { instances: [{ instance_id: 'o', address: 'http://127.0.0.1:1' }] },
      ),
    );
    onTestFinished(async () => {
      await reach.remove('hidden-agent');
      await reach.remove('open-agent');
    });
    await expect(reach.route({ capabilityId: 'hidden-agent/audit' })).rejects.toMatchObject({
      code: 'CAPABILITY_UNKNOWN',
    });
    expect(await reach.route({ intent: 'Audit the books', threshold: 0 })).toMatchObject({
      targetAgent: 'open-agent',
    });
    const filter = { agents: ['another'] };
    expect(await reach.route({ capabilityId: 'open-agent/greet', filter })).toMatchObject({
      outcome: 'human',
    });
    await expect(reach.route({ agentName: 'opne-agent', intent: 'hello' })).rejects.toMatchObject({
      code: 'AGENT_UNKNOWN',
    });
  });

  test('an agent without instances is unreachable, not unknown', async () => {
    await reach.publish(manifest('parking-agent', 8, parking));
    onTestFinished(async () => void (await reach.remove('parking-agent')));
    expect(await reach.route('I need a parking space for tomorrow')).toMatchObject({
      outcome: 'unreachable',
      targetAgent: 'parking-agent',
    });
    expect(await reach.dispatch({ intent: 'I need a parking space for tomorrow' })).toMatchObject({
      state: 'failed',
      error: { code: 'AGENT_UNREACHABLE', retryable: true },
      attempts: [],
    });
  });

  test.each<[string, object, string]>([
    ['an empty intent', { intent: '  ' }, '/intent'],
    ['nothing at all', {}, '/intent'],
    ['a wrong type', { intent: 5 }, '/intent'],
    ['an unknown field', { intent: 'x', colour: 'red' }, '/colour'],
    ['a threshold that is no number', { intent: 'x', threshold: Number.NaN }, '/threshold'],
    ['top_k out of range', { intent: 'x', topK: 65 }, '/topK'],
  ])('%s is refused with its place', async (_, request, pointer) => {
    await expect(reach.route(request as never)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [expect.objectContaining({ pointer })],
    });
  });

  test.each([
    '🎉🎉',
    'ＦＵＬＬ　ｗｉｄｔｈ',
    'nul \u0000 and bell \u0007',
    'a lone \ud800 surrogate',
    '\u202eright to left',
    'x'.repeat(20_000),
  ])('%j is answered', async (intent) => {
    expect((await reach.route({ intent, filter: { agents: [] } })).outcome).toBe('human');
  });
});

test('who goes away frees the model for others', async () => {
  const long = '很长的一段话。'.repeat(2_800);
  const gone = new AbortController();
  const waiting = Array.from({ length: 8 }, (_, i) =>
    reach.route({ intent: `${i}${long}` }, { signal: gone.signal }),
  );
  const ended = Promise.allSettled(waiting);
  // Short texts go before long ones, and do not wait for them.
  expect((await reach.route('hello')).outcome).toBeDefined();
  expect(reach.health().embedding.pending).toBeGreaterThan(4);
  gone.abort(new Error('gone'));
  expect((await ended).filter(({ status }) => status === 'rejected').length).toBeGreaterThan(6);
  expect(reach.health().embedding.pending).toBeLessThanOrEqual(1);
});

test('close lets running work end, refuses new work, and can be called twice', async () => {
  const own = await createReach({ probes: false });
  const address = await echoAgent(300);
  await own.publish(
    manifest('slow-agent', 1, { id: 'wait', name: 'Wait' }, { instances: [{ instance_id: 's1', address }] }),
  );
  const running = own.dispatch({ capabilityId: 'slow-agent/wait', payload: { a: 1 } });
  await sleep(50);
  const closing = own.close();
  expect(own.ready).toBe(false);
  await expect(own.route('anything')).rejects.toMatchObject({ code: 'CLOSED' });
  expect(await running).toMatchObject({ state: 'completed', result: { a: 1 } });
  await closing;
  await own.close();
});
