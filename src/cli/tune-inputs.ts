import type { LabelledQuery } from '../evaluation/labelled-query.js';
import { queriesOf } from '../evaluation/query-file.js';
import { surveyQueries } from '../evaluation/query-survey.js';
import { type FileFault, formatFault, type ManifestFile } from '../manifest/check-manifests.js';
import type { Manifest } from '../manifest/schema.js';
import type { CliServices } from './cli-services.js';
import { readCatalogue } from './evaluate-inputs.js';
import { tellFaults } from './faulty-files.js';
import { printable } from './printable.js';
import { recordedQueries } from './recorded-queries.js';
import { remoteReach } from './remote-reach.js';
import { servedManifests } from './served-manifests.js';
import type { TuneFlags } from './tune-flags.js';

/** What is tuned, and what is learned from, read and found to be usable. */
export interface TuneInputs {
  readonly manifests: readonly ManifestFile[];
  readonly queries: readonly LabelledQuery[];
}

type Screen = Pick<CliServices, 'stderr'>;

/** Of the server or of files; undefined where they have faults, which were told. A server serves the rest of them, so that they are left out. */
async function catalogueOf(
  paths: readonly string[],
  server: URL | undefined,
  services: Screen,
): Promise<readonly ManifestFile[] | undefined> {
  if (server === undefined) return readCatalogue(paths, services, 'tuned');
  const { manifests, faults } = await servedManifests(remoteReach(server), server.href);
  for (const fault of faults) services.stderr.write(`${printable(formatFault(fault))} (left out)\n`);
  return manifests;
}

/** All faults of all files. */
async function faultsOf(files: readonly string[], catalogue: readonly Manifest[]): Promise<FileFault[]> {
  const faults: FileFault[] = [];
  for (const file of files) faults.push(...(await surveyQueries(file, catalogue)).faults);
  return faults;
}

/**
 * Reads the catalogue and the labels of a tuning; undefined where they have faults, which were told.
 * @throws ReachError SERVER_UNREACHABLE and what the server answers; the file system's error
 */
export async function readTuneInputs(
  { manifests: paths = [], queries: files, recorded }: TuneFlags,
  server: URL | undefined,
  services: Screen,
): Promise<TuneInputs | undefined> {
  const manifests = await catalogueOf(paths, server, services);
  if (manifests === undefined) return undefined;
  const catalogue = manifests.map(({ manifest }) => manifest);
  const faults = await faultsOf(files, catalogue);
  if (faults.length > 0) {
    tellFaults(faults, 'the labels', services, 'tuned');
    return undefined;
  }
  const queries: LabelledQuery[] = [];
  for (const file of files) for await (const query of queriesOf(file)) queries.push(query);
  if (server !== undefined && recorded !== undefined)
    queries.push(...(await recordedQueries(server, recorded)));
  return { manifests, queries };
}
