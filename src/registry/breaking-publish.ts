import { type FieldError, ReachError } from '../errors.js';
import type { Manifest } from '../manifest/schema.js';
import type { BreakingChange } from '../wire/agents.js';

/** More than these make a sentence that nobody reads. */
const NAMED = 3;

/**
 * @throws ReachError MANIFEST_BREAKING where anything breaks, with a pointer into the manifest `after` for each
 * change: what is gone is told at its capability.
 */
export function refuseBreaking(before: Manifest, after: Manifest, breaking: readonly BreakingChange[]): void {
  if (breaking.length === 0) return;
  const indexes = new Map(after.capabilities.map(({ id }, index) => [id, index]));
  const errors = breaking.map(({ capabilityId, kind, pointer, sentence }): FieldError => {
    const index = indexes.get(capabilityId);
    const capability = index === undefined ? '/capabilities' : `/capabilities/${index}`;
    return {
      pointer: kind === 'removed' ? capability : capability + pointer,
      expected: `nothing that breaks callers of version ${before.manifestVersion}`,
      received: sentence,
    };
  });
  const named = breaking.slice(0, NAMED).map(({ capabilityId, sentence }) => `${capabilityId}: ${sentence}`);
  const rest = breaking.length - named.length;
  throw new ReachError(
    'MANIFEST_BREAKING',
    `This manifest of ${after.agentName} would break callers of version ${before.manifestVersion}. ` +
      `${named.join(' ')}${rest > 0 ? ` And ${rest} more.` : ''}`,
    { errors },
  );
}
