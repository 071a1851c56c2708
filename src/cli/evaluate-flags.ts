import type { Command } from 'commander';
import { LIMITS } from '../wire/limits.js';
import { numberWithin } from './number-of.js';

export interface EvaluateFlags {
  readonly manifests: readonly string[];
  readonly queries: string;
  /** False where `--no-payload` was given. */
  readonly payload: boolean;
  readonly threshold?: number;
  readonly topK: number;
  readonly json?: string;
  readonly predictions?: string;
  readonly worst: number;
}

const TOP_K = 5;
const MOST_WORST = 1_000;

export function addEvaluateFlags(command: Command): Command {
  return command
    .requiredOption('--manifests <file or folder...>', 'the catalogue: manifests, and folders of them')
    .requiredOption('--queries <file>', 'labelled intents, one JSON object a line')
    .option('--no-payload', 'withhold the payloads')
    .option(
      '--threshold <0..1>',
      'the least confidence to act on, for every capability',
      numberWithin(0, 1, false),
    )
    .option('--top-k <count>', 'candidates in a prediction', numberWithin(1, LIMITS.topK, true), TOP_K)
    .option('--json <file>', 'write the figures there')
    .option('--predictions <file>', 'write every answer there, a line a query')
    .option('--worst <count>', 'explain so many of the worst answers', numberWithin(0, MOST_WORST, true), 0);
}
