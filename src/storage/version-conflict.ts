import { ReachError } from '../errors.js';
import type { NewestManifest } from '../registry/catalogue.js';

/**
 * The condition under which every adapter writes: the stored version is the expected one.
 * @throws ReachError MANIFEST_VERSION_STALE
 */
export function assertCurrentVersion(
  agentName: string,
  newest: NewestManifest | undefined,
  expectedVersion: number | null,
): void {
  const stored = newest === undefined || newest.removed ? null : newest.manifest.manifestVersion;
  if (stored === expectedVersion) return;
  const found = stored === null ? 'is no longer there' : `is at version ${stored} now`;
  throw new ReachError('MANIFEST_VERSION_STALE', `${agentName} was changed meanwhile: it ${found}.`);
}

/**
 * The other half of it: no version ever saved is higher, even where the agent was removed since.
 * @throws ReachError MANIFEST_VERSION_STALE
 */
export function assertNotBehind(
  agentName: string,
  newest: NewestManifest | undefined,
  version: number,
): void {
  const highest = newest?.manifest.manifestVersion ?? 0;
  if (version >= highest) return;
  throw new ReachError(
    'MANIFEST_VERSION_STALE',
    `${agentName} had version ${highest} before; version ${version} would go back.`,
  );
}
