import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { LIMITS } from '../wire/limits.js';

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

function numberWithin(least: number, most: number, isWhole: boolean) {
  return (text: string): number => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
    throw new InvalidArgumentError(`It is not a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}.`);
  };
}

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

/** The file that a path leads to, or would: the same however it is spelled. */
async function fileAt(path: string): Promise<string> {
  const known = await realpath(path).catch(() => undefined);
  if (known !== undefined) return known;
  const folder = dirname(resolve(path));
  return join(await realpath(folder).catch(() => folder), basename(path));
}

/** Two names for one file would destroy what it holds: a usage error. `read`: the files that are not written. */
export async function refuseSharedFiles(
  { json, predictions }: EvaluateFlags,
  read: readonly string[],
  command: Command,
): Promise<void> {
  const seen = new Set(await Promise.all(read.map(fileAt)));
  for (const output of [json, predictions]) {
    if (output === undefined) continue;
    const file = await fileAt(output);
    if (seen.has(file)) command.error(`error: ${output} is named twice, and would be overwritten`);
    seen.add(file);
  }
}
