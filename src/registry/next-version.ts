import { ReachError, sentenceOf } from '../errors.js';
import type { ManifestDocument } from '../manifest/schema.js';
import type { ManifestSource, StoredManifest } from './catalogue.js';
import { sameContent } from './same-content.js';

/**
 * The version that a checked document gets after the newest one of its agent: the newest's own where it says
 * the same, else a higher one. Only a folder may leave the version out; each change of a file is then the next.
 * @throws ReachError MANIFEST_INVALID where an API caller left it out; MANIFEST_VERSION_STALE where it is lower
 * than the newest, or the same for other content.
 */
export function nextVersion(
  document: ManifestDocument,
  newest: StoredManifest | undefined,
  source: ManifestSource,
): number {
  const declared = document.manifest_version;
  if (declared === undefined && source === 'api') throw versionMissing();
  if (newest === undefined) return declared ?? 1;
  const current = newest.manifestVersion;
  const same = sameContent(newest.document, document);
  if (declared === undefined && same) return current;
  const version = declared ?? current + 1;
  if (version > Number.MAX_SAFE_INTEGER) throw exhausted(newest);
  if (version > current || (version === current && same)) return version;
  throw stale(newest, version);
}

function exhausted({ agentName, manifestVersion }: StoredManifest): ReachError {
  const detail = `${agentName} is at version ${manifestVersion}, after which none can be counted.`;
  return new ReachError('MANIFEST_VERSION_STALE', detail);
}

/**
 * Whether a document that was not checked yet only repeats what was: nothing needs to be compiled or stored then.
 */
export function repeats(current: StoredManifest, document: unknown): boolean {
  if (typeof document !== 'object' || document === null) return false;
  const declared = 'manifest_version' in document ? document.manifest_version : undefined;
  const sameVersion =
    declared === current.manifestVersion || (declared === undefined && current.source === 'folder');
  return sameVersion && sameContent(current.document, document);
}

function versionMissing(): ReachError {
  const expected = 'a whole number of 1 or more, higher than at the last publish';
  const errors = [{ pointer: '/manifest_version', expected, received: 'nothing' }];
  return new ReachError('MANIFEST_INVALID', `${sentenceOf(errors)}.`, { errors });
}

function stale({ agentName, manifestVersion: current }: StoredManifest, declared: number): ReachError {
  const why =
    declared === current
      ? `${agentName} already has a version ${current} with other content`
      : `${agentName} is at version ${current}, and ${declared} is lower`;
  return new ReachError('MANIFEST_VERSION_STALE', `${why}; publish it as version ${current + 1} or higher.`);
}
