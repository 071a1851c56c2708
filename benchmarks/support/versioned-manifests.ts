import { seededRandom } from '../../src/evaluation/seeded-random.js';
import type { ManifestDocument } from '../../src/manifest/schema.js';
import { clusteredVectors } from './clustered-vectors.js';

const SEED = 1;
const VOCABULARY = 2_000;
const CONSONANTS = [...'bcdfghjklmnpqrstvwxyz'];
const VOWELS = [...'aeiou'];
const CAPABILITIES_AN_AGENT = 10;

export interface VersionedManifests {
  /** One manifest an agent; then, in the same order, all of them again with other texts, and so on. */
  readonly manifests: readonly ManifestDocument[];
  /** What a caller says, each near some capability. */
  readonly intents: readonly string[];
  /** The vector of every text and intent: made beforehand, so that no model runs while others are measured. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
}

/**
 * A catalogue of so many capabilities, ten an agent, in so many versions, so that each can be replaced by one that
 * says something else. Vectors lie in the clusters of `clusteredVectors`; texts are of words of which few are
 * frequent and most are rare, as in every language, and mean nothing to a model.
 */
export function versionedManifests(size: {
  readonly capabilities: number;
  readonly versions: number;
  readonly intents: number;
}): VersionedManifests {
  const { capabilities, queries } = clusteredVectors(size.capabilities * size.versions, size.intents, {
    seed: SEED,
  });
  const write = writer();
  const vectors = new Map<string, Float32Array>();
  const text = (words: number, vector: Float32Array): string => {
    const written = write(words);
    vectors.set(written, vector);
    return written;
  };
  const documents = capabilities.map(([first, second], i) => ({
    id: `capability-${i % CAPABILITIES_AN_AGENT}`,
    name: text(5, first),
    description: text(14, first),
    examples: [text(8, second)],
    input_schema: {
      type: 'object',
      properties: { [write(1)]: { type: 'string' }, limit: { type: 'integer' } },
    },
  }));
  const agents = size.capabilities / CAPABILITIES_AN_AGENT;
  const manifests = Array.from({ length: agents * size.versions }, (_, i) => ({
    agent_name: `agent-${i % agents}`,
    manifest_version: 1 + Math.floor(i / agents),
    capabilities: documents.slice(i * CAPABILITIES_AN_AGENT, (i + 1) * CAPABILITIES_AN_AGENT),
  }));
  return { manifests, intents: queries.map((query) => text(8, query)), vectors };
}

function writer(): (words: number) => string {
  const random = seededRandom(SEED);
  const oneOf = <T>(items: readonly T[], share: number) => items[Math.floor(items.length * share)];
  const syllable = () => `${oneOf(CONSONANTS, random())}${oneOf(VOWELS, random())}`;
  const word = () => syllable() + syllable() + syllable();
  const vocabulary = Array.from({ length: VOCABULARY }, word);
  return (words) => Array.from({ length: words }, () => oneOf(vocabulary, random() ** 3)).join(' ');
}
