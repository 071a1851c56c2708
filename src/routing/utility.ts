import { type InstanceView, isEligible } from '../health/instance-view.js';
import type { RouteRequest } from '../wire/route.js';
import { byRelevance, type ScoredCandidate } from './scored-candidate.js';

/** What the choice among equivalents depends on besides the candidates themselves. */
export interface UtilityContext {
  readonly instancesOf: (agentName: string) => readonly InstanceView[];
  readonly prefer: NonNullable<RouteRequest['prefer']>;
  readonly region: string | undefined;
  /** An instance_id to try first. */
  readonly hint: string | undefined;
  /** Grows with every decision: shares work out among instances that are equally good. */
  readonly turn: number;
}

/** A member of the best group with the instance that would serve it; none where nobody can take work. */
export interface RankedMember {
  readonly candidate: ScoredCandidate;
  readonly instance: InstanceView | undefined;
  readonly reachability: number;
  readonly load: number;
  /** 0..1; 0 where no instance is eligible. */
  readonly utility: number;
}

const DEFAULT_PREFER = { reachabilityScore: 0.5, latency: 0.3 } as const;
/** Latency is judged against this where the capability names no deadline, in ms. */
const DEFAULT_DEADLINE_MS = 5_000;
/** Utilities are compared in steps of this size: what is closer is equal, and priority decides. */
const STEP = 1e-6;
/** A hinted instance that can take work goes before all others. */
const HINTED = 1;

const steps = (utility: number) => Math.round(utility / STEP);

function loadOf({ pending, maxConcurrency }: InstanceView): number {
  return maxConcurrency === undefined ? 0 : Math.min(1, pending / maxConcurrency);
}

/**
 * Utility of one instance: the mean of reachability and speed (1 at no latency, 0 at the deadline, held back by
 * load), weighted by the caller's preference. Affinity has no part in it where no session gives one.
 */
function utilityOf(
  view: InstanceView,
  { capability }: ScoredCandidate['indexed'],
  context: UtilityContext,
): number {
  const weights = { ...DEFAULT_PREFER, ...context.prefer };
  const latencyMs = view.latencyMs ?? capability.expectedMs ?? 0;
  const slowness = Math.min(1, latencyMs / (capability.deadlineMs ?? DEFAULT_DEADLINE_MS));
  const speed = (1 - slowness) * (1 - loadOf(view));
  const total = weights.reachabilityScore + weights.latency;
  if (total === 0) return view.reachability;
  return (weights.reachabilityScore * view.reachability + weights.latency * speed) / total;
}

/** One of some equally good instances, in turn and in proportion to their weights. */
function inTurn(views: readonly InstanceView[], turn: number): InstanceView | undefined {
  const total = views.reduce((sum, view) => sum + view.weight, 0);
  let left = total === 0 ? 0 : turn % total;
  return views.find((view) => {
    left -= view.weight;
    return left < 0;
  });
}

function chooseInstance(
  candidate: ScoredCandidate,
  context: UtilityContext,
): { view: InstanceView; utility: number } | undefined {
  const all = context.instancesOf(candidate.indexed.agent.manifest.agentName).filter(isEligible);
  const near = context.region === undefined ? [] : all.filter((view) => view.region === context.region);
  const eligible = near.length > 0 ? near : all;
  const scored = eligible.map((view) => ({ view, utility: utilityOf(view, candidate.indexed, context) }));
  const hinted = scored.find(({ view }) => view.instanceId === context.hint);
  if (hinted !== undefined) return { view: hinted.view, utility: HINTED };
  const best = Math.max(...scored.map(({ utility }) => utility));
  const equals = scored.filter(({ utility }) => steps(utility) === steps(best)).map(({ view }) => view);
  const view = inTurn(equals, context.turn);
  return view === undefined ? undefined : { view, utility: best };
}

/** A candidate with the best instance that could serve it now. */
export function rankMember(candidate: ScoredCandidate, context: UtilityContext): RankedMember {
  const chosen = chooseInstance(candidate, context);
  const views = context.instancesOf(candidate.indexed.agent.manifest.agentName);
  return {
    candidate,
    instance: chosen?.view,
    reachability: chosen?.view.reachability ?? Math.max(0, ...views.map((view) => view.reachability)),
    load: chosen === undefined ? 0 : loadOf(chosen.view),
    utility: chosen?.utility ?? 0,
  };
}

/** The members of a group, the one to take first: by utility, then priority, then relevance and identity. */
export function rankMembers(members: readonly ScoredCandidate[], context: UtilityContext): RankedMember[] {
  return members
    .map((candidate) => rankMember(candidate, context))
    .sort((a, b) => {
      const [left, right] = [a.candidate.indexed, b.candidate.indexed];
      const byUtility = steps(b.utility) - steps(a.utility);
      const byPriority = right.capability.priority - left.capability.priority;
      return byUtility || byPriority || byRelevance(a.candidate, b.candidate);
    });
}
