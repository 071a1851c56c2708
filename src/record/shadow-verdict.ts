import type { RecordedDecision } from '../wire/records.js';

/** What weights in the shadow would have decided. */
export type ShadowVerdict = NonNullable<RecordedDecision['shadow']>;

/** What of a decision another one can differ in. */
type Decided = Pick<RecordedDecision, 'outcome' | 'targetAgent' | 'capabilityId'>;

/** Whether two decisions come to something else; how confident they are of it does not count. */
export function differs(one: Decided, other: Decided): boolean {
  return (
    one.outcome !== other.outcome ||
    one.targetAgent !== other.targetAgent ||
    one.capabilityId !== other.capabilityId
  );
}
