import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { freshTexts } from './fresh-texts.js';

const A_HUNDRED = 100;

/**
 * Intents of which `newPercent` of every hundred are new, spread at random; all others repeat one that came
 * before, each as likely as any other. The same in every run.
 */
export function intentStream(count: number, newPercent: number): string[] {
  const random = seededRandom(1);
  const texts = freshTexts(Math.ceil((count * newPercent) / A_HUNDRED) + newPercent);
  const intents: string[] = [];
  let asked = 0;
  while (intents.length < count) {
    const places = new Set<number>(asked === 0 ? [0] : []);
    while (places.size < newPercent) places.add(Math.floor(random() * A_HUNDRED));
    for (let place = 0; place < A_HUNDRED; place += 1) {
      if (places.has(place)) asked += 1;
      const index = places.has(place) ? asked - 1 : Math.floor(random() * asked);
      intents.push(texts[index] ?? '');
    }
  }
  return intents.slice(0, count);
}
