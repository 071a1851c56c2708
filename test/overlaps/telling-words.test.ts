import { expect, test } from 'vitest';
import { tellingWords } from '../../src/overlaps/telling-words.js';
import { CapabilityIndex } from '../../src/retrieval/capability-index.js';
import { ExactVectorIndex } from '../../src/retrieval/exact-vector-index.js';
import { SpaceIndex } from '../../src/retrieval/space-index.js';
import { indexed, inMain } from '../support/candidates.js';

const index = new CapabilityIndex(inMain(new SpaceIndex(new ExactVectorIndex(4), 4)));

test('they are found in bounded time in texts of tens of thousands of words', () => {
  const wordy = (id: string, stem: string) => {
    const words = Array.from({ length: 40_000 }, (_, i) => `${stem}${(i + 50_000).toString(36)}`);
    return indexed({ id, examples: [`${stem} ${words.join(' ')}`] });
  };
  const [own, other] = [wordy('a', 'refund'), wordy('b', 'parcel')];
  const startedAt = performance.now();
  const { own: words } = tellingWords(own, other, index);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect(words).toHaveLength(5);
  expect(words.every((word) => word.startsWith('refund'))).toBe(true);
});
