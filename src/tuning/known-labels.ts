import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { LabelCursor, LabelStore } from '../labels/label-store.js';
import type { DecisionRecord } from '../record/decision-record.js';
import type { PayloadFields } from '../wire/payload-fields.js';

/** About a millisecond of work on this thread. */
const PAGE = 200;

/** The same for what routing reads alike: the intent, and the names and types of the fields that came with it. */
function digestOf(intent: string, payloadFields: PayloadFields | null): string {
  const fields = Object.entries(payloadFields ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return hash('sha256', JSON.stringify([intent, fields]), 'base64');
}

/** What labels say is right for recorded decisions. Of those that contradict each other the newest counts. */
export class KnownLabels {
  readonly #byRoute = new Map<string, readonly string[]>();
  readonly #byDigest = new Map<string, readonly string[]>();

  /** @throws ReachError STORE_UNAVAILABLE, CLOSED, and the reason of `end` */
  static async read(store: LabelStore, team: string, end: AbortSignal): Promise<KnownLabels> {
    const known = new KnownLabels();
    let after: LabelCursor | undefined;
    do {
      end.throwIfAborted();
      const page = await store.page(team, { source: undefined, fromMs: 0, after, limit: PAGE });
      for (const { routeId, intent, payloadFields, expected } of page) {
        if (routeId !== null) known.#byRoute.set(routeId, expected);
        known.#byDigest.set(digestOf(intent, payloadFields), expected);
      }
      after = page.length < PAGE ? undefined : page.at(-1);
      await setImmediate();
    } while (after !== undefined);
    return known;
  }

  /** The capabilities that are right (`agent_name/id`; none: nothing fits); undefined where nobody has said. */
  expectedOf({ routeId, intent, payloadFields, reported }: DecisionRecord): readonly string[] | undefined {
    const named = reported?.rightCapability ?? null;
    if (named !== null) return [named];
    const ofRoute = this.#byRoute.get(routeId);
    if (ofRoute !== undefined || intent === null) return ofRoute;
    return this.#byDigest.get(digestOf(intent, payloadFields));
  }
}
