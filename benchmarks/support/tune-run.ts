import { readManifests } from '../../src/evaluation/judged-catalogue.js';
import type { LabelledQuery } from '../../src/evaluation/labelled-query.js';
import { queriesOf } from '../../src/evaluation/query-file.js';
import { type JudgedTuning, tune } from '../../src/judging/tune.js';
import type { Reach } from '../../src/reach.js';
import { withCatalogue } from './collect-samples.js';
import type { Asked } from './quality-figures.js';

export interface TuneRunOptions {
  /** About so many labels are learned from; the rest is judged on. */
  readonly labels: number;
  readonly precision: number;
}

async function queriesIn({ set, payload }: Asked): Promise<LabelledQuery[]> {
  const queries: LabelledQuery[] = [];
  for await (const query of queriesOf(set.queries))
    queries.push(payload ? query : { ...query, payload: null });
  return queries;
}

/** Tunes a service on some labels of a set, judges it on the others, and leaves its weights as they were. */
export function tunedOnSet(
  reach: Reach,
  asked: Asked,
  { labels, precision }: TuneRunOptions,
): Promise<JudgedTuning> {
  return withCatalogue(reach, asked.set, async () => {
    const { manifests } = await readManifests([asked.set.manifest]);
    const queries = await queriesIn(asked);
    const catalogue = manifests.map(({ manifest }) => manifest);
    const holdout = 1 - labels / queries.length;
    const tuned = await tune(reach, {
      manifests: catalogue,
      queries,
      holdout,
      precision,
      at: new Date(0).toISOString(),
    });
    await reach.rollBackWeights();
    return tuned;
  });
}
