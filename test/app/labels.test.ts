import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createReach, type Label, type Reach } from '../../src/app.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const manifest = {
  agent_name: 'report-agent',
  manifest_version: 1,
  capabilities: [
    {
      id: 'weekly',
      name: '生成周报',
      examples: ['生成本周销售周报', 'write the weekly report'],
      input_schema: {
        type: 'object',
        required: ['week', 'team'],
        properties: { week: { type: 'integer' }, team: { type: 'string' }, iban: { type: 'string' } },
      },
    },
    { id: 'monthly', name: '生成月报', examples: ['生成本月销售月报', 'write the monthly report'] },
  ],
  instances: [{ instance_id: 'a', address: 'http://127.0.0.1:9' }],
};

async function opened(data: string | null): Promise<Reach> {
  const reach = await createReach({
    data,
    manifests: null,
    logLevel: 'silent',
    englishModel: false,
    probes: false,
  });
  onTestFinished(() => reach.close());
  return reach;
}

async function labelsOf(reach: Reach): Promise<Label[]> {
  const labels: Label[] = [];
  for await (const label of reach.labels()) labels.push(label);
  return labels;
}

test('answers, outcomes and tickets become labels, which outlive a restart and hold no value and no user', {
  timeout: 180_000,
}, async () => {
  const data = await temporaryFolder();
  const first = await opened(data);
  await first.publish(manifest);

  const payload = { iban: 'DE02120300000000202051', week: 23 };
  const lacking = await first.route({ intent: 'write the weekly report', payload, userId: 'li@example.com' });
  expect(lacking).toMatchObject({ outcome: 'clarify', missingFields: ['/team'] });
  await first.route({ routeId: lacking.routeId, payload: { ...payload, team: 'east' } });

  const unsure = await first.route({
    intent: 'how did the shop do lately',
    threshold: 1,
    userId: 'li@example.com',
  });
  await first.outcome(unsure.routeId, { status: 'failed', rightCapability: 'report-agent/monthly' });

  const asked = await first.route({ intent: '店里最近怎么样', threshold: 1, userId: 'li@example.com' });
  expect(asked.ticketId).toMatch(/^tk_/);
  await first.resolveTicket(asked.ticketId ?? '', { by: 'Li', rightCapability: 'report-agent/weekly' });
  await first.close();

  const second = await opened(data);
  const labels = await labelsOf(second);
  const bySource = new Map(labels.map((label) => [label.source, label]));
  expect(labels).toHaveLength(3);
  expect(bySource.get('clarify')).toMatchObject({
    intent: 'write the weekly report',
    payloadFields: { iban: 'string', week: 'integer' },
    expected: ['report-agent/weekly'],
    routeId: lacking.routeId,
  });
  expect(bySource.get('outcome')).toMatchObject({
    intent: 'how did the shop do lately',
    payloadFields: null,
    expected: ['report-agent/monthly'],
    routeId: unsure.routeId,
  });
  expect(bySource.get('ticket')).toMatchObject({
    intent: '店里最近怎么样',
    lang: 'zh',
    expected: ['report-agent/weekly'],
    routeId: asked.routeId,
  });
  const file = await readFile(join(data, 'labels.db'), 'latin1');
  expect(file).toContain('how did the shop do lately');
  expect(file).not.toMatch(/li@example|DE0212|east/);
});

test('a choice among capabilities that were too close becomes a label, also by way of a dispatch', {
  timeout: 120_000,
}, async () => {
  const reach = await opened(null);
  await reach.publish(manifest);
  const intent = '生成销售报告 write the report';
  const { candidates } = await reach.route({ intent, threshold: 1 });
  const [best = 0, next = 0] = candidates.map(({ confidence }) => confidence);
  const close = await reach.route({ intent, threshold: best + next / 2 });
  expect(close).toMatchObject({ outcome: 'clarify', choices: [expect.anything(), expect.anything()] });
  await reach.dispatch({ routeId: close.routeId, choice: 'report-agent/monthly' });
  expect(await labelsOf(reach)).toMatchObject([
    { source: 'clarify', intent, expected: ['report-agent/monthly'] },
  ]);
});

test('labels that people write name what is there, are kept once, and can be removed', {
  timeout: 120_000,
}, async () => {
  const reach = await opened(null);
  await reach.publish(manifest);
  const added = await reach.addLabels({
    labels: [
      { intent: '  周报 ', expected: ['weekly', 'report-agent/monthly'] },
      { intent: 'sing a song', expected: [], lang: 'en' },
      { intent: '周报', expected: ['report-agent/monthly', 'report-agent/weekly'] },
    ],
  });
  expect(added).toMatchObject({
    added: 2,
    labelIds: [expect.stringMatching(/^lb_[0-9a-f]{32}$/), expect.anything(), expect.anything()],
  });
  expect(added.labelIds[2]).toBe(added.labelIds[0]);
  expect(
    await reach.addLabels({ labels: [{ intent: '周报', expected: ['weekly', 'monthly'] }] }),
  ).toMatchObject({ added: 0 });
  expect(await labelsOf(reach)).toHaveLength(2);
  await expect(
    reach.addLabels({
      labels: [
        { intent: 'ok', expected: [] },
        { intent: 'x', expected: ['wekly'] },
      ],
    }),
  ).rejects.toMatchObject({
    code: 'CAPABILITY_UNKNOWN',
    message: expect.stringContaining('weekly'),
    errors: [{ pointer: '/labels/1/expected/0' }],
  });
  await expect(reach.addLabels({ labels: [{ intent: ' ', expected: [] }] })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    errors: [{ pointer: '/labels/0/intent' }],
  });
  expect(await labelsOf(reach)).toHaveLength(2);

  await reach.publish({ ...manifest, manifest_version: 2, capabilities: manifest.capabilities.slice(0, 1) });
  expect(await reach.reviewLabels()).toMatchObject({
    labels: 2,
    gone: [{ capability: 'report-agent/monthly', count: 1 }],
  });
  const [labelId = ''] = added.labelIds;
  expect(await reach.removeLabel(labelId)).toEqual({ labelId });
  await expect(reach.removeLabel(labelId)).rejects.toMatchObject({ code: 'LABEL_UNKNOWN' });
  expect(await labelsOf(reach)).toMatchObject([{ intent: 'sing a song', lang: 'en', source: 'added' }]);
});
