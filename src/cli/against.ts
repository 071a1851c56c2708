import { stat } from 'node:fs/promises';
import type { ReachOptions } from '../config.js';
import { publishManifests, readManifests } from '../evaluation/judged-catalogue.js';
import type { FileFault, ManifestFile } from '../manifest/check-manifests.js';
import type { Reach } from '../reach.js';
import type { Overlap } from '../wire/agents.js';
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
}

const isUrl = (against: string) => /^https?:\/\//i.test(against);

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

/**
 * Holds checked manifests against those of a folder or a server, and against each other, in a catalogue of its own:
 * an agent that is in both counts as it was checked.
 * @throws ReachError SERVER_UNREACHABLE, CONFIG_INVALID, and as createReach
 */
export async function compare(
  checked: readonly ManifestFile[],
  against: string,
  options: ReachOptions,
  services: CliServices,
): Promise<Comparison> {
  const catalogue = isUrl(against)
    ? await servedManifests(remoteReach(baseOf(against)), against)
    : await readManifests([against]);
  const names = new Set(checked.map(({ manifest }) => manifest.agentName));
  const others = catalogue.manifests.filter(({ manifest }) => !names.has(manifest.agentName));
  const all = [...others, ...checked];
  const bar = new ProgressBar(services.stderr);
  let current = 0;
  const onEmbedded = (done: number, total: number) =>
    bar.show('Embedding the catalogue', current + done / total, all.length);
  const reach = await services.createReach(
    { ...options, manifests: null, routes: null, data: null, probes: false },
    { onEmbedded },
  );
  try {
    const refused = await publishEach(all, reach, (index) => {
      current = index;
    });
    const overlaps: Overlap[] = [];
    for (const name of names) overlaps.push(...(await reach.overlaps(name)));
    const leftOut = [...catalogue.faults, ...refused];
    return { agents: reach.agents().agents.length - names.size, overlaps, leftOut };
  } finally {
    bar.clear();
    await reach.close();
  }
}
