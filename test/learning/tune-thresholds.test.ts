import { expect, it } from 'vitest';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { chooseThreshold } from '../../src/learning/tune-thresholds.js';
import { chanceOf, logOddsOf } from '../../src/routing/confidence.js';

const PRECISION = 0.9;
const ROUNDS = 400;
const random = seededRandom(5);

/** Two hundred answers whose confidence is true, and the threshold that they lead to. */
function chosenByChance() {
  const logits = Array.from({ length: 200 }, () => 8 * random() - 3);
  const answers = logits.map((logit) => ({ logit, right: random() < chanceOf(logit) }));
  return { logits, chosen: chooseThreshold(answers, { precision: PRECISION, soFar: 0 }) };
}

it('what is asked for of the answers that are acted on is kept, whatever chance has made of the labels', () => {
  let kept = 0;
  let coverage = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { logits, chosen } = chosenByChance();
    const above = logits.filter((logit) => logit >= logOddsOf(chosen?.threshold ?? 1));
    const expected = above.reduce((sum, logit) => sum + chanceOf(logit), 0) / above.length;
    if (expected >= PRECISION) kept += 1;
    coverage += above.length / logits.length / ROUNDS;
  }
  expect(kept / ROUNDS).toBeGreaterThan(0.97);
  // Not by acting on nothing: with all that is known, half of the answers could be acted on.
  expect(coverage).toBeGreaterThan(0.3);
});
