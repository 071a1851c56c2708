import { takesWork } from './instance-view.js';
import type { StateChange } from './state-change.js';

const KEPT = 50;

/** Whether it is a matter of load alone: it took work before, and does so in another state afterwards. */
function staysInService({ from, to }: StateChange): boolean {
  return from !== null && to !== null && from !== to && takesWork(from) && takesWork(to);
}

/**
 * The last changes of state of an instance, the oldest first. What happens while it takes work all the time (`up`,
 * `busy`, `degraded` and back, with every call perhaps) is one entry, from the first state to the last, and none where
 * these are the same, so that it crowds nothing out.
 */
export class StateHistory {
  readonly #changes: StateChange[] = [];

  add(change: StateChange): void {
    const last = this.#changes.at(-1);
    if (last === undefined || !staysInService(last) || !staysInService(change)) {
      this.#changes.push(change);
    } else {
      this.#changes.pop();
      if (last.from !== change.to) this.#changes.push({ ...change, from: last.from });
    }
    if (this.#changes.length > KEPT) this.#changes.shift();
  }

  list(): readonly StateChange[] {
    return [...this.#changes];
  }
}
