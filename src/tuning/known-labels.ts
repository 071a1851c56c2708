import { askedKey } from '../labels/label.js';
import type { StoredLabel } from '../labels/stored-label.js';
import type { DecisionRecord } from '../record/decision-record.js';

/** What labels say is right for recorded decisions. Of those that contradict each other the newest counts. */
export class KnownLabels {
  readonly #byRoute = new Map<string, readonly string[]>();
  readonly #byAsked = new Map<string, readonly string[]>();

  /** `labels`: oldest first. @throws what reading them throws, and the reason of `end` */
  static async read(labels: AsyncIterable<StoredLabel>, end: AbortSignal): Promise<KnownLabels> {
    const known = new KnownLabels();
    for await (const label of labels) {
      end.throwIfAborted();
      const { routeId, expected } = label;
      if (routeId !== null) known.#byRoute.set(routeId, expected);
      known.#byAsked.set(askedKey(label), expected);
    }
    return known;
  }

  /** The capabilities that are right (`agent_name/id`; none: nothing fits); undefined where nobody has said. */
  expectedOf({ routeId, intent, payloadFields, reported }: DecisionRecord): readonly string[] | undefined {
    const named = reported?.rightCapability ?? null;
    if (named !== null) return [named];
    const ofRoute = this.#byRoute.get(routeId);
    if (ofRoute !== undefined || intent === null) return ofRoute;
    return this.#byAsked.get(askedKey({ intent, payloadFields }));
  }
}
