import type { StateChange } from '../health/state-change.js';
import { instanceKey } from '../registry/instance.js';

interface Merged {
  readonly from: StateChange['from'];
  readonly last: StateChange;
}

/** What happens to instances within one window, as one change an instance. */
export class ChangeWindow {
  readonly #merged = new Map<string, Merged>();
  /** What was told last of the instances that exist: a new address is a change, though its state may be as before. */
  readonly #addrVersions = new Map<string, number>();

  add(change: StateChange): void {
    const key = instanceKey(change);
    const { from } = this.#merged.get(key) ?? change;
    this.#merged.set(key, { from, last: change });
  }

  /**
   * Ends the window: of each instance the change from its first state to its last, with the reason of the last one;
   * nothing where it is as before. In the order in which they began.
   */
  take(): StateChange[] {
    const changes: StateChange[] = [];
    for (const [key, { from, last }] of this.#merged) {
      const { to, addrVersion } = last;
      const asBefore = from === to && (to === null || this.#addrVersions.get(key) === addrVersion);
      if (!asBefore) changes.push({ ...last, from });
      if (to === null) this.#addrVersions.delete(key);
      else this.#addrVersions.set(key, addrVersion);
    }
    this.#merged.clear();
    return changes;
  }
}
