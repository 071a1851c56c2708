import type { CapabilityIndex } from '../retrieval/capability-index.js';
import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import { dot } from '../retrieval/vector-math.js';
import { NEAR_IDENTICAL } from '../routing/groups.js';
import type { Overlap } from '../wire/agents.js';
import type { LeftOutExample } from './left-out-examples.js';
import { tellingWords } from './telling-words.js';

/** A capability with what became of its examples. */
interface MeasuredCapability {
  readonly indexed: IndexedCapability;
  /** None where it has none, or where they were not routed. */
  readonly examples: readonly LeftOutExample[];
}

export interface MeasuredPair {
  readonly own: MeasuredCapability;
  readonly other: MeasuredCapability;
  /** The cosine between their summaries. */
  readonly likeness: number;
}

/** One stray example is no pattern: the best routers lose one in ten. */
const LEAST_TAKEN = 2;
/** Of the examples of both; two that nothing tells apart take half of them. */
const SHARE_OF_BOTH = 1 / 4;
/** Of the examples of one, which the other swallows, where their texts are close as well. */
const SHARE_OF_ONE = 1 / 3;
/** Summaries of this cosine are about the same matter; below, a few examples that stray are chance. */
const CLOSE = 0.7;

function takenBy({ examples }: MeasuredCapability, { indexed }: MeasuredCapability) {
  return { examples: examples.length, taken: examples.filter(({ taker }) => taker === indexed.key).length };
}

function shareOf({ examples, taken }: { readonly examples: number; readonly taken: number }): number {
  return examples === 0 ? 0 : taken / examples;
}

/** Examples of both that the other takes. */
export function takenOf({ own, other }: MeasuredPair): number {
  return takenBy(own, other).taken + takenBy(other, own).taken;
}

/** Whether the two take each other's intents: measured by their examples, or because their texts say the same. */
export function isOverlap({ own, other, likeness }: MeasuredPair): boolean {
  if (likeness >= NEAR_IDENTICAL) return true;
  const [to, from] = [takenBy(own, other), takenBy(other, own)];
  const taken = to.taken + from.taken;
  if (taken < LEAST_TAKEN) return false;
  if (taken >= (to.examples + from.examples) * SHARE_OF_BOTH) return true;
  return likeness >= CLOSE && Math.max(shareOf(to), shareOf(from)) >= SHARE_OF_ONE;
}

function closestExamples(own: MeasuredCapability, other: MeasuredCapability): Overlap['closestExamples'] {
  const pairs = own.examples.flatMap((mine) =>
    other.examples.map((theirs) => ({
      own: mine.text,
      other: theirs.text,
      similarity: dot(mine.vector, theirs.vector),
    })),
  );
  return pairs.reduce<Overlap['closestExamples']>(
    (closest, pair) => (closest === null || pair.similarity > closest.similarity ? pair : closest),
    null,
  );
}

function sentenceOn({ own, other, likeness }: MeasuredPair): string {
  const [mine, theirs] = [own.indexed.key, other.indexed.key];
  const [to, from] = [takenBy(own, other), takenBy(other, own)];
  const alike = likeness >= NEAR_IDENTICAL ? 'Their names and descriptions say the same' : undefined;
  const lost = `left out, ${to.taken} of ${to.examples} examples of ${mine} go to ${theirs}, and ${from.taken} of ${from.examples} come from there`;
  if (to.examples + from.examples === 0) return `${alike}; no examples were routed.`;
  return alike === undefined ? `${lost[0]?.toUpperCase()}${lost.slice(1)}.` : `${alike}; ${lost}.`;
}

export function overlapOf(pair: MeasuredPair, index: CapabilityIndex): Overlap {
  const { own, other, likeness } = pair;
  return {
    capability: own.indexed.key,
    other: other.indexed.key,
    sentence: sentenceOn(pair),
    similarity: likeness,
    toOther: takenBy(own, other),
    fromOther: takenBy(other, own),
    closestExamples: closestExamples(own, other),
    tellingWords: tellingWords(own.indexed, other.indexed, index),
  };
}
