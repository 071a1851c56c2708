import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DispatchAnswerWire } from '../../src/wire/dispatch.js';
import type { DecisionWire } from '../../src/wire/route.js';
import { type DemoProcess, startDemo } from '../support/demo-process.js';
import { DEMO_SENTENCES, FITS_NOTHING } from '../support/demo-sentences.js';

let demo: DemoProcess;

beforeAll(async () => {
  demo = await startDemo();
});

afterAll(async () => {
  await demo.stop();
});

async function post<Answer>(path: string, body: unknown): Promise<Answer> {
  const response = await fetch(`${demo.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

const route = (body: unknown) => post<DecisionWire>('/api/v1/route', body);
const dispatch = (body: unknown) => post<DispatchAnswerWire>('/api/v1/dispatch', body);

describe('a sentence reaches the agent that can do it', () => {
  test.each(
    DEMO_SENTENCES.flatMap(([sentence, withTypo, expected]) => [
      [sentence, expected],
      [withTypo, expected],
    ]),
  )('%s -> %s', async (intent, expected) => {
    const decision = await route({ intent });
    expect(`${decision.outcome} ${decision.target_agent}/${decision.capability_id}`).toBe(
      `routed ${expected}`,
    );
    expect(decision.confidence).toBeGreaterThanOrEqual(decision.threshold);
    expect(decision.candidates.slice(1).every(({ excluded_by }) => excluded_by !== undefined)).toBe(true);
  });

  test.each(FITS_NOTHING)('%s fits nothing', async (intent) => {
    const decision = await route({ intent });
    expect(decision.outcome).toBe('fallback');
    expect(decision.confidence).toBeLessThan(decision.threshold);
    const answer = await dispatch({ intent });
    expect(answer.state).toBe('handed_off');
    expect(answer.attempts).toHaveLength(1);
  });
});

describe('and is carried out', () => {
  test('an order is looked up by the number in the sentence', async () => {
    const answer = await dispatch({ intent: 'where is my order 20231188' });
    expect(answer).toMatchObject({ state: 'completed', result: { order_id: '20231188' } });
    expect(answer.attempts).toMatchObject([{ capability_id: 'order-status', outcome: 'completed' }]);
  });

  test('a neighbour that looks alike is not mistaken for it', async () => {
    const invoice = await dispatch({ intent: 'has invoice INV-2041 been paid yet' });
    expect(invoice).toMatchObject({
      state: 'completed',
      result: { invoice_number: 'INV-2041', found: true },
    });
    const refund = await dispatch({ intent: 'when does the money for refund RF-1001 arrive' });
    expect(refund).toMatchObject({ state: 'completed', result: { refund_id: 'RF-1001', state: 'approved' } });
    const released = await dispatch({ intent: '把 checkout 服务回滚到上一个版本' });
    expect(released).toMatchObject({ result: { service: 'checkout', version: '2.3.1' } });
  });

  test('a table is converted', async () => {
    const payload = { content: 'a,b\n1,"x, y"\n', from: 'csv', to: 'json' };
    const answer = await dispatch({ intent: 'turn this csv into json', payload });
    expect(answer.state).toBe('completed');
    expect(JSON.stringify(answer.result)).toContain('x, y');
  });

  test('KPI rows become a summary', async () => {
    const payload = {
      kpi_data: [
        { 大区: '华东', 销售额: 120, 上周销售额: 100 },
        { 大区: '华南', 销售额: 80, 上周销售额: 100 },
      ],
    };
    const answer = await dispatch({ intent: '生成本周销售周报摘要', payload });
    expect(answer).toMatchObject({ state: 'completed', result: { row_count: 2 } });
    expect(JSON.stringify(answer.result)).toContain('200');
  });

  test('a payload that lacks what the target needs is asked about, and the fuller one is carried out', async () => {
    const asked = await route({ intent: '生成本周销售周报摘要', payload: { top: 1 } });
    expect(asked).toMatchObject({ outcome: 'clarify', missing_fields: ['/kpi_data'] });
    const payload = { top: 1, kpi_data: [{ 大区: '华东', 销售额: 120 }] };
    const answer = await dispatch({ route_id: asked.route_id, payload });
    expect(answer).toMatchObject({ state: 'completed', result: { row_count: 1 } });
  });
});

test('the start shows its long steps, the address, something to try and how to stop', () => {
  const output = demo.output();
  expect(output).toMatch(/Loading the model/);
  expect(output).toMatch(/Embedding (\d+)\/\1 texts/);
  expect(output).toContain(demo.url);
  expect(output).toMatch(/curl .*\/api\/v1\//);
  expect(output).toMatch(/Ctrl\+C/);
});

test('a manifest that is saved is routable within two seconds, a broken one keeps the old version serving', async () => {
  const file = join(demo.manifests, 'zz-weather.json');
  const manifest = {
    agent_name: 'weather-agent',
    capabilities: [
      {
        id: 'forecast',
        name: 'Weather forecast',
        description: 'Tells how the weather will be.',
        examples: ['will it rain tomorrow'],
      },
    ],
  };
  const outcome = async () =>
    (await route({ intent: 'will it rain tomorrow', threshold: 0.9 })).capability_id;
  expect(await outcome()).not.toBe('forecast');
  await writeFile(file, JSON.stringify(manifest));
  await sleep(2_000);
  expect(await outcome()).toBe('forecast');

  await writeFile(file, (await readFile(file, 'utf8')).slice(0, -10));
  await sleep(2_000);
  expect(await outcome()).toBe('forecast');
  const health = await (await fetch(`${demo.url}/health`)).json();
  expect(health).toMatchObject({ status: 'degraded', manifests: { state: 'degraded' } });
  expect(JSON.stringify(health)).toContain('zz-weather.json');
});

test('SIGTERM ends it and all its processes with exit code 0 and without complaints', async () => {
  const second = await startDemo();
  const agents = (await (await fetch(`${second.url}/api/v1/agents`)).json()) as {
    agents: { instances: { address: string }[] }[];
  };
  const addresses = agents.agents.flatMap(({ instances }) => instances.map(({ address }) => address));
  expect(addresses).toHaveLength(15);
  expect(await second.stop()).toBe(0);
  expect(second.output()).not.toContain('-agent: ');
  for (const address of [second.url, ...addresses]) {
    await expect(fetch(address)).rejects.toThrow('fetch failed');
  }
});
