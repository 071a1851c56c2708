import { collectSamples, underWeights } from './support/collect-samples.js';
import type { Bench } from './support/figure.js';
import { CROSS_LANGUAGE, LABELLED_SETS, WITHOUT_EXAMPLES } from './support/labelled-sets.js';
import { LEARNING_DATA, learned, startWeights } from './support/learning-run.js';
import { titleOf } from './support/quality-figures.js';
import { figuresOfAll, figuresOfSet, type TunedSet } from './support/tune-figures.js';
import { tunedOnSet } from './support/tune-run.js';

const MODELS = { main: 'multilingual-e5-small', english: 'bge-small-en-v1.5' } as const;
const SETS = [...LABELLED_SETS, ...CROSS_LANGUAGE];
const TUNING = { labels: 200, precision: 0.9 } as const;
const say = (line: string) => process.stderr.write(`${line}\n`);

/** Every set tuned from weights that were learned from the families to which it does not belong. */
async function tunedSets(data: string): Promise<TunedSet[]> {
  const start = await startWeights(MODELS, LABELLED_SETS, data);
  const service = { model: MODELS.main, data };
  const samples = await collectSamples([...SETS, ...WITHOUT_EXAMPLES], { ...service, weights: start }, say);
  const tuned: TunedSet[] = [];
  for (const family of new Set(SETS.map((set) => set.family))) {
    const others = samples.filter((set) => set.family !== family);
    const about = { version: 'others', trained_on: `all families but ${family}` };
    const weights = learned(others, start, about);
    await underWeights({ ...service, weights, englishModel: true }, async (reach) => {
      for (const set of SETS.filter((each) => each.family === family)) {
        for (const payload of set.hasPayloads ? [true, false] : [false]) {
          const asked = { set, payload };
          const result = await tunedOnSet(reach, asked, TUNING);
          tuned.push({ asked, tuned: result });
          const { verdict_reason, all } = result.report;
          say(`${titleOf(asked)}: ${verdict_reason} ${JSON.stringify(all.after)}`);
        }
      }
    });
  }
  return tuned;
}

export const bench: Bench = {
  name: 'tune',
  title:
    'What tuning on 200 labels of a set comes to on the rest of them, each from weights and calibration learned from the other families only.',
  async run() {
    const tuned = await tunedSets(LEARNING_DATA);
    return [...tuned.flatMap(figuresOfSet), ...figuresOfAll(tuned)];
  },
};
