import { type InstanceView, isLastResort } from '../health/instance-view.js';
import type { RouteRequest } from '../wire/route.js';
import type { Affinity } from './conversation.js';
import { type InstanceCall, type InstanceChoice, openInstances } from './instance-choice.js';
import { byRelevance, type ScoredCandidate } from './scored-candidate.js';

/** What the choice among equivalents depends on besides the candidates themselves. */
export interface UtilityContext {
  readonly instancesOf: (agentName: string) => readonly InstanceView[];
  readonly prefer: NonNullable<RouteRequest['prefer']>;
  readonly region: InstanceCall['region'];
  readonly hint: InstanceCall['hint'];
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
  /** Whom the session stays with; undefined where there is no session, or nobody has served it yet. */
  readonly affinity: Affinity | undefined;
  readonly choice: Pick<InstanceChoice, 'choose'>;
  /** How often the agent was chosen so far. */
  readonly turnOf: (agentName: string) => number;
}

/** A member of a group with the instance that would serve it; none where nobody can take work. */
export interface RankedMember {
  readonly candidate: ScoredCandidate;
  /** All instances of the agent. */
  readonly views: readonly InstanceView[];
  readonly instance: InstanceView | undefined;
  /** Of that instance; where there is none, the best that any instance of the agent has. */
  readonly reachability: number;
  /** pending / max_concurrency of that instance, 0..1; 0 where no maximum is declared. */
  readonly load: number;
  /** 0..1; 0 where no instance is eligible. */
  readonly utility: number;
}

const REACHABILITY_COUNTS = 0.5;
const LATENCY_COUNTS = 0.3;
const AFFINITY_COUNTS = 0.2;
/** Latency is judged against this where the capability names no deadline, in ms. */
const DEFAULT_DEADLINE_MS = 5_000;
/** Utilities are compared in steps of this size: what is closer is equal, and priority decides. */
const STEP = 1e-6;
/** A member with the hinted instance goes before all others, if that can take work. */
const HINTED = 1;

const steps = (utility: number) => Math.round(utility / STEP);

function loadOf({ pending, maxConcurrency }: InstanceView): number {
  return maxConcurrency === undefined ? 0 : Math.min(1, pending / maxConcurrency);
}

/**
 * The utility of the best of an agent's instances for a capability; 0 without any. That of one is the mean of
 * reachability and speed (1 at no latency, 0 at the deadline, held back by load), weighted by the caller's preference,
 * and affinity (1 for the agent that served the session last) where a session gives one.
 */
function bestUtility(
  open: readonly InstanceView[],
  { agent, capability }: ScoredCandidate['indexed'],
  { prefer, hint, affinity: served }: UtilityContext,
): number {
  const { reachabilityScore = REACHABILITY_COUNTS, latency = LATENCY_COUNTS } = prefer;
  const { expectedMs = 0, deadlineMs = DEFAULT_DEADLINE_MS } = capability;
  const affinity = served === undefined ? 0 : (prefer.affinity ?? AFFINITY_COUNTS);
  const stays = agent.manifest.agentName === served?.agentName ? affinity : 0;
  const total = reachabilityScore + latency + affinity;
  let best = 0;
  for (const view of open) {
    if (view.instanceId === hint) return HINTED;
    const slowness = Math.min(1, (view.latencyMs ?? expectedMs) / deadlineMs);
    const speed = (1 - slowness) * (1 - loadOf(view));
    const weighed = reachabilityScore * view.reachability + latency * speed + stays;
    best = Math.max(best, total === 0 ? view.reachability : weighed / total);
  }
  return best;
}

function bestReachability(views: readonly InstanceView[]): number {
  return views.reduce((best, { reachability }) => Math.max(best, reachability), 0);
}

/** A candidate with the instance that would serve it now; its utility is that of its best instance. */
export function rankMember(candidate: ScoredCandidate, context: UtilityContext): RankedMember {
  const { agent, capability } = candidate.indexed;
  const { agentName } = agent.manifest;
  const views = context.instancesOf(agentName);
  const open = openInstances(views, capability.id);
  const { region, hint, sessionId, userId, affinity, turnOf, choice } = context;
  const instance = choice.choose(open, {
    agentName,
    capabilityId: capability.id,
    strategy: capability.instanceStrategy,
    sessionId,
    userId,
    affinity,
    region,
    hint,
    turn: turnOf(agentName),
  });
  return {
    candidate,
    views,
    instance,
    reachability: instance?.reachability ?? bestReachability(views),
    load: instance === undefined ? 0 : loadOf(instance),
    utility: bestUtility(open, candidate.indexed, context),
  };
}

/** Whether a member can be taken only where no other can. */
export function isLastMember({ instance }: RankedMember): boolean {
  return instance === undefined || isLastResort(instance);
}

/**
 * The members of a group, the one to take first: those with an instance that is ready, then by utility, then priority,
 * then relevance and identity.
 */
export function rankMembers(members: readonly ScoredCandidate[], context: UtilityContext): RankedMember[] {
  const ranked = members.map((candidate) => rankMember(candidate, context));
  return ranked.length === 1 ? ranked : ranked.sort(byRank);
}

function byRank(a: RankedMember, b: RankedMember): number {
  const byReadiness = Number(isLastMember(a)) - Number(isLastMember(b));
  const byUtility = steps(b.utility) - steps(a.utility);
  const byPriority = b.candidate.indexed.capability.priority - a.candidate.indexed.capability.priority;
  return byReadiness || byUtility || byPriority || byRelevance(a.candidate, b.candidate);
}
