import { expect, test } from 'vitest';
import { doubtfulThresholds } from '../../src/doctor/threshold-check.js';
import type { Agent } from '../../src/registry/catalogue.js';
import { capabilityDigests } from '../../src/retrieval/capability-digest.js';
import type { Weights } from '../../src/routing/weights.js';
import type { Overlap } from '../../src/wire/agents.js';
import { TestCatalogue } from '../support/test-catalogue.js';
import { weightsNamed } from '../support/weights.js';

/** Of one agent, so many capabilities that nobody changes. */
const others = (count: number) => ({
  agentName: 'others',
  capabilities: Array.from({ length: count }, (_, index) => ({ id: `o${index}` })),
});
const reports = (name: string) => ({ agentName: 'reports', capabilities: [{ id: 'weekly', name }] });

/** Weights that were tuned on what the catalogue holds now. */
async function tunedOn(catalogue: TestCatalogue, thresholds: Record<string, number>): Promise<Weights> {
  const manifests = [...catalogue.snapshot().agents.values()].map(({ manifest }) => manifest);
  return weightsNamed('tuned-1', {
    thresholds: { global: 0.75, by_capability: thresholds },
    tuned: {
      at: '2026-01-02T03:04:05.678Z',
      labels: 200,
      precision: 0.9,
      capabilities: Object.fromEntries(await capabilityDigests(manifests)),
    },
  });
}

/** Who overlaps with whom, by the agent that is held against the others. */
type Overlaps = Readonly<Record<string, readonly Pick<Overlap, 'capability' | 'other'>[]>>;

async function findings(catalogue: TestCatalogue, weights: Weights, overlaps: Overlaps = {}) {
  const compared: string[] = [];
  const inPassing = async ({ manifest: { agentName } }: Agent) => {
    compared.push(agentName);
    return (overlaps[agentName] ?? null) as Overlap[] | null;
  };
  const sources = { catalogue: () => catalogue.snapshot(), weights: () => weights, overlaps: { inPassing } };
  return { found: await doubtfulThresholds(sources).examine(), compared };
}

test('thresholds are good as long as nothing has changed', async () => {
  const catalogue = new TestCatalogue();
  catalogue.publish(others(10));
  catalogue.publish(reports('Weekly'));
  const weights = await tunedOn(catalogue, { 'reports/weekly': 0.9 });
  expect(await findings(catalogue, weights)).toEqual({ found: [], compared: [] });
});

test('a threshold of a capability that has changed since, or that is gone, is doubtful', async () => {
  const catalogue = new TestCatalogue();
  catalogue.publish(others(10));
  catalogue.publish(reports('Weekly'));
  const weights = await tunedOn(catalogue, { 'reports/weekly': 0.9, 'reports/lost': 0.8, 'others/o1': 0.7 });
  catalogue.publish(reports('Each week'));
  const { found } = await findings(catalogue, weights);
  expect(found).toMatchObject([
    {
      severity: 'warning',
      subject: 'reports/weekly',
      sentence: 'reports/weekly has changed since its threshold in the weights tuned-1 was tuned.',
    },
    { severity: 'note', subject: 'reports/lost', sentence: expect.stringContaining('not in the catalogue') },
  ]);
});

test('a threshold that nobody says the origin of is doubtful where its capability is gone', async () => {
  const catalogue = new TestCatalogue();
  catalogue.publish(reports('Weekly'));
  const thresholds = { global: 0.75, by_capability: { 'reports/weekly': 0.9, 'reports/lost': 0.8 } };
  const { found } = await findings(catalogue, weightsNamed('hand', { thresholds }));
  expect(found).toMatchObject([{ subject: 'reports/lost' }]);
});

test('weights are doubtful as a whole where a fifth of the catalogue is another by now', async () => {
  const catalogue = new TestCatalogue();
  catalogue.publish(others(9));
  catalogue.publish(reports('Weekly'));
  const weights = await tunedOn(catalogue, { 'others/o1': 0.9 });
  catalogue.publish({ agentName: 'new', capabilities: [{ id: 'a' }, { id: 'b' }] });
  expect((await findings(catalogue, weights)).found).toEqual([]);
  catalogue.publish(reports('Each week'));
  expect(await findings(catalogue, weights)).toMatchObject({
    found: [
      {
        severity: 'warning',
        subject: 'tuned-1',
        sentence:
          'The weights tuned-1 were tuned on another catalogue: 25 % of the capabilities are new, changed or gone.',
      },
    ],
    compared: [],
  });
});

test('a new capability that overlaps with one that has a threshold is told, and no other', async () => {
  const catalogue = new TestCatalogue();
  catalogue.publish(others(10));
  catalogue.publish(reports('Weekly'));
  const weights = await tunedOn(catalogue, { 'reports/weekly': 0.9 });
  catalogue.publish({ agentName: 'new', capabilities: [{ id: 'summary' }] });
  const overlaps = {
    new: [
      { capability: 'new/summary', other: 'reports/weekly' },
      { capability: 'new/summary', other: 'others/o1' },
    ],
    others: [{ capability: 'others/o2', other: 'reports/weekly' }],
  };
  const { found, compared } = await findings(catalogue, weights, overlaps);
  expect(compared).toEqual(['new']);
  expect(found).toMatchObject([
    {
      severity: 'warning',
      subject: 'reports/weekly',
      sentence:
        'new/summary is new since the weights tuned-1 were tuned, and overlaps with reports/weekly, which has a threshold there.',
    },
  ]);
  expect((await findings(catalogue, weights)).found).toEqual([]);
});
