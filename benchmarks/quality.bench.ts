import { evaluate } from '../src/evaluation/evaluate.js';
import type { EvaluationReport } from '../src/evaluation/evaluation-report.js';
import { queriesOf } from '../src/evaluation/query-file.js';
import type { LearningSet } from '../src/learning/learn-weights.js';
import {
  collectSamples,
  type ServiceUnderWeights,
  underWeights,
  withCatalogue,
} from './support/collect-samples.js';
import type { Bench, Figure } from './support/figure.js';
import {
  CROSS_LANGUAGE,
  LABELLED_SETS,
  type LabelledSet,
  WITHOUT_EXAMPLES,
} from './support/labelled-sets.js';
import { LEARNING_DATA, learned, startWeights } from './support/learning-run.js';

const MODELS = { main: 'multilingual-e5-small', english: 'bge-small-en-v1.5' } as const;
const SETS = [...LABELLED_SETS, ...CROSS_LANGUAGE];
const THRESHOLD = 0.75;
const say = (line: string) => process.stderr.write(`${line}\n`);

/** A set, and how its queries are put. */
interface Asked {
  readonly set: LabelledSet;
  readonly payload: boolean;
}

interface Measured extends Asked {
  readonly report: EvaluationReport;
  /** Top-1 under weights that were learned from its own family, these queries among it: better weights alone hardly get further. */
  readonly ceiling: number | null;
}

/** Every set under weights that were learned from the families to which it does not belong; beside it, from its own. */
async function measureAll(data: string): Promise<Measured[]> {
  const start = await startWeights(MODELS, LABELLED_SETS, data);
  const samples = await collectSamples(
    [...SETS, ...WITHOUT_EXAMPLES],
    { model: MODELS.main, data, weights: start },
    say,
  );
  const measured: Measured[] = [];
  for (const family of new Set(SETS.map((set) => set.family))) {
    const reportsFrom = (sets: readonly LearningSet[], trained_on: string) => {
      const weights = learned(sets, start, { version: `judge-${family}`, trained_on });
      return reportsOf(family, { model: MODELS.main, data, weights, englishModel: true });
    };
    const others = await reportsFrom(
      samples.filter((set) => set.family !== family),
      `all families but ${family}`,
    );
    const own = await reportsFrom(
      samples.filter((set) => set.family === family),
      `${family} alone`,
    );
    for (const [i, [asked, report]] of others.entries()) {
      const ceiling = own[i]?.[1].top1 ?? null;
      measured.push({ ...asked, report, ceiling });
      const { top1, oos_auroc: auroc, ece, at_threshold: at } = report;
      say(`${titleOf(asked)}: ${JSON.stringify({ top1, ceiling, auroc, ece, ...at })}`);
    }
  }
  return measured;
}

/** What the sets of a family come to under a service, each with its payloads and without. */
async function reportsOf(
  family: string,
  service: ServiceUnderWeights,
): Promise<(readonly [Asked, EvaluationReport])[]> {
  const reports: (readonly [Asked, EvaluationReport])[] = [];
  await underWeights(service, async (reach) => {
    for (const set of SETS.filter((each) => each.family === family)) {
      await withCatalogue(reach, set, async (names) => {
        for (const payload of set.hasPayloads ? [true, false] : [false]) {
          const asking = { payload, threshold: THRESHOLD, topK: 5 };
          const asked = { set: set.name, queries: queriesOf(set.queries), names, asking, worst: 0 };
          const { evaluation } = await evaluate(reach, asked);
          reports.push([{ set, payload }, evaluation.report]);
        }
      });
    }
  });
  return reports;
}

function titleOf({ set: { name, hasPayloads }, payload }: Asked): string {
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

function figuresOf({ set, payload, report, ceiling }: Measured): Figure[] {
  const title = titleOf({ set, payload });
  const goals = GOALS[set.name] ?? {};
  const share = { unit: '', better: 'higher' } as const;
  const figures: Figure[] = [
    {
      ...share,
      name: `${title}: top-1`,
      value: report.top1 ?? Number.NaN,
      goal: (payload ? goals.top1 : goals.bare) ?? null,
      ...(ceiling === null ? {} : { ceiling }),
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
  const eces = (some: readonly Measured[]) => some.map(({ report }) => report.ece ?? Number.NaN);
  const at = asked.map(({ report }) => report.at_threshold);
  const coverages = at.map(({ coverage }) => coverage ?? Number.NaN);
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
      value: Math.min(...at.flatMap(({ precision }) => precision ?? [])),
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
    'How right routing is on labelled intents, each set under weights and calibration learned from the other families only; the features, confidence inputs and ridges were chosen by these figures.',
  async run() {
    const measured = await measureAll(LEARNING_DATA);
    return [...measured.flatMap(figuresOf), ...worstAndMean(measured)];
  },
};
