import { evaluate } from '../src/evaluation/evaluate.js';
import type { Evaluation, EvaluationReport } from '../src/evaluation/evaluation-report.js';
import { queriesOf } from '../src/evaluation/query-file.js';
import type { LearningSet } from '../src/learning/learn-weights.js';
import {
  collectSamples,
  type ServiceUnderWeights,
  underWeights,
  withCatalogue,
} from './support/collect-samples.js';
import type { Bench } from './support/figure.js';
import {
  CROSS_LANGUAGE,
  LABELLED_SETS,
  type LabelledSet,
  WITHOUT_EXAMPLES,
} from './support/labelled-sets.js';
import { LEARNING_DATA, learned, startWeights } from './support/learning-run.js';
import {
  type Asked,
  figuresOf,
  type Measured,
  THRESHOLD,
  titleOf,
  worstAndMean,
} from './support/quality-figures.js';

const MODELS = { main: 'multilingual-e5-small', english: 'bge-small-en-v1.5' } as const;
const SETS = [...LABELLED_SETS, ...CROSS_LANGUAGE];
const say = (line: string) => process.stderr.write(`${line}\n`);

/** Every set under weights that were learned from the families to which it does not belong; beside it, from itself. */
async function measureAll(data: string): Promise<Measured[]> {
  const start = await startWeights(MODELS, LABELLED_SETS, data);
  const samples = await collectSamples(
    [...SETS, ...WITHOUT_EXAMPLES],
    { model: MODELS.main, data, weights: start },
    say,
  );
  const evaluatedFrom = (from: readonly LearningSet[], trained_on: string, sets: readonly LabelledSet[]) => {
    const weights = learned(from, start, { version: 'judge', trained_on });
    return evaluationsOf(sets, { model: MODELS.main, data, weights, englishModel: true });
  };
  const measured: Measured[] = [];
  for (const family of new Set(SETS.map((set) => set.family))) {
    const sets = SETS.filter((set) => set.family === family);
    const others = samples.filter((set) => set.family !== family);
    const evaluated = await evaluatedFrom(others, `all families but ${family}`, sets);
    const ceilings = new Map<string, EvaluationReport>();
    for (const set of sets) {
      const own = samples.filter(({ name }) => name === set.name);
      for (const { asked, evaluation } of await evaluatedFrom(own, `${set.name} alone`, [set]))
        ceilings.set(titleOf(asked), evaluation.report);
    }
    for (const { asked, evaluation } of evaluated) {
      const ceiling = ceilings.get(titleOf(asked));
      measured.push({ ...asked, evaluation, ceiling });
      say(`${titleOf(asked)}: ${JSON.stringify({ reached: evaluation.report, ceiling })}`);
    }
  }
  return measured;
}

interface Evaluated {
  readonly asked: Asked;
  readonly evaluation: Evaluation;
}

/** How sets fare under a service, each with its payloads and without. */
async function evaluationsOf(
  sets: readonly LabelledSet[],
  service: ServiceUnderWeights,
): Promise<Evaluated[]> {
  const evaluated: Evaluated[] = [];
  await underWeights(service, async (reach) => {
    for (const set of sets) {
      await withCatalogue(reach, set, async (names) => {
        for (const payload of set.hasPayloads ? [true, false] : [false]) {
          const asking = { payload, threshold: THRESHOLD, topK: 5 };
          const asked = { set: set.name, queries: queriesOf(set.queries), names, asking, worst: 0 };
          const { evaluation } = await evaluate(reach, asked);
          evaluated.push({ asked: { set, payload }, evaluation });
        }
      });
    }
  });
  return evaluated;
}

export const bench: Bench = {
  name: 'quality',
  title:
    'How right routing is on labelled intents, each set under weights and calibration learned from the other families only; the features, confidence inputs and ridges were chosen by these figures.',
  async run() {
    const measured = await measureAll(LEARNING_DATA);
    return [...measured.flatMap(figuresOf), ...worstAndMean(measured)];
  },
};
