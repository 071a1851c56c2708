import { groupedBy } from '../evaluation/grouped-by.js';
import { wilsonInterval } from '../evaluation/interval.js';
import { chanceOf, logOddsOf } from '../routing/confidence.js';
import type { Weights } from '../routing/weights.js';
import type { NewAnswer } from './cross-fit.js';
import { fitLogistic } from './fit-logistic.js';

/** With fewer answers that name it, a capability has no threshold of its own. */
const FEWEST_OF_CAPABILITY = 20;
/** How far a capability is held back to what holds for all: as if so many answers said so. */
const CAPABILITY_PULL = 4;
/** A deviation from all others that is smaller than so many standard errors may be chance: there are many capabilities. */
const CLEARLY = 2.58;

/** The 97.5 % point of the normal distribution: with as much chance a precision is no less than the lower end. */
const LIKELY = 1.96;
/** Holds a slope where it is. */
const FIXED = 1e6;

export type Thresholds = Weights['thresholds'];

/** What is wanted of the answers that are acted on. */
export interface Wanted {
  /** So many are to be right at least, as far as that can be expected of what is new, 0..1. */
  readonly precision: number;
  /** So many were right so far, which is not to be given up, 0..1. */
  readonly soFar: number;
}

export interface ChosenThreshold {
  readonly threshold: number;
  /** Whether what is wanted can be expected of it. */
  readonly reached: boolean;
}

/**
 * The least threshold at which what is wanted can be expected of what is new: the lower end of the 95 % interval reaches
 * the precision, which is told half by the share that are right and half by their confidence, which varies less. Where
 * it does nowhere, the threshold at which it is the highest; undefined where there are no answers.
 */
export function chooseThreshold(
  answers: readonly Pick<NewAnswer, 'logit' | 'right'>[],
  { precision, soFar }: Wanted,
): ChosenThreshold | undefined {
  const sorted = answers.toSorted((a, b) => b.logit - a.logit);
  let right = 0;
  let confidence = 0;
  let highest = 0;
  let chosen: ChosenThreshold | undefined;
  for (const [place, answer] of sorted.entries()) {
    if (answer.right) right += 1;
    confidence += chanceOf(answer.logit);
    const count = place + 1;
    if (sorted[count]?.logit === answer.logit) continue;
    const expected = wilsonInterval((right + confidence) / (2 * count), count, LIKELY)?.low ?? 0;
    const reached = expected >= precision && right / count >= soFar;
    if (!reached && (chosen?.reached || expected < highest)) continue;
    highest = expected;
    chosen = { threshold: chanceOf(answer.logit), reached };
  }
  return chosen;
}

/**
 * A global threshold, and others for capabilities whose answers are right more or less often than their confidence
 * says, for sure: those that mean of them what it means of all. What too few answers name keeps the one it had.
 */
export function withCapabilityThresholds(
  before: Thresholds,
  global: number,
  answers: readonly NewAnswer[],
): Thresholds {
  const by_capability = { ...before.by_capability };
  for (const [key, some] of groupedBy(answers, ({ predicted }) => predicted)) {
    if (some.length < FEWEST_OF_CAPABILITY) continue;
    const offset = offsetOf(some);
    if (offset === 0) delete by_capability[key];
    else by_capability[key] = chanceOf(logOddsOf(global) - offset);
  }
  return { global, by_capability };
}

/** How much the log-odds of answers are too low, held back; 0 where that may be chance. */
function offsetOf(answers: readonly NewAnswer[]): number {
  const observations = answers.map(({ logit, right }) => ({ inputs: [logit], right, weight: 1 }));
  const { bias } = fitLogistic(observations, {
    home: { bias: 0, slopes: [1] },
    ridges: { bias: CAPABILITY_PULL / answers.length, slopes: [FIXED] },
  });
  const information = answers.reduce((sum, { logit }) => sum + chanceOf(logit) * (1 - chanceOf(logit)), 0);
  return Math.abs(bias) * Math.sqrt(information + CAPABILITY_PULL) > CLEARLY ? bias : 0;
}
