import { ReachError } from '../errors.js';
import { payloadOf } from '../live/payload-types.js';
import { slices } from '../manifest/slices.js';
import { differs } from '../record/shadow-verdict.js';
import type { ChangedIntent, Decided, WouldChange } from '../wire/preview.js';
import type { RouteRequest } from '../wire/route.js';
import type { RecordedIntent, RecordedIntents } from './recorded-intents.js';

type Decisions = ReadonlyMap<RecordedIntent, Decided>;

/** An intent as it is asked again. Of a payload without fields nobody knows whether it was sent. */
function requestOf({ intent, payloadFields }: RecordedIntent): RouteRequest {
  return Object.keys(payloadFields).length === 0 ? { intent } : { intent, payload: payloadOf(payloadFields) };
}

/**
 * Asks intents again, one after the other, until `isOver`. What cannot be decided is left out.
 * @throws ReachError CLOSED, and what `isOver` throws
 */
export async function askAgain(
  intents: Iterable<RecordedIntent>,
  route: (request: RouteRequest) => Promise<Decided>,
  isOver: () => boolean,
): Promise<Decisions> {
  const decisions = new Map<RecordedIntent, Decided>();
  const pause = slices();
  for (const each of intents) {
    if (isOver()) break;
    try {
      const { outcome, targetAgent, capabilityId, confidence } = await route(requestOf(each));
      decisions.set(each, { outcome, targetAgent, capabilityId, confidence });
    } catch (thrown) {
      if (!(thrown instanceof ReachError) || thrown.code === 'CLOSED') throw thrown;
    }
    await pause();
  }
  return decisions;
}

/** What differs between what was decided before and after: of the intents that were decided both times. */
export function wouldChange(
  { intents, since }: RecordedIntents,
  before: Decisions,
  after: Decisions,
): WouldChange {
  let asked = 0;
  const changed: ChangedIntent[] = [];
  for (const each of intents) {
    const [was, is] = [before.get(each), after.get(each)];
    if (was === undefined || is === undefined) continue;
    asked += 1;
    if (differs(was, is)) changed.push({ ...each, before: was, after: is });
  }
  changed.sort((a, b) => b.times - a.times);
  return { since, asked, changed, leftOut: intents.length - asked };
}
