import { stat } from 'node:fs/promises';
import type { ReachOptions } from '../config.js';
import { publishManifests, readManifests } from '../evaluation/judged-catalogue.js';
import type { FileFault, ManifestFile } from '../manifest/check-manifests.js';
import type { RecordedIntents } from '../preview/recorded-intents.js';
import { askAgain, wouldChange } from '../preview/would-change.js';
import type { Reach } from '../reach.js';
import type { Overlap } from '../wire/agents.js';
import type { WouldChange } from '../wire/preview.js';
import type { RouteRequest } from '../wire/route.js';
import { ALONE } from './alone.js';
import type { CliServices } from './cli-services.js';
import { ProgressBar } from './progress-bar.js';
import { remoteReach } from './remote-reach.js';
import { servedManifests } from './served-manifests.js';
import { baseOf } from './server-url.js';

/** What came of holding manifests against a catalogue. */
export interface Comparison {
  /** Agents of the catalogue, without those that were checked themselves. */
  readonly agents: number;
  readonly overlaps: readonly Overlap[];
  /** Why manifests of the catalogue were left out. */
  readonly leftOut: readonly FileFault[];
  /** What the checked manifests would do to recorded intents; null where none were given. */
  readonly wouldChange: WouldChange | null;
}

/** What manifests are held against. */
interface Standard {
  /** A folder, or the URL of a server. */
  readonly against: string;
  readonly recorded: RecordedIntents | undefined;
}

export const isUrl = (against: string) => /^https?:\/\//i.test(against);

/** Whether there is something to compare with: the URL of a server, or a folder or file that is there. */
export async function isThere(against: string): Promise<boolean> {
  if (isUrl(against)) return true;
  return stat(against).then(
    () => true,
    () => false,
  );
}

/** Publishes each that can be; gives why others cannot. */
async function publishEach(
  manifests: readonly ManifestFile[],
  reach: Reach,
  onManifest: (index: number) => void,
) {
  const leftOut: FileFault[] = [];
  for (const [index, manifest] of manifests.entries()) {
    onManifest(index);
    leftOut.push(...(await publishManifests([manifest], reach)).faults);
  }
  return leftOut;
}

/** In a catalogue of its own a version only says what comes later. */
const versioned = (files: readonly ManifestFile[], manifestVersion: number): readonly ManifestFile[] =>
  files.map((file) => ({ ...file, manifest: { ...file.manifest, manifestVersion } }));

/**
 * Holds checked manifests against those of a folder or a server, and against each other, in a catalogue of its own:
 * an agent that is in both counts as it was checked. `recorded` intents are asked before and afterwards.
 * @throws ReachError SERVER_UNREACHABLE, CONFIG_INVALID, and as createReach
 */
export async function compare(
  checked: readonly ManifestFile[],
  { against, recorded }: Standard,
  options: ReachOptions,
  services: CliServices,
): Promise<Comparison> {
  const catalogue = isUrl(against)
    ? await servedManifests(remoteReach(baseOf(against)), against)
    : await readManifests([against]);
  const names = new Set(checked.map(({ manifest }) => manifest.agentName));
  const replaced = ({ manifest }: ManifestFile) => names.has(manifest.agentName);
  const before = recorded ? catalogue.manifests : catalogue.manifests.filter((file) => !replaced(file));
  const total = before.length + checked.length;
  const bar = new ProgressBar(services.stderr);
  let published = 0;
  const onEmbedded = (done: number, of: number) =>
    bar.show('Embedding the catalogue', published + done / of, total);
  const reach = await services.createReach({ ...options, ...ALONE }, { onEmbedded });
  const publish = async (files: readonly ManifestFile[], version: number) => {
    const start = published;
    const refused = await publishEach(versioned(files, version), reach, (index) => {
      published = start + index;
    });
    published = start + files.length;
    return refused;
  };
  const intents = recorded?.intents ?? [];
  let asked = 0;
  const route = (request: RouteRequest) => {
    bar.show('Asking recorded intents', asked++, 2 * intents.length);
    return reach.route(request);
  };
  try {
    const leftOut = [...catalogue.faults, ...(await publish(before, 1))];
    const was = await askAgain(intents, route, () => false);
    leftOut.push(...(await publish(checked, 2)));
    const is = await askAgain(intents, route, () => false);
    const overlaps: Overlap[] = [];
    for (const name of names) overlaps.push(...(await reach.overlaps(name)));
    const agents = reach.agents().agents.length - names.size;
    return { agents, overlaps, leftOut, wouldChange: recorded ? wouldChange(recorded, was, is) : null };
  } finally {
    bar.clear();
    await reach.close();
  }
}
