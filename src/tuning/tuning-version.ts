import { canonicalDigest } from '../manifest/canonical-json.js';
import type { Weights } from '../routing/weights.js';
import type { TuningVersionSummary } from '../wire/tuning.js';
import type { NewTuning, TuningVersion } from './tuning-store.js';

/** Weights as what is kept of them when they are put into force. */
export function newTuning(weights: Weights, note: string | null, appliedAtMs: number): NewTuning {
  return {
    weights,
    weightsVersion: weights.version,
    contentHash: canonicalDigest(weights),
    appliedAtMs,
    note,
    tuned: tunedOf(weights),
  };
}

/** Number 0: the weights that the configuration names. */
export function configuredSummary(weights: Weights): TuningVersionSummary {
  return {
    number: 0,
    weightsVersion: weights.version,
    appliedAt: null,
    note: null,
    tuned: tunedOf(weights),
    rolledBackAt: null,
  };
}

export function summaryOf({ appliedAtMs, rolledBackAtMs, ...version }: TuningVersion): TuningVersionSummary {
  const { number, weightsVersion, note, tuned } = version;
  return {
    number,
    weightsVersion,
    appliedAt: new Date(appliedAtMs).toISOString(),
    note,
    tuned,
    rolledBackAt: rolledBackAtMs === null ? null : new Date(rolledBackAtMs).toISOString(),
  };
}

function tunedOf({ tuned }: Weights): TuningVersion['tuned'] {
  if (tuned === undefined) return null;
  const { at, labels, precision } = tuned;
  return { at, labels, precision };
}
