import { expect, test } from 'vitest';
import type { Capability } from '../../src/manifest/schema.js';
import { capabilityDigests } from '../../src/retrieval/capability-digest.js';
import { TestCatalogue } from '../support/test-catalogue.js';

async function digestOf(more: Partial<Capability>): Promise<string | undefined> {
  const catalogue = new TestCatalogue();
  catalogue.publish({ agentName: 'reports', capabilities: [{ id: 'weekly', ...more }] });
  const manifests = [...catalogue.snapshot().agents.values()].map(({ manifest }) => manifest);
  return (await capabilityDigests(manifests)).get('reports/weekly');
}

const properties = { week: { type: 'integer' }, year: { type: 'integer' } };

test('a digest is the same for what says the same, and another where what is judged has changed', async () => {
  const digest = await digestOf({ inputSchema: { type: 'object', properties } });
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  const turned = { year: properties.year, week: properties.week };
  expect(await digestOf({ inputSchema: { properties: turned, type: 'object' } })).toBe(digest);
  const changes: Partial<Capability>[] = [
    { name: 'Weekly' },
    { description: 'Sums a week up.' },
    { examples: ['sum up the week'] },
    { tags: ['report'] },
    { inputSchema: { type: 'object' } },
    { equivalentTo: ['other/weekly'] },
    { threshold: 0.8 },
  ];
  const changed = await Promise.all(
    changes.map((change) => digestOf({ inputSchema: { type: 'object', properties }, ...change })),
  );
  expect(new Set([digest, ...changed]).size).toBe(changes.length + 1);
});

test('a digest does not know what only tells equals apart, or how work is done', async () => {
  const digest = await digestOf({});
  const same: Partial<Capability>[] = [
    { priority: 90 },
    { outputSchema: { type: 'string' } },
    { deadlineMs: 5 },
    { idempotent: true },
  ];
  for (const more of same) expect(await digestOf(more)).toBe(digest);
});
