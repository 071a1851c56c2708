import type { DecisionRecord } from '../record/decision-record.js';
import type { ShadowVerdict } from '../record/shadow-verdict.js';
import { capabilityKey } from '../wire/capability-key.js';
import type { ShadowComparison } from '../wire/shadow.js';

const MOST_CHANGES = 100;
const MOST_INTENTS = 3;
const INTENT_CHARS = 1_000;

type Pair = ShadowComparison['pairs'][number];
type Change = Pair['changes'][number];
type Decided = Change['shadow'];

const destinationOf = ({ outcome, targetAgent, capabilityId }: Decided): Decided => ({
  outcome,
  targetAgent,
  capabilityId,
});

/** Whether a decision names one of the right capabilities; where nothing fits, whether it leaves the intent to none. */
function isRight({ outcome, targetAgent, capabilityId }: Decided, expected: readonly string[]): boolean {
  if (targetAgent === null || capabilityId === null) return expected.length === 0;
  if (expected.length === 0) return outcome === 'fallback';
  return expected.includes(capabilityKey(targetAgent, capabilityId));
}

class Right {
  labelled = 0;
  inForce = 0;
  shadow = 0;

  add(record: Decided, shadow: Decided, expected: readonly string[] | undefined): void {
    if (expected === undefined) return;
    this.labelled += 1;
    this.inForce += Number(isRight(record, expected));
    this.shadow += Number(isRight(shadow, expected));
  }
}

/** Differing decisions of two weights, taken together where they differ in the same way. */
export class ShadowChanges {
  readonly #right = new Right();
  readonly #changes = new Map<string, Change & { readonly right: Right }>();
  #read = 0;

  /** Newest first. `expected`: the right capabilities; undefined where nobody knows. */
  add(record: DecisionRecord, verdict: ShadowVerdict, expected: readonly string[] | undefined): void {
    const [inForce, shadow] = [destinationOf(record), destinationOf(verdict)];
    const key = JSON.stringify([inForce, shadow]);
    const change = this.#changes.get(key) ?? { inForce, shadow, times: 0, right: new Right(), intents: [] };
    this.#changes.set(key, change);
    this.#read += 1;
    change.times += 1;
    this.#right.add(record, shadow, expected);
    change.right.add(record, shadow, expected);
    const intent = record.intent?.slice(0, INTENT_CHARS);
    const isNew = intent !== undefined && !change.intents.includes(intent);
    if (isNew && change.intents.length < MOST_INTENTS) change.intents.push(intent);
  }

  told(): Pick<Pair, 'read' | 'right' | 'changes'> {
    const changes = [...this.#changes.values()].sort((a, b) => b.times - a.times).slice(0, MOST_CHANGES);
    return {
      read: this.#read,
      right: { ...this.#right },
      changes: changes.map((change) => ({ ...change, right: { ...change.right } })),
    };
  }
}
