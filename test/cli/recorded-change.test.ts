import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReach, type Service, serve } from '../../src/app.js';
import { wouldChangeText } from '../../src/cli/would-change-text.js';
import { leave, refund } from '../support/refund-and-leave.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { captured } from './captured.js';

const real = { createReach: (options: object) => createReach({ ...options, logLevel: 'silent' }) };

const REFUND = 'refund order 77';
const LEAVE = '请帮我申请下周一的年假';

let folder: string;
let catalogue: string;
let service: Service;

async function manifest(where: string, name: string, capability: object) {
  const path = join(where, `${name}.json`);
  await writeFile(
    path,
    JSON.stringify({ agent_name: name, manifest_version: 1, capabilities: [capability] }),
  );
  return path;
}

async function ask(intent: string, payload?: object) {
  await fetch(`${service.address}/api/v1/route`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ intent, ...(payload && { payload }) }),
  });
}

const check = (...argv: readonly string[]) => captured(['manifest', 'check', ...argv], real);

describe('manifest check --recorded', () => {
  beforeAll(async () => {
    folder = await temporaryFolder(afterAll);
    catalogue = await temporaryFolder(afterAll);
    await manifest(catalogue, 'orders', refund);
    await manifest(catalogue, 'people', leave);
    service = await serve({ port: 0, manifests: catalogue, data: null, probes: false, logLevel: 'silent' });
  });
  afterAll(() => service.close());

  test('says so where nothing was recorded', async () => {
    const file = await manifest(folder, 'orders', refund);
    const { code, out } = await check(file, '--against', service.address, '--recorded', '24');
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n').at(-1)).toBe('no intents were recorded in the last 24 h');
  });

  test('names what several files together take from whom, and what goes to nobody, in text and JSON', async () => {
    for (const intent of [REFUND, REFUND, LEAVE]) await ask(intent, { order_id: 77 });
    const files = [
      await manifest(folder, 'orders', { id: 'noop', name: 'x1' }),
      await manifest(folder, 'days-off', { ...leave, id: 'days-off', examples: [LEAVE] }),
    ];
    const flags = ['--against', service.address, '--recorded', '24'];
    const { code, out } = await check(...files, ...flags);
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n').slice(-3);
    expect(lines[0]).toMatch(
      /^warning: "refund order 77" \(2 times\) would go to nobody: none is sure enough \(0\.\d\d\); now orders\/refund \(0\.\d\d|1\.00\)$/,
    );
    expect(lines[1]).toMatch(
      /^change: "请帮我.*" \(once\) would go to days-off\/days-off \(1\.00\); now people\/leave/,
    );
    expect(lines[2]).toBe(
      '2 of 2 different intents of the last 24 h would go elsewhere, 1 of them to nobody',
    );

    const json = JSON.parse((await check(...files, ...flags, '--json')).out);
    expect(json.would_change).toMatchObject({ since: null, asked: 2, left_out: 0 });
    expect(json.would_change.changed).toMatchObject([
      {
        intent: REFUND,
        payload_fields: { order_id: 'integer' },
        times: 2,
        before: { outcome: 'routed', target_agent: 'orders', capability_id: 'refund' },
        after: { outcome: 'human', target_agent: null },
      },
      { intent: LEAVE, times: 1, after: { target_agent: 'days-off', confidence: 1 } },
    ]);
  });

  test('holds files against a folder by the records of a server', async () => {
    const file = join(catalogue, 'orders.json');
    const flags = ['--against', catalogue, '--recorded', '1'];
    const { out } = await check(file, ...flags, '--url', service.address);
    expect(out.trimEnd().split('\n').at(-1)).toBe(
      'none of 2 different intents of the last 1 h would go elsewhere',
    );
    const nowhere = await check(file, ...flags);
    expect(nowhere).toMatchObject({ code: 2, err: expect.stringMatching(/name a server/) });
  });

  test('refuses hours that cannot be, and to ask for them alone', async () => {
    const file = join(catalogue, 'orders.json');
    const alone = await check(file, '--recorded', '24');
    expect(alone).toMatchObject({ code: 2, err: expect.stringMatching(/--recorded goes with --against/) });
    const many = await check(file, '--against', service.address, '--recorded', '169');
    expect(many).toMatchObject({ code: 2, err: expect.stringMatching(/--recorded.*1 to 168/) });
  });
});

test('what is too much for a person is counted, and control characters never reach the terminal', () => {
  const changed = Array.from({ length: 60 }, (_, index) => ({
    intent: `\u001b[31m${index}${'x'.repeat(100)}`,
    payloadFields: {},
    times: 1,
    before: { outcome: 'clarify', targetAgent: null, capabilityId: null, confidence: 0.4 } as const,
    after: { outcome: 'fallback', targetAgent: 'desk', capabilityId: 'any', confidence: 0.1 } as const,
  }));
  const text = wouldChangeText({ since: '2026-01-02T03:04:05.678Z', asked: 500, changed, leftOut: 3 }, 24);
  const lines = text.trimEnd().split('\n');
  expect(lines).toHaveLength(53);
  expect(lines[0]).toMatch(
    /x…" \(once\) would go to desk\/any as the fallback \(0\.10\); now a question between/,
  );
  expect(lines.slice(-3)).toEqual([
    'and 10 more; --json gives all',
    expect.stringMatching(/^60 of 500 different intents of the time since .+ would go elsewhere$/),
    '3 could not be decided',
  ]);
  expect(text).not.toContain('\u001b');
});
