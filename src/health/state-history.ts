import { takesWork } from './instance-view.js';
import type { StateChange } from './state-change.js';

const KEPT = 50;

/** Whether it is a matter of load: it took work before and does so afterwards. */
function staysInService({ from, to }: StateChange): boolean {
  return from !== null && to !== null && takesWork(from) && takesWork(to);
}

/**
 * The last changes of state of an instance, the oldest first. What happens while it takes work all the time (`up`,
 * `busy`, `degraded` and back, with every call perhaps) is one entry, from the first state to the last, so that it
 * crowds nothing out.
 */
export class StateHistory {
  #changes: StateChange[] = [];

  add(change: StateChange): void {
    const last = this.#changes.at(-1);
    if (last !== undefined && staysInService(last) && staysInService(change)) {
      this.#changes[this.#changes.length - 1] = { ...change, from: last.from };
      return;
    }
    this.#changes.push(change);
    if (this.#changes.length > KEPT) this.#changes.shift();
  }

  list(): readonly StateChange[] {
    return [...this.#changes];
  }
}
