import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { collectSamples } from './support/collect-samples.js';
import {
  CROSS_LANGUAGE,
  LABELLED_SETS,
  type LabelledSet,
  WITHOUT_EXAMPLES,
} from './support/labelled-sets.js';
import { LEARNING_DATA, learned, startWeights } from './support/learning-run.js';

/** The models that are shipped, each with the sets in whose languages it is at home. */
const MODELS: readonly { main: string; english: string | null; sets: readonly LabelledSet[] }[] = [
  {
    main: 'multilingual-e5-small',
    english: 'bge-small-en-v1.5',
    sets: [...LABELLED_SETS, ...CROSS_LANGUAGE, ...WITHOUT_EXAMPLES],
  },
  {
    main: 'bge-small-en-v1.5',
    english: null,
    sets: [...LABELLED_SETS, ...WITHOUT_EXAMPLES].filter(({ isEnglish }) => isEnglish),
  },
];

const say = (line: string) => process.stderr.write(`${line}\n`);

/** Learns the weights that come with the models from all labelled sets, and writes them beside the models. */
async function main(): Promise<void> {
  const data = LEARNING_DATA;
  for (const { main, english, sets } of MODELS) {
    const start = await startWeights({ main, english }, LABELLED_SETS, data);
    const samples = await collectSamples(sets, { model: main, weights: start, data }, say);
    const names = sets.map(({ name }) => name).join(', ');
    const about = { version: 'defaults-1', trained_on: `benchmarks/data: ${names}` };
    const path = fileURLToPath(new URL(`../models/${main}/weights.json`, import.meta.url));
    await writeFile(path, `${JSON.stringify(learned(samples, start, about), null, 2)}\n`);
    say(`Wrote ${path}`);
  }
}

await main();
