import { expect, it } from 'vitest';
import { bandCeiling } from '../../benchmarks/support/band-ceiling.js';
import { seededRandom } from '../../src/evaluation/seeded-random.js';

const random = seededRandom(3);
const chances = Array.from({ length: 2_000 }, () => 0.02 + 0.96 * random());

it('true confidences leave their noise band the more often, the fewer labels correct them', () => {
  const [few = 0, many = 0] = [20, 5_000].map((labels) => bandCeiling(chances, labels));
  expect(few).toBeLessThan(many);
  expect(many).toBeGreaterThanOrEqual(0.85);
});
