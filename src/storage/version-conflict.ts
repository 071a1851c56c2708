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
  if (stored !== expectedVersion) throw changedMeanwhile(agentName, stored);
}

/** `stored`: the version that is stored; null for none, or a removed one. */
export function changedMeanwhile(agentName: string, stored: number | null): ReachError {
  const found = stored === null ? 'is no longer there' : `is at version ${stored} now`;
  return new ReachError('MANIFEST_VERSION_STALE', `${agentName} was changed meanwhile: it ${found}.`);
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
  if (version < highest) throw wouldGoBack(agentName, highest, version);
}

export function wouldGoBack(agentName: string, highest: number, version: number): ReachError {
  const detail = `${agentName} had version ${highest} before; version ${version} would go back.`;
  return new ReachError('MANIFEST_VERSION_STALE', detail);
}
