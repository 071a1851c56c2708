import { type InstanceView, isEligible, isLastResort } from '../health/instance-view.js';
import type { Lane } from '../wire/dispatch.js';

/** What a slot is wanted for. */
export interface SlotWish {
  readonly agentName: string;
  readonly capabilityId: string;
  readonly lane: Lane;
  /** The instance to take where it is ready and has a slot. */
  readonly preferredId: string | null;
  /** Instances that are not to be taken. */
  readonly without: ReadonlySet<string>;
  /** Takes one of several that are ready and have a slot. */
  choose(open: readonly InstanceView[]): InstanceView | undefined;
}

/**
 * The instance to take, of those that may do the work and have room; `wait` where these are full, undefined where there
 * are none. Who is only said to be busy goes before waiting, since our own count says that it has a slot; a suspect is
 * taken only where all are.
 */
export function findInstance(
  { capabilityId, preferredId, without, choose }: SlotWish,
  views: readonly InstanceView[],
  hasRoom: (view: InstanceView) => boolean,
): InstanceView | 'wait' | undefined {
  const isFree = (view: InstanceView) =>
    isEligible(view, capabilityId) && !without.has(view.instanceId) && hasRoom(view);
  const preferred = preferredId === null ? undefined : views.find((view) => view.instanceId === preferredId);
  if (preferred !== undefined && isFree(preferred) && !isLastResort(preferred)) return preferred;
  const ready: InstanceView[] = [];
  const busy: InstanceView[] = [];
  const suspects: InstanceView[] = [];
  let eligible = false;
  let onlySuspects = true;
  for (const view of views) {
    if (!isEligible(view, capabilityId) || without.has(view.instanceId)) continue;
    eligible = true;
    onlySuspects &&= view.suspect;
    if (!hasRoom(view)) continue;
    if (!isLastResort(view)) ready.push(view);
    else (view.suspect ? suspects : busy).push(view);
  }
  if (!eligible) return undefined;
  const open = [ready, busy, onlySuspects ? suspects : []].find(({ length }) => length > 0);
  return open === undefined ? 'wait' : (choose(open) ?? 'wait');
}
