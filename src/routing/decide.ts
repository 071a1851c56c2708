import { capabilityKey } from '../wire/capability-key.js';
import type { RouteRequest } from '../wire/route.js';
import { listCandidates } from './candidate-list.js';
import type { Group } from './groups.js';
import { retryAfterMs, whyNobody } from './nobody-open.js';
import { thresholdFor } from './thresholds.js';
import { type RankedMember, rankMembers } from './utility.js';
import type { DecidedRoute, DecideInput, Verdict } from './verdict.js';
import type { Weights } from './weights.js';

/** A clarify offers at most so many choices. */
const MOST_CHOICES = 5;
/** What has less than this share of the best one's confidence is no rival of it. */
const NEAR = 0.25;

/** Of so many groups a decision takes notice. */
export function groupsNeeded(
  { topK, explain }: Pick<RouteRequest, 'topK' | 'explain'>,
  weights: Pick<Weights, 'top_k'>,
): number {
  return explain ? Number.POSITIVE_INFINITY : Math.max(topK ?? weights.top_k, MOST_CHOICES);
}

const NO_TARGET = {
  targetAgent: null,
  capabilityId: null,
  instanceId: null,
  targetAddress: null,
  addrVersion: null,
} as const;

function target({ candidate, instance }: RankedMember) {
  return {
    targetAgent: candidate.indexed.agent.manifest.agentName,
    capabilityId: candidate.indexed.capability.id,
    instanceId: instance?.instanceId ?? null,
    targetAddress: instance?.address ?? null,
    addrVersion: instance?.addrVersion ?? null,
  };
}

/**
 * The groups that are too close to call: the smallest number of leading groups that, taken as one, would be
 * sure enough, if each of them is nearly as likely as the best. Empty where it is not between them.
 */
function tooClose(input: DecideInput, threshold: number): readonly Group[] {
  const [best] = input.groups;
  if (best === undefined) return [];
  const near = input.groups
    .slice(0, MOST_CHOICES)
    .filter(({ confidence }) => confidence >= best.confidence * NEAR);
  let together = best.confidence;
  for (const [place, { confidence }] of near.entries()) {
    if (place === 0) continue;
    together += confidence;
    if (together >= threshold) return near.slice(0, place + 1);
  }
  return [];
}

function choicesOf(groups: readonly Group[]) {
  return groups.flatMap(({ members: [leader], confidence }) => {
    if (leader === undefined) return [];
    const { agent, capability } = leader.indexed;
    const { id: capabilityId, name } = capability;
    return [{ agentName: agent.manifest.agentName, capabilityId, name, confidence }];
  });
}

/** A member of the best group, with the threshold that counts for it. */
interface SureMember extends RankedMember {
  readonly threshold: number;
}

/** The confidence is high enough: take a member that has all it needs and can be reached, or say what is in the way. */
function settle(group: Group, sure: readonly [SureMember, ...SureMember[]], input: DecideInput): Verdict {
  const { confidence } = group;
  const [first] = sure;
  const complete = sure.filter(({ candidate }) => input.missingOf(candidate.indexed).length === 0);
  if (input.payloadSent && complete.length === 0) {
    const missing = input.missingOf(first.candidate.indexed);
    const reason = `The payload lacks ${missing.join(', ')}.`;
    const found = { ...target(first), instanceId: null, targetAddress: null, addrVersion: null };
    const asked = { confidence, threshold: first.threshold, score: 0, missingFields: [...missing] };
    return { outcome: 'clarify', reason, ...found, ...asked };
  }
  const usable = input.payloadSent ? complete : sure;
  const chosen = usable.find(({ instance }) => instance !== undefined);
  if (chosen === undefined) {
    const { key, capability } = first.candidate.indexed;
    const reason = `${key} fits, but ${whyNobody(first.views, capability.id)}.`;
    const retry = retryAfterMs(usable.flatMap(({ views }) => views));
    const nobody = { confidence, threshold: first.threshold, score: 0, retryAfterMs: retry };
    return { outcome: 'unreachable', reason, ...target(first), ...nobody };
  }
  const missing = input.missingOf(chosen.candidate.indexed);
  return {
    outcome: 'routed',
    reason: `${chosen.candidate.indexed.key} fits best, and ${chosen.instance?.instanceId} can take work.`,
    ...target(chosen),
    confidence,
    threshold: chosen.threshold,
    score: confidence * chosen.utility,
    ...(missing.length > 0 ? { missingFields: [...missing] } : {}),
  };
}

/** The confidence is too low: the fallback agent where there is one that can be reached, else a human. */
function abstain(best: Group | undefined, threshold: number, input: DecideInput): Verdict {
  const confidence = best?.confidence ?? 0;
  const why =
    best === undefined
      ? 'Nothing in the catalogue may be chosen'
      : `The best candidate has a confidence of ${confidence.toFixed(2)}, under ${threshold}`;
  const [fallback] = input.fallback === undefined ? [] : rankMembers([input.fallback], input.utility);
  if (fallback?.instance !== undefined) {
    const reason = `${why}: the fallback agent takes it.`;
    return { outcome: 'fallback', reason, ...target(fallback), confidence, threshold, score: 0 };
  }
  const reason = `${why}: this needs a human.`;
  return { outcome: 'human', reason, ...NO_TARGET, confidence, threshold, score: 0, ticketId: null };
}

/**
 * From groups of candidates to an outcome, with a reason for it and for every loser. The group is chosen by
 * confidence alone; utility only orders the members of that group, so nothing irrelevant wins on utility.
 */
export function decide(input: DecideInput): DecidedRoute {
  const [best] = input.groups;
  const members = best === undefined ? [] : rankMembers(best.members, input.utility);
  const [first] = members;
  if (best === undefined || first === undefined) {
    const threshold = input.threshold.request ?? input.threshold.global ?? input.weights.thresholds.global;
    const verdict = abstain(undefined, threshold, input);
    return { ...verdict, candidates: listCandidates(input, members, verdict) };
  }
  const verdict = verdictOn(best, [first, ...members.slice(1)], input);
  return { ...verdict, candidates: listCandidates(input, members, verdict) };
}

function verdictOn(
  best: Group,
  members: readonly [RankedMember, ...RankedMember[]],
  input: DecideInput,
): Verdict {
  const { confidence } = best;
  const judged = members.map((member) => ({
    ...member,
    threshold: thresholdFor(member.candidate.indexed, input),
  }));
  const [sure, ...others] = judged.filter((member) => confidence >= member.threshold);
  if (sure !== undefined) return settle(best, [sure, ...others], input);
  const threshold = Math.min(...judged.map((member) => member.threshold));
  const close = tooClose(input, threshold);
  if (close.length === 0) return abstain(best, threshold, input);
  const choices = choicesOf(close);
  const names = choices.map(({ agentName, capabilityId }) => capabilityKey(agentName, capabilityId));
  const reason = `Too close to call: ${names.join(', ')}.`;
  return { outcome: 'clarify', reason, ...NO_TARGET, confidence, threshold, score: 0, choices };
}
