import { createHash } from 'node:crypto';
import { canonicalJson } from '../manifest/canonical-json.js';
import { foldedIntent } from '../manifest/intent-match.js';
import type { Degrade } from '../manifest/schema.js';
import type { Conclusion } from '../requests/conclusion.js';
import type { RouteRequest } from '../wire/route.js';
import type { LastGood } from './last-good.js';

/** What answers in the place of failures at one capability; `undefined`: nothing does. */
export interface Standby {
  readonly degrade: Degrade | undefined;
  /** `agent_name/capability_id` */
  readonly capability: string;
  readonly request: RouteRequest;
}

/** The faults of a caller, which no other answer makes up for. */
const CALLERS_FAULTS: ReadonlySet<string> = new Set(['PAYLOAD_INVALID']);

/** Results are kept apart by person: what somebody asks of their own data is nothing to show to others. */
function keyOf({ capability, request: { intent = '', payload = null, userId = '' } }: Standby): string {
  const asked = canonicalJson([capability, foldedIntent(intent), payload, userId]);
  return createHash('sha256').update(asked).digest('base64');
}

/** How a dispatch ends where something stands in for its failure; undefined where nothing does. */
export function degraded(
  conclusion: Conclusion,
  standby: Standby,
  lastGood: LastGood,
): Conclusion | undefined {
  const { degrade } = standby;
  const { state, error } = conclusion;
  if (degrade === undefined || (state === 'failed' && CALLERS_FAULTS.has(error?.code ?? '')))
    return undefined;
  if (state === 'completed' && degrade.kind === 'last_good')
    lastGood.keep(keyOf(standby), conclusion.result ?? null);
  if (state !== 'failed') return undefined;
  const found =
    degrade.kind === 'canned' ? { result: degrade.value } : lastGood.find(keyOf(standby), degrade.maxAgeMs);
  return found && { ...conclusion, ...found, state: 'completed' };
}
