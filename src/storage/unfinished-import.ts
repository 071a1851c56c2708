import { ReachError } from '../errors.js';

/** @throws ReachError STORE_UNAVAILABLE where an import has begun in a place and has not ended */
export function refuseUnfinishedImport(place: string, importId: string | undefined): void {
  if (importId === undefined) return;
  const detail = `An import into ${place} was broken off: run \`agent-reach store import\` with the same file again.`;
  throw new ReachError('STORE_UNAVAILABLE', detail);
}
