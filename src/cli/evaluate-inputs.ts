import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { CapabilityNames } from '../evaluation/capability-names.js';
import { readManifests } from '../evaluation/judged-catalogue.js';
import { type QuerySurvey, surveyQueries } from '../evaluation/query-survey.js';
import { type FileFault, formatFault, type ManifestFile } from '../manifest/check-manifests.js';
import type { CliServices } from './cli-services.js';
import type { EvaluateFlags } from './evaluate-flags.js';
import { printable } from './printable.js';

/** What is evaluated, read and found to be usable. */
export interface EvaluateInputs {
  readonly manifests: readonly ManifestFile[];
  readonly names: CapabilityNames;
  readonly survey: QuerySurvey;
}

/** Queries are read twice: what comes from a pipe would be gone. Anything else is a usage error. */
export async function refuseUnlessFile(path: string, command: Command): Promise<void> {
  const isFile = await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (!isFile) command.error(`error: ${path} is not a file that can be read`);
}

/** Says what is wrong with files, each fault on a line, and what was not done for it. */
export function tellFaults(
  faults: readonly FileFault[],
  what: string,
  { stderr }: Pick<CliServices, 'stderr'>,
  undone = 'measured',
): void {
  for (const fault of faults) stderr.write(`${printable(formatFault(fault))}\n`);
  stderr.write(`agent-reach: ${what} cannot be used; nothing was ${undone}\n`);
}

/**
 * Reads the catalogue and the queries of an evaluation; undefined where they have faults, which were told.
 * @throws the file system's error where the queries cannot be read
 */
export async function readInputs(
  { manifests: paths, queries }: EvaluateFlags,
  services: Pick<CliServices, 'stderr'>,
): Promise<EvaluateInputs | undefined> {
  const { manifests, faults } = await readManifests(paths);
  if (faults.length > 0) {
    tellFaults(faults, 'the catalogue', services);
    return undefined;
  }
  const catalogue = manifests.map(({ manifest }) => manifest);
  const surveyed = await surveyQueries(queries, catalogue);
  if (surveyed.faults.length > 0) {
    const { faultyLines } = surveyed;
    const lines = faultyLines === 1 ? '1 line' : `${faultyLines} lines`;
    tellFaults(surveyed.faults, faultyLines === 0 ? 'the file' : lines, services);
    return undefined;
  }
  return { manifests, names: new CapabilityNames(catalogue), survey: surveyed.survey };
}
