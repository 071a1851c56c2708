import { describe, expect, test } from 'vitest';
import type { Weights } from '../../src/routing/weights.js';
import { checkWeights } from '../../src/tuning/weights-fit.js';
import { testWeights, weightsNamed } from '../support/weights.js';

const [feature] = testWeights.features;
const tuned = { at: '2026-01-02T03:04:05.678Z', labels: 1, precision: 0.9, capabilities: {} };

describe('a file of weights', () => {
  test.each(['defaults-1', 'tuned for the fair', '调优-2', '🎯'])('may be called %s', (version) => {
    expect(checkWeights(weightsNamed(version))).toEqual([]);
  });

  test.each<[string, string, Partial<Weights>]>([
    ['no version', '/version', { version: '' }],
    ['a version of spaces', '/version', { version: ' \u00a0 ' }],
    ['a version with a NUL', '/version', { version: 'tuned\u0000-1' }],
    ['a version with a line break', '/version', { version: 'tuned\n-1' }],
    ['a version with a terminal sequence', '/version', { version: '\u001b[31mtuned' }],
    ['a version with half a character', '/version', { version: 'tuned\ud800' }],
    ['more features than there are', '/features', { features: Array(100).fill(feature) }],
    ['a novel of what it was trained on', '/trained_on', { trained_on: 'x'.repeat(10_001) }],
    ['a novel of when it was tuned', '/tuned/at', { tuned: { ...tuned, at: tuned.at.repeat(1_000) } }],
    ['no time when it was tuned', '/tuned/at', { tuned: { ...tuned, at: 'yesterday' } }],
    [
      'a threshold that is no number',
      '/thresholds/global',
      { thresholds: { global: Number.NaN, by_capability: {} } },
    ],
  ])('is refused with %s', (_, pointer, more) => {
    expect(checkWeights({ ...testWeights, ...more })).toMatchObject([{ pointer }]);
  });
});
