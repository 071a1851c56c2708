import type { Clock } from '../clock.js';
import type { DecisionMade, DecisionObserver } from '../routing/decision-observer.js';
import { capabilityKey } from '../wire/capability-key.js';

/** What routing has made of the catalogue since the service started. */
export interface Usage {
  /** How long that is, in ms. */
  readonly forMs: number;
  readonly decisions: number;
  /** Agents that were chosen. */
  readonly chosen: ReadonlySet<string>;
  /** Capabilities, as `agent_name/id`, that were among the candidates of an answer. */
  readonly reached: ReadonlySet<string>;
}

/** More names than any catalogue has; beyond them none are noted, so that agents that come and go fill no memory. */
const MOST_NAMES = 1_000_000;

/** Notes who is chosen and who is reached. A set of names, whatever the number of decisions. */
export class UsageLog implements DecisionObserver {
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #chosen = new Set<string>();
  readonly #reached = new Set<string>();
  #decisions = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  decided({ decision: { targetAgent, candidates } }: DecisionMade): void {
    this.#decisions += 1;
    if (targetAgent !== null) note(this.#chosen, targetAgent);
    for (const { agentName, capabilityId } of candidates) {
      note(this.#reached, capabilityKey(agentName, capabilityId));
    }
  }

  usage(): Usage {
    return {
      forMs: this.#clock.monotonic() - this.#startedAt,
      decisions: this.#decisions,
      chosen: this.#chosen,
      reached: this.#reached,
    };
  }
}

function note(names: Set<string>, name: string): void {
  if (names.size < MOST_NAMES) names.add(name);
}
