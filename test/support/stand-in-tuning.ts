import type { TuningCalls } from '../../src/facade/tuning-calls.js';
import type { Tuning } from '../../src/wire/tuning.js';
import { testWeights } from './weights.js';

export const tuning: Tuning = {
  current: {
    number: 2,
    weightsVersion: 'tuned-2',
    appliedAt: '2026-01-02T03:04:05.678Z',
    note: null,
    tuned: null,
    rolledBackAt: null,
  },
  history: [],
  shadow: null,
};

/** Always the same weights are in force, whatever is applied. */
export function standInTuning(): TuningCalls {
  return {
    tuning: async () => tuning,
    weights: () => testWeights,
    applyWeights: async () => tuning,
    rollBackWeights: async () => tuning,
    shadowWeights: async () => tuning,
  };
}
