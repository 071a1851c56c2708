import { seededRandom } from '../../src/evaluation/seeded-random.js';
import type { LearningSample } from '../../src/learning/learning-sample.js';
import { FEATURE_NAMES } from '../../src/routing/features.js';

const PLACE = Object.fromEntries(FEATURE_NAMES.map((name, place) => [name, place]));

/**
 * Samples of twenty candidates. The right one, the first, has a higher centroid, by more in some samples than in
 * others; where nothing fits, none has. What the lexical signal says is noise.
 */
export function samplesOf(count: number, seed: number): LearningSample[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const inScope = i % 4 !== 0;
    const ahead = inScope ? 0.4 * random() : 0;
    const candidates = Array.from({ length: 20 }, (__, place) => {
      const features = new Float64Array(FEATURE_NAMES.length);
      features[PLACE.views_centroid ?? 0] = 0.3 + 0.1 * random() + (place === 0 ? ahead : 0);
      features[PLACE.lexical ?? 0] = random();
      return features;
    });
    return {
      withPayload: i % 2 === 0,
      inScope,
      candidates,
      right: candidates.map((___, place) => inScope && place === 0),
      otherLanguage: 0,
    };
  });
}
