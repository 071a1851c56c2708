import { capabilityKey } from '../wire/capability-key.js';
import type { RouteRequest } from '../wire/route.js';
import { listCandidates } from './candidate-list.js';
import type { Group } from './groups.js';
import type { LiveRule } from './live-rules.js';
import { retryAfterMs, whyNobody } from './nobody-open.js';
import { type StandIn, standInForNobody, standInOf } from './stand-in.js';
import { globalThreshold, type Threshold, thresholdFor } from './thresholds.js';
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

/** A target with what rules set for it; `chosenBy` is the rule that chose it, where one did. */
function target(
  { candidate: { indexed }, instance }: RankedMember,
  { rules }: DecideInput,
  chosenBy: LiveRule | undefined,
) {
  const setting = rules.settingFor(indexed)?.rule;
  const ruleId = chosenBy?.rule.id ?? setting?.id;
  const timeoutMs = chosenBy?.rule.timeoutMs ?? setting?.timeoutMs;
  return {
    targetAgent: indexed.agent.manifest.agentName,
    capabilityId: indexed.capability.id,
    instanceId: instance?.instanceId ?? null,
    targetAddress: instance?.address ?? null,
    addrVersion: instance?.addrVersion ?? null,
    ...(ruleId !== undefined && { ruleId }),
    ...(timeoutMs !== undefined && { timeoutMs }),
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

/** The confidence is high enough: take a member that has all it needs and can be reached, or say what is in the way. */
function settle(
  group: Group,
  sure: readonly RankedMember[],
  first: RankedMember,
  input: DecideInput,
): Verdict {
  const { confidence, rule } = group;
  const complete = sure.filter(({ candidate }) => input.missingOf(candidate.indexed).length === 0);
  if (input.payloadSent && complete.length === 0) {
    const missing = input.missingOf(first.candidate.indexed);
    const reason = `The payload lacks ${missing.join(', ')}.`;
    const found = { ...target(first, input, rule), instanceId: null, targetAddress: null, addrVersion: null };
    const threshold = thresholdFor(first.candidate.indexed, input).value;
    const asked = { confidence, threshold, score: 0, missingFields: [...missing] };
    return { outcome: 'clarify', reason, ...found, ...asked };
  }
  const usable = input.payloadSent ? complete : sure;
  const chosen = usable.find(({ instance }) => instance !== undefined);
  if (chosen === undefined) return nobodyFree(group, usable, first, input);
  const { key } = chosen.candidate.indexed;
  const why = rule === undefined ? `${key} fits best` : `The rule ${rule.rule.id} sends this to ${key}`;
  const missing = input.missingOf(chosen.candidate.indexed);
  return {
    outcome: 'routed',
    reason: `${why}, and ${chosen.instance?.instanceId} can take work.`,
    confidence,
    threshold: thresholdFor(chosen.candidate.indexed, input).value,
    score: confidence * chosen.utility,
    ...target(chosen, input, rule),
    ...(missing.length > 0 && { missingFields: [...missing] }),
  };
}

/** The right one cannot take work now: the fallback of the rule that chose it, or sets one for it, where that can. */
function nobodyFree(
  { confidence, rule }: Group,
  usable: readonly RankedMember[],
  first: RankedMember,
  input: DecideInput,
): Verdict {
  const { indexed } = first.candidate;
  const why = `${indexed.key} fits, but ${whyNobody(first.views, indexed.capability.id)}`;
  const judged = { confidence, threshold: thresholdFor(indexed, input).value, score: 0 };
  const standIn = standInOf(rule, input) ?? standInOf(input.rules.settingFor(indexed), input);
  if (standIn !== undefined) return taken(standIn, why, judged, input);
  const nobody = { ...judged, retryAfterMs: retryAfterMs(usable.flatMap(({ views }) => views)) };
  return { outcome: 'unreachable', reason: `${why}.`, ...target(first, input, rule), ...nobody };
}

/** What is the same whoever takes it. */
type Judged = Pick<Verdict, 'confidence' | 'threshold' | 'score'>;

function taken({ member, rule }: StandIn, why: string, judged: Judged, input: DecideInput): Verdict {
  const by =
    rule === undefined
      ? 'the fallback agent takes it'
      : `the rule ${rule.rule.id} sends it to ${member.candidate.indexed.key}`;
  return { outcome: 'fallback', reason: `${why}: ${by}.`, ...target(member, input, rule), ...judged };
}

/** The confidence is too low: whoever stands in for nobody where there is one who can, else a human. */
function abstain(
  best: Group | undefined,
  { value: threshold, ruleId }: Threshold,
  input: DecideInput,
): Verdict {
  const confidence = best?.confidence ?? 0;
  const why =
    best === undefined
      ? 'Nothing in the catalogue may be chosen'
      : `The best candidate has a confidence of ${confidence.toFixed(2)}, under ${threshold}`;
  const judged = { confidence, threshold, score: 0 };
  const standIn = standInForNobody(input);
  if (standIn !== undefined) return taken(standIn, why, judged, input);
  const reason = `${why}: this needs a human.`;
  return { outcome: 'human', reason, ...NO_TARGET, ...byRule(ruleId), ...judged, ticketId: null };
}

const byRule = (ruleId: string | undefined) => (ruleId === undefined ? {} : { ruleId });

/**
 * From groups of candidates to an outcome, with a reason for it and for every loser. The group is chosen by
 * confidence alone; utility only orders the members of that group, so nothing irrelevant wins on utility.
 */
export function decide(input: DecideInput): DecidedRoute {
  const [best] = input.groups;
  const members = best === undefined ? [] : rankMembers(best.members, input.utility);
  const [first] = members;
  if (best === undefined || first === undefined) {
    const { request } = input.threshold;
    const threshold = request === undefined ? globalThreshold(input) : { value: request, ruleId: undefined };
    const verdict = abstain(undefined, threshold, input);
    return { candidates: listCandidates(input, members, verdict), ...verdict };
  }
  const verdict = verdictOn(best, members, input);
  return { candidates: listCandidates(input, members, verdict), ...verdict };
}

/** `members`: those of the best group, at least one, the one to take first in front. */
function verdictOn(best: Group, members: readonly RankedMember[], input: DecideInput): Verdict {
  const { confidence } = best;
  const thresholdOf = ({ candidate }: RankedMember) => thresholdFor(candidate.indexed, input);
  const sure = members.filter((member) => confidence >= thresholdOf(member).value);
  const [first] = sure;
  if (first !== undefined) return settle(best, sure, first, input);
  const threshold = members
    .map(thresholdOf)
    .reduce((least, next) => (next.value < least.value ? next : least));
  const close = tooClose(input, threshold.value);
  if (close.length === 0) return abstain(best, threshold, input);
  const choices = choicesOf(close);
  const names = choices.map(({ agentName, capabilityId }) => capabilityKey(agentName, capabilityId));
  const reason = `Too close to call: ${names.join(', ')}.`;
  const asked = { ...byRule(threshold.ruleId), confidence, threshold: threshold.value, score: 0, choices };
  return { outcome: 'clarify', reason, ...NO_TARGET, ...asked };
}
