import { evaluate } from '../src/evaluation/evaluate.js';
import type { EvaluationReport } from '../src/evaluation/evaluation-report.js';
import { queriesOf } from '../src/evaluation/query-file.js';
import { collectSamples, underWeights, withCatalogue } from './support/collect-samples.js';
import type { Bench, Figure } from './support/figure.js';
import { CROSS_LANGUAGE, LABELLED_SETS, type LabelledSet } from './support/labelled-sets.js';
import { LEARNING_DATA, learned, startWeights } from './support/learning-run.js';

const MODELS = { main: 'multilingual-e5-small', english: 'bge-small-en-v1.5' } as const;
const SETS = [...LABELLED_SETS, ...CROSS_LANGUAGE];
const THRESHOLD = 0.75;
const say = (line: string) => process.stderr.write(`${line}\n`);

interface Measured {
  readonly set: LabelledSet;
  readonly payload: boolean;
  readonly report: EvaluationReport;
}

/** Every set under weights that were learned from the families to which it does not belong. */
async function measureAll(data: string): Promise<Measured[]> {
  const start = await startWeights(MODELS, LABELLED_SETS, data);
  const service = { model: MODELS.main, data };
  const samples = await collectSamples(SETS, { ...service, weights: start }, say);
  const measured: Measured[] = [];
  for (const family of new Set(SETS.map((set) => set.family))) {
    const others = samples.filter((set) => set.family !== family);
    const about = { version: `without-${family}`, trained_on: `all families but ${family}` };
    const weights = learned(others, start, about);
    await underWeights({ ...service, weights, englishModel: true }, async (reach) => {
      for (const set of SETS.filter((each) => each.family === family)) {
        await withCatalogue(reach, set, async (names) => {
          for (const payload of set.hasPayloads ? [true, false] : [false]) {
            const asking = { payload, threshold: THRESHOLD, topK: 5 };
            const asked = { set: set.name, queries: queriesOf(set.queries), names, asking, worst: 0 };
            const { evaluation } = await evaluate(reach, asked);
            measured.push({ set, payload, report: evaluation.report });
            const { top1, oos_auroc: auroc, ece, at_threshold: at } = evaluation.report;
            say(`${titleOf(set, payload)}: ${JSON.stringify({ top1, auroc, ece, ...at })}`);
          }
        });
      }
    });
  }
  return measured;
}

function titleOf({ name, hasPayloads }: LabelledSet, payload: boolean): string {
  return payload || !hasPayloads ? name : `${name}, without payload`;
}

/** Goals by set: of top-1 with its payloads (where it has some), of top-1 without, and of the AUROC of what fits against what does not. */
const GOALS: Readonly<
  Record<string, { readonly top1?: number; readonly bare?: number; readonly auroc?: number }>
> = {
  clinc150: { bare: 0.92, auroc: 0.96 },
  banking77: { bare: 0.87 },
  massive_en: { top1: 0.79 },
  massive_zh: { top1: 0.77 },
  massive_en_openset: { auroc: 0.92 },
  massive_zh_openset: { auroc: 0.92 },
  homeassistant_en: { top1: 0.92 },
  homeassistant_zh: { top1: 0.93 },
  bfcl: { top1: 0.94, bare: 0.62 },
  acebench_en: { top1: 0.985, bare: 0.85 },
  acebench_zh: { top1: 0.985, bare: 0.8 },
  'massive_zh on massive_en': { top1: 0.74 },
};
const ECE_GOAL = { payload: 0.08, bare: 0.12 } as const;
const PRECISION_GOAL = 0.92;
const COVERAGE_GOAL = 0.65;

function figuresOf({ set, payload, report }: Measured): Figure[] {
  const title = titleOf(set, payload);
  const goals = GOALS[set.name] ?? {};
  const share = { unit: '', better: 'higher' } as const;
  const figures: Figure[] = [
    {
      ...share,
      name: `${title}: top-1`,
      value: report.top1 ?? Number.NaN,
      goal: (payload ? goals.top1 : goals.bare) ?? null,
    },
  ];
  if (report.oos_auroc !== null) {
    const goal = payload || !set.hasPayloads ? (goals.auroc ?? null) : null;
    figures.push({ ...share, name: `${title}: out-of-scope AUROC`, value: report.oos_auroc, goal });
  }
  figures.push({
    name: `${title}: calibration error`,
    value: report.ece ?? Number.NaN,
    unit: '',
    better: 'lower',
    goal: null,
  });
  return figures;
}

function worstAndMean(measured: readonly Measured[]): Figure[] {
  // Clinc and banking have no payloads at all: they count among both.
  const asked = measured.filter(({ set, payload }) => payload || !set.hasPayloads);
  const bare = measured.filter(({ payload }) => !payload);
  const eces = (some: readonly Measured[]) => some.map(({ report }) => report.ece ?? 0);
  const at = asked.map(({ report }) => report.at_threshold);
  const coverages = at.map(({ coverage }) => coverage ?? 0);
  const lower = { unit: '', better: 'lower' } as const;
  const higher = { unit: '', better: 'higher' } as const;
  return [
    {
      ...lower,
      name: 'calibration error, worst set with payload',
      value: Math.max(...eces(asked)),
      goal: ECE_GOAL.payload,
    },
    {
      ...lower,
      name: 'calibration error, worst set without payload',
      value: Math.max(...eces(bare)),
      goal: ECE_GOAL.bare,
    },
    {
      ...higher,
      name: `precision at ${THRESHOLD}, worst set`,
      value: Math.min(...at.map(({ precision }) => precision ?? 1)),
      goal: PRECISION_GOAL,
    },
    {
      ...higher,
      name: `coverage at ${THRESHOLD}, mean of the sets`,
      value: coverages.reduce((sum, value) => sum + value, 0) / coverages.length,
      goal: COVERAGE_GOAL,
    },
  ];
}

export const bench: Bench = {
  name: 'quality',
  title:
    'How right routing is on labelled intents, each set under weights learned from the other families; nothing was tuned on a set that it is judged by.',
  async run() {
    const measured = await measureAll(LEARNING_DATA);
    return [...measured.flatMap(figuresOf), ...worstAndMean(measured)];
  },
};
