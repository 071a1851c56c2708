import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createReach, type Reach } from '../../src/app.js';
import { CapabilityNames } from '../../src/evaluation/capability-names.js';
import { requestOf } from '../../src/evaluation/judge.js';
import { publishManifests, readManifests } from '../../src/evaluation/judged-catalogue.js';
import { queriesOf } from '../../src/evaluation/query-file.js';
import type { LearningSet } from '../../src/learning/learn-weights.js';
import { type LearningSample, learningSampleOf } from '../../src/learning/learning-sample.js';
import type { ManifestFile } from '../../src/manifest/check-manifests.js';
import type { Weights } from '../../src/routing/weights.js';
import type { LabelledSet } from './labelled-sets.js';
import { withTemporaryFolder } from './temporary-folder.js';

/** How much a set counts in its family; less where it is not what its catalogue was written for. */
const SET_WEIGHT = { asShipped: 1, withoutEnglish: 0.5, crossLanguage: 0.5, withoutExamples: 0.25 } as const;
/** As many as a search finds: weights are learned from all of them. */
const CANDIDATES = 64;

/** What a set taught, under the name that tells how it was put. */
export interface CollectedSet extends LearningSet {
  readonly name: string;
}

export interface ServiceUnderWeights {
  readonly model: string;
  readonly weights: Weights;
  readonly englishModel: boolean;
  /** Where vectors are kept from one service to the next. */
  readonly data: string;
}

/** A service under these weights, closed when the work is done. */
export async function underWeights<Result>(
  { model, weights, englishModel, data }: ServiceUnderWeights,
  work: (reach: Reach) => Promise<Result>,
): Promise<Result> {
  return withTemporaryFolder(async (folder) => {
    const file = join(folder, 'weights.json');
    await writeFile(file, JSON.stringify(weights));
    const reach = await createReach({ model, weights: file, englishModel, data, logLevel: 'error' });
    try {
      // A run that was stopped may have left others in force in the data folder.
      while ((await reach.tuning()).current.number > 0) await reach.rollBackWeights();
      return await work(reach);
    } finally {
      await reach.close();
    }
  });
}

/** Publishes a set's catalogue alone, and takes it away again when the work is done. */
export async function withCatalogue<Result>(
  reach: Reach,
  { manifest, examples }: LabelledSet,
  work: (names: CapabilityNames) => Promise<Result>,
): Promise<Result> {
  // A run that was stopped may have left one behind in the data folder.
  await removeAll(reach);
  const { manifests, faults } = await readManifests([manifest]);
  const asked = examples === 'left out' ? manifests.map(withoutExamples) : manifests;
  const published = await publishManifests(asked, reach);
  const [fault] = [...faults, ...published.faults];
  if (fault !== undefined) throw new Error(`${fault.file}: ${fault.message}`);
  try {
    return await work(new CapabilityNames(asked.map((each) => each.manifest)));
  } finally {
    await removeAll(reach);
  }
}

/** The same under another name: the data folder remembers what was published under the first. */
function withoutExamples({ document, manifest, ...file }: ManifestFile): ManifestFile {
  const name = `${manifest.agentName}-without-examples`;
  const capabilities = document.capabilities.map((capability) => ({ ...capability, examples: [] }));
  return {
    ...file,
    document: { ...document, agent_name: name, capabilities },
    manifest: { ...manifest, agentName: name },
  };
}

async function removeAll(reach: Reach): Promise<void> {
  for (const { agentName } of reach.agents().agents) await reach.remove(agentName);
}

/** Sets as weights are learned from them: as routing saw them with and without payloads, with English and without. */
export async function collectSamples(
  sets: readonly LabelledSet[],
  service: Omit<ServiceUnderWeights, 'englishModel'>,
  onSet: (line: string) => void,
): Promise<CollectedSet[]> {
  const withEnglish = service.weights.english_model !== null;
  const collected: CollectedSet[] = [];
  for (const englishModel of withEnglish ? [true, false] : [false]) {
    // What is not English is the same without the model for English.
    const isNew = ({ isEnglish, examples }: LabelledSet) =>
      englishModel === withEnglish || (isEnglish && examples !== 'left out');
    await underWeights({ ...service, englishModel }, async (reach) => {
      for (const set of sets.filter(isNew)) {
        const samples = await withCatalogue(reach, set, (names) => samplesOf(reach, set, names));
        const asShipped = englishModel === withEnglish;
        const name = asShipped ? set.name : `${set.name} without an English model`;
        collected.push({ name, family: set.family, weight: weightOf(set, asShipped), samples });
        onSet(`${name}: ${samples.length} samples`);
      }
    });
  }
  return collected;
}

function weightOf({ isCrossLanguage, examples }: LabelledSet, asShipped: boolean): number {
  if (!asShipped) return SET_WEIGHT.withoutEnglish;
  if (examples === 'left out') return SET_WEIGHT.withoutExamples;
  return isCrossLanguage ? SET_WEIGHT.crossLanguage : SET_WEIGHT.asShipped;
}

async function samplesOf(reach: Reach, set: LabelledSet, names: CapabilityNames): Promise<LearningSample[]> {
  const samples: LearningSample[] = [];
  for (const payload of set.hasPayloads ? [false, true] : [false]) {
    for await (const query of queriesOf(set.queries)) {
      const withPayload = payload && Object.keys(query.payload ?? {}).length > 0;
      if (payload && !withPayload) continue;
      const request = requestOf(query, { payload, threshold: undefined, topK: CANDIDATES });
      const decision = await reach.route({ ...request, explain: true });
      const sample = learningSampleOf(query, decision, { withPayload, names });
      if (sample !== undefined) samples.push(sample);
    }
  }
  return samples;
}
