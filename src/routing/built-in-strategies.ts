import type { InstanceView } from '../health/instance-view.js';
import { textHash } from '../text-hash.js';
import type { InstanceStrategies, InstanceStrategy } from './instance-strategy.js';

/** The fractional part of the golden ratio: its multiples fill 0..1 evenly, whatever stretch of them is looked at. */
const GOLDEN = 0.618_033_988_749_895;

/** How much of the work an instance should get: what its team gives it and it can take, shared by what it has. */
function shareOf({ weight, reachability, pending }: InstanceView): number {
  return (weight * reachability) / (1 + pending);
}

/** The instance at a place, 0..1, of a line on which each takes as much room as its share; undefined without any share. */
function atPlace(open: readonly InstanceView[], place: number): InstanceView | undefined {
  let total = 0;
  for (const view of open) total += shareOf(view);
  let left = place * total;
  // No closure here: each new value of a number that one changes is an object, and there may be thousands of views.
  for (const view of open) {
    left -= shareOf(view);
    if (left < 0) return view;
  }
  return undefined;
}

/** The instance of which a function is largest; of equals the first. */
function largest(
  open: readonly InstanceView[],
  of: (view: InstanceView) => number,
): InstanceView | undefined {
  let best: InstanceView | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const view of open) {
    const value = of(view);
    if (value <= most) continue;
    best = view;
    most = value;
  }
  return best;
}

/** Each as often as its share says, and never long the same one. Without any share they take turns. */
export const WEIGHTED_ROUND_ROBIN: InstanceStrategy = {
  choose: (open, { turn }) => atPlace(open, (turn * GOLDEN) % 1) ?? open[turn % open.length],
};

/**
 * The strategies that a manifest may name. `random`: 0..1.
 * `sticky` is weighted rendezvous hashing: an instance that comes or goes moves none but those that go to it, or were
 * with it. It goes by weight alone, since every change of reachability would move somebody.
 */
export function builtInStrategies(random: () => number): InstanceStrategies {
  return {
    weighted_round_robin: WEIGHTED_ROUND_ROBIN,
    weighted_random: { choose: (open) => atPlace(open, random()) },
    least_pending: { choose: (open) => largest(open, shareOf) },
    sticky: {
      choose(open, { sessionId, userId }) {
        const whose = sessionId ?? userId;
        if (whose === undefined) return undefined;
        return largest(
          open,
          ({ instanceId, weight }) => -weight / Math.log(textHash(`${instanceId}\n${whose}`)),
        );
      },
    },
  };
}
