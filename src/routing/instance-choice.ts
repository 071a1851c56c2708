import { type InstanceView, isEligible, isLastResort } from '../health/instance-view.js';

/** What the choice among the instances of an agent depends on besides the instances. */
export interface InstancePreference {
  readonly region: string | undefined;
  /** An instance_id to try first. */
  readonly hint: string | undefined;
  /** Grows by one with every choice for the agent: shares work out. */
  readonly turn: number;
}

/** The fractional part of the golden ratio: its multiples fill 0..1 evenly, whatever stretch of them is looked at. */
const GOLDEN = 0.618_033_988_749_895;

/** How much of the work an instance should get: what its team gives it and it can take, shared by what it has. */
export function shareOf({ weight, reachability, pending }: InstanceView): number {
  return (weight * reachability) / (1 + pending);
}

/** The instances that may take work of a capability: those that are ready, else those that are a last resort. */
export function openInstances(views: readonly InstanceView[], capabilityId: string): readonly InstanceView[] {
  const ready: InstanceView[] = [];
  const lastResorts: InstanceView[] = [];
  for (const view of views) {
    if (isEligible(view, capabilityId)) (isLastResort(view) ? lastResorts : ready).push(view);
  }
  return ready.length > 0 ? ready : lastResorts;
}

/** One of some instances, each as often as its share says, and never long the same one. Without any share they take turns. */
function byShare(views: readonly InstanceView[], turn: number): InstanceView | undefined {
  let total = 0;
  for (const view of views) total += shareOf(view);
  let left = ((turn * GOLDEN) % 1) * total;
  const chosen = views.find((view) => {
    left -= shareOf(view);
    return left < 0;
  });
  return chosen ?? views[turn % views.length];
}

/**
 * The instance that takes the work, of those that are open to it: the hinted one, else one of the region where there
 * is any, in turn by share. Undefined where none is open.
 */
export function chooseInstance(
  open: readonly InstanceView[],
  { region, hint, turn }: InstancePreference,
): InstanceView | undefined {
  const hinted = hint === undefined ? undefined : open.find((view) => view.instanceId === hint);
  if (hinted !== undefined) return hinted;
  const near = region === undefined ? [] : open.filter((view) => view.region === region);
  return byShare(near.length > 0 ? near : open, turn);
}
