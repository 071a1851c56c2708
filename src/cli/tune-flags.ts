import type { Command } from 'commander';
import { LIMITS } from '../wire/limits.js';
import { numberWithin } from './number-of.js';
import { baseOf } from './server-url.js';

export interface TuneFlags {
  readonly manifests?: readonly string[];
  readonly url?: string;
  readonly queries: readonly string[];
  /** Hours. */
  readonly recorded?: number;
  readonly holdout: number;
  /** Undefined: as much as tuning asks for by itself. */
  readonly precision?: number;
  readonly out?: string;
  readonly report?: string;
  readonly json?: string;
  readonly force?: true;
}

/** As far back as a server is asked for labels: a year. */
const MOST_HOURS = LIMITS.trendHours;
const HOLDOUT = 0.3;

export function addTuneFlags(command: Command): Command {
  return command
    .option('--manifests <file or folder...>', 'the catalogue: manifests, and folders of them')
    .option('--url <url>', 'the server whose catalogue and weights are tuned (REACH_URL)')
    .option('--queries <file...>', 'labelled intents, one JSON object a line', [])
    .option(
      '--recorded <hours>',
      `and the labels that the server was given in so many hours, 1 to ${MOST_HOURS}`,
      numberWithin(1, MOST_HOURS, true),
    )
    .option(
      '--holdout <share>',
      'how much of the labels is judged on and not learned from, 0.05 to 0.95',
      numberWithin(0.05, 0.95, false),
      HOLDOUT,
    )
    .option(
      '--precision <0..1>',
      'how much of what is acted on is to be right, 0.9 and no less than so far if not told',
      numberWithin(0, 1, false),
    )
    .option('--out <file>', 'write the weights there, unless they are worse, for `tune apply`')
    .option('--report <file>', 'write a page for a person there, HTML')
    .option('--json <file>', 'write the figures there, JSON')
    .option('--force', 'write the weights even if they are worse');
}

/** The server whose catalogue is tuned; undefined where it is that of files. Neither, both, or nothing to learn from are usage errors. */
export function tunedServer(command: Command, env: NodeJS.ProcessEnv): URL | undefined {
  const { manifests, url: named, queries, recorded } = command.opts<TuneFlags>();
  if (manifests !== undefined && named) command.error('error: name --manifests or a --url, not both');
  const url = manifests === undefined ? named || env.REACH_URL : undefined;
  if (manifests === undefined && !url)
    command.error('error: name a catalogue: --manifests, --url or REACH_URL');
  if (url && command.getOptionValueSource('weights') === 'cli')
    command.error('error: the weights are those of the server: leave --weights out');
  if (recorded !== undefined && !url) command.error('error: --recorded needs a server: --url or REACH_URL');
  if (queries.length === 0 && recorded === undefined)
    command.error('error: name labels to learn from: --queries or --recorded');
  return url ? baseOf(url) : undefined;
}
