import { CapabilityNames } from '../evaluation/capability-names.js';
import { readManifests } from '../evaluation/judged-catalogue.js';
import { type QuerySurvey, surveyQueries } from '../evaluation/query-survey.js';
import type { ManifestFile } from '../manifest/check-manifests.js';
import type { CliServices } from './cli-services.js';
import type { EvaluateFlags } from './evaluate-flags.js';
import { faultyPart, tellFaults, type Undone } from './faulty-files.js';

/** What is evaluated, read and found to be usable. */
export interface EvaluateInputs {
  readonly manifests: readonly ManifestFile[];
  readonly names: CapabilityNames;
  readonly survey: QuerySurvey;
}

/** The manifests of a catalogue in files; undefined where they have faults, which were told. */
export async function readCatalogue(
  paths: readonly string[],
  services: Pick<CliServices, 'stderr'>,
  undone: Undone,
): Promise<readonly ManifestFile[] | undefined> {
  const { manifests, faults } = await readManifests(paths);
  if (faults.length === 0) return manifests;
  tellFaults(faults, 'the catalogue', services, undone);
  return undefined;
}

/**
 * Reads the catalogue and the queries of an evaluation; undefined where they have faults, which were told.
 * @throws the file system's error where the queries cannot be read
 */
export async function readInputs(
  { manifests: paths, queries }: EvaluateFlags,
  services: Pick<CliServices, 'stderr'>,
): Promise<EvaluateInputs | undefined> {
  const manifests = await readCatalogue(paths, services, 'measured');
  if (manifests === undefined) return undefined;
  const catalogue = manifests.map(({ manifest }) => manifest);
  const surveyed = await surveyQueries(queries, catalogue);
  if (surveyed.faults.length > 0) {
    tellFaults(surveyed.faults, faultyPart(surveyed), services, 'measured');
    return undefined;
  }
  return { manifests, names: new CapabilityNames(catalogue), survey: surveyed.survey };
}
