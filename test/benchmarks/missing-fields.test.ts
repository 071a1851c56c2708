import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PayloadBreaker } from '../../benchmarks/support/broken-payload.js';
import { withCatalogue } from '../../benchmarks/support/collect-samples.js';
import { LABELLED_SETS } from '../../benchmarks/support/labelled-sets.js';
import { measureChoices, measureMissingFields } from '../../benchmarks/support/missing-fields-run.js';
import { createReach, type Reach } from '../../src/app.js';
import { seededRandom } from '../../src/evaluation/seeded-random.js';

let reach: Reach;
beforeAll(async () => {
  reach = await createReach({ logLevel: 'silent', data: null, manifests: null });
});
afterAll(() => reach.close());

const sets = LABELLED_SETS.filter(({ name }) => name.startsWith('homeassistant'));

describe.each(sets.map((set) => [set.name, set] as const))(
  'the missing-fields benchmark, in short, on %s',
  (_, set) => {
    it('finds the right capability though fields are missing, and names exactly those', async () => {
      await withCatalogue(reach, set, async (names) => {
        const found = await measureMissingFields(reach, set, names, 25);
        expect(found.queries).toBe(25);
        expect(found.exact).toBe(1);
        expect(found.rightBroken).toBeGreaterThan(0.6);
        expect(found.askedBack).toBeLessThanOrEqual(found.rightBroken);
        const shares = Object.values(found.outcomes).reduce((sum, share) => sum + share, 0);
        expect(shares).toBeCloseTo(1, 9);

        const choices = await measureChoices(reach, set, names, 60);
        expect(choices.queries).toBe(60);
        expect(choices.offered).toBeGreaterThan(0);
        expect(choices.holdRight).toBeGreaterThan(0.5);
      });
    });
  },
);

describe('a broken payload', () => {
  const schema = {
    required: ['who', 'lines'],
    properties: {
      who: { required: ['name'], properties: { name: {}, age: {} } },
      lines: { items: { required: ['sku'] } },
      note: {},
    },
  };
  const payload = { who: { name: 'a', age: 1 }, lines: [{ sku: 1, n: 2 }, { n: 3 }], note: '' };

  it('lacks one to three required fields, nested ones too, and what was missing before', () => {
    const breaker = new PayloadBreaker(schema);
    const random = seededRandom(1);
    const removed = new Set<string>();
    for (let round = 0; round < 200; round += 1) {
      const broken = breaker.break(payload, random);
      expect(broken?.removed.length).toBeGreaterThanOrEqual(1);
      expect(broken?.removed.length).toBeLessThanOrEqual(3);
      for (const pointer of broken?.removed ?? []) removed.add(pointer);
      const linesLeft = broken?.removed.includes('/lines') ? [] : ['/lines/1/sku'];
      expect(broken?.missing).toEqual([...(broken?.removed ?? []), ...linesLeft].sort());
      expect(broken?.payload).toHaveProperty('note');
    }
    expect([...removed].sort()).toEqual(['/lines', '/lines/0/sku', '/who', '/who/name']);
    expect(payload.lines).toHaveLength(2);
  });

  it('is none where nothing is required', () => {
    expect(new PayloadBreaker({ properties: { a: {} } }).break({ a: 1 }, seededRandom(1))).toBeUndefined();
    expect(new PayloadBreaker(true).break({ a: 1 }, seededRandom(1))).toBeUndefined();
  });
});
