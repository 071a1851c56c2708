import { ReachError } from '../errors.js';
import { CapabilityNames } from '../evaluation/capability-names.js';
import { type JudgedReach, requestOf } from '../evaluation/judge.js';
import type { LabelledQuery } from '../evaluation/labelled-query.js';
import { splitLabels } from '../learning/label-split.js';
import { ASKING, type SeenLabel, seenLabels } from '../learning/seen-labels.js';
import type { Wanted } from '../learning/tune-thresholds.js';
import { tunedWeights } from '../learning/tuned-weights.js';
import { usableLabels } from '../learning/usable-labels.js';
import { canonicalDigest } from '../manifest/canonical-json.js';
import type { Manifest } from '../manifest/schema.js';
import { capabilityDigests } from '../retrieval/capability-digest.js';
import type { Weights } from '../routing/weights.js';
import type { AnswerPair } from './compare-answers.js';
import { judgedAnswers } from './judged-answers.js';
import { latenciesByTopK } from './top-k-points.js';
import type { TuneReport } from './tune-report.js';
import { tuneReportOf } from './tune-report-of.js';

/** Whose weights are tuned: a façade over the catalogue. */
export interface TunedReach extends Pick<JudgedReach, 'route'> {
  /** As `Reach.weights`. */
  weights(): Weights;
  /** As `Reach.applyWeights`. */
  applyWeights(weights: Weights): Promise<unknown>;
}

/** Asking for the labels that are learned from, and for those that are judged on under the weights before and after. */
export type TuneStep = 'learn' | 'judge before' | 'judge after';

export interface TuneInput {
  /** The catalogue of `reach`. */
  readonly manifests: readonly Manifest[];
  readonly queries: readonly LabelledQuery[];
  /** The share of the labels that is judged on and not learned from, over 0 and under 1. */
  readonly holdout: number;
  /** So much of what is acted on is to be right, 0..1; undefined: 0.9, and no less than so far. */
  readonly precision: number | undefined;
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly onProgress?: (step: TuneStep, done: number, total: number) => void;
}

export interface Tuned {
  readonly weights: Weights;
  readonly report: TuneReport;
}

/** With the answers that it was judged by. */
export interface JudgedTuning extends Tuned {
  readonly pairs: readonly AnswerPair[];
}

const PRECISION = 0.9;

/** Counts what is done of a step. */
function counter({ onProgress }: TuneInput, step: TuneStep, total: number): () => void {
  let done = 0;
  return () => {
    done += 1;
    onProgress?.(step, done, total);
  };
}

function wantedOf({ precision }: TuneInput, seen: readonly SeenLabel[]): Wanted {
  if (precision !== undefined) return { precision, soFar: 0 };
  const sure = seen.filter((each) => each.sure);
  const right = sure.filter(({ sample }) => sample.right[0]);
  return { precision: PRECISION, soFar: sure.length === 0 ? 0 : right.length / sure.length };
}

/** The weights under the name of their content, with what they were tuned on. */
async function named(
  weights: Weights,
  before: Weights,
  labels: number,
  precision: number,
  { manifests, at }: TuneInput,
): Promise<Weights> {
  const capabilities = Object.fromEntries(await capabilityDigests(manifests));
  const kept = Object.entries(weights.thresholds.by_capability).filter(([key]) => key in capabilities);
  const tuned: Weights = {
    ...weights,
    thresholds: { ...weights.thresholds, by_capability: Object.fromEntries(kept) },
    trained_on: `${labels} labels of one catalogue, from ${before.version}`,
    tuned: { at, labels, precision, capabilities },
  };
  const content = canonicalDigest({ ...tuned, version: '' });
  return { ...tuned, version: `tuned-${content.slice(0, 8)}` };
}

/**
 * Learns weights from a part of the labels and judges them beside those before on the rest, by the engine that serves:
 * `reach` has the weights after in force when it is done.
 * @throws ReachError INVALID_REQUEST where no label can be used; as `Reach.route` and `Reach.applyWeights`
 */
export async function tune(reach: TunedReach, input: TuneInput): Promise<JudgedTuning> {
  const { manifests, queries, holdout } = input;
  const names = new CapabilityNames(manifests);
  const usable = usableLabels(queries, names);
  const [first] = usable.labels;
  if (first === undefined)
    throw new ReachError('INVALID_REQUEST', 'There is no label that can be learned from.');
  const split = splitLabels(usable.labels, holdout);
  const before = reach.weights();
  const { model } = await reach.route(requestOf(first, ASKING));

  const seen = await seenLabels(split.learned, reach, names, counter(input, 'learn', split.learned.length));
  const wanted = wantedOf(input, seen);
  const learned = tunedWeights(seen, before, wanted);
  const after = await named(learned.weights, before, split.learned.length, wanted.precision, input);

  const judge = (step: TuneStep) =>
    judgedAnswers(split.judged, reach, names, counter(input, step, split.judged.length));
  const answersBefore = await judge('judge before');
  await reach.applyWeights(after);
  const latencies = await latenciesByTopK(split.judged, reach);
  const answersAfter = await judge('judge after');

  const pairs = answersBefore.flatMap((answer, place) => {
    const second = answersAfter[place];
    return second === undefined ? [] : [{ before: answer, after: second }];
  });
  const catalogue = { agents: manifests.length, capabilities: names.size };
  const { precision } = wanted;
  const about = { catalogue, model, precision, before, after };
  const report = tuneReportOf({ ...about, learned, usable, split, pairs, latencies });
  return { weights: after, report, pairs };
}
