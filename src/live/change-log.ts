import { capabilityKey } from '../wire/capability-key.js';
import type { Change, ChangeFilter } from '../wire/live.js';

/** So many changes can be told again. */
const KEPT = 10_000;

/** A change with the ids of the capabilities that its agent had at the time. */
export interface LoggedChange {
  readonly change: Change;
  readonly capabilities: readonly string[];
}

/** Whether a filter lets a change through. Notices about the service concern everybody. */
export function isWanted(
  { change, capabilities }: LoggedChange,
  { agent, capability }: ChangeFilter,
): boolean {
  const { agent: changed } = change;
  if (changed === null) return true;
  if (agent !== undefined && agent !== changed) return false;
  return (
    capability === undefined ||
    capabilities.some((id) => id === capability || capabilityKey(changed, id) === capability)
  );
}

/** The last changes, numbered from 1 on: one copy of them for all followers, each of which has its own place in it. */
export class ChangeLog {
  readonly #ring: LoggedChange[] = [];
  #last = 0;

  /** The number of the newest change; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** The number of the oldest change that is kept, or of the first that will be. */
  get oldest(): number {
    return Math.max(1, this.#last - KEPT + 1);
  }

  append(change: Omit<Change, 'seq'>, capabilities: readonly string[]): void {
    this.#last += 1;
    this.#ring[this.#last % KEPT] = { change: { seq: this.#last, ...change }, capabilities };
  }

  at(seq: number): LoggedChange | undefined {
    return seq < this.oldest || seq > this.#last ? undefined : this.#ring[seq % KEPT];
  }
}
