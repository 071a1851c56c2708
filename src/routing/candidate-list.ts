import type { Candidate } from '../wire/route.js';
import { featureOf, signalsOf } from './features.js';
import type { Group } from './groups.js';
import { whyNobody } from './nobody-open.js';
import { thresholdFor } from './thresholds.js';
import { isLastMember, type RankedMember, rankMember, rankMembers } from './utility.js';
import type { DecideInput, Verdict } from './verdict.js';

/** A score of 0 with a confidence of 0: what was never in the running. */
const OUT_OF_THE_RUNNING = 0;

function toCandidate(
  member: RankedMember,
  confidence: number,
  explain: boolean,
  excludedBy: string | undefined,
): Candidate {
  const { indexed, nearestText, features, relevance, coverage } = member.candidate;
  const candidate: Candidate = {
    agentName: indexed.agent.manifest.agentName,
    capabilityId: indexed.capability.id,
    similarity: nearestText()?.similarity ?? 0,
    lexical: featureOf(features, 'lexical'),
    coverage,
    relevance,
    confidence,
    reachability: member.reachability,
    load: member.load,
    priority: indexed.capability.priority,
    score: confidence * member.utility,
  };
  if (explain) Object.assign(candidate, explanationOf(member));
  if (excludedBy !== undefined) candidate.excludedBy = excludedBy;
  return candidate;
}

function explanationOf({ candidate: { indexed, nearestText, features }, utility }: RankedMember) {
  const example = indexed.capability.examples[nearestText()?.example ?? -1];
  return {
    ...(example !== undefined && { matchedExample: example }),
    signals: { ...signalsOf(features), utility },
  };
}

function isOf({ candidate }: RankedMember, agentName: string | null, capabilityId: string | null): boolean {
  const { agent, capability } = candidate.indexed;
  return capability.id === capabilityId && agent.manifest.agentName === agentName;
}

function isChosen(member: RankedMember, { targetAgent, capabilityId, outcome }: Verdict): boolean {
  return outcome === 'routed' && isOf(member, targetAgent, capabilityId);
}

/** Where a member stands among the others. */
interface Standing {
  readonly group: Group;
  readonly isBest: boolean;
  /** The one that was taken from its group, or that would be. */
  readonly first: RankedMember | undefined;
}

const twoDigits = (value: number) => value.toFixed(2);

function isOffered(member: RankedMember, { choices = [] }: Verdict): boolean {
  return choices.some((choice) => isOf(member, choice.agentName, choice.capabilityId));
}

function reasonAgainstGroup({ relevance }: Group, best: Group | undefined): string {
  if (best?.rule) return `the rule ${best.rule.rule.id} sends this to ${best.rule.target.key}`;
  if (best?.declared) return 'another capability declares this very intent as an example';
  return `less relevant than the best: ${twoDigits(relevance)} < ${twoDigits(best?.relevance ?? 0)}`;
}

/** Why a candidate that was in the running was not taken; undefined for the one that was. */
function reasonAgainst(
  member: RankedMember,
  { group, isBest, first }: Standing,
  verdict: Verdict,
  input: DecideInput,
): string | undefined {
  if (isChosen(member, verdict)) return undefined;
  if (isOffered(member, verdict)) return 'too close to call';
  if (!isBest) return reasonAgainstGroup(group, input.groups[0]);
  const { value: threshold, ruleId } = thresholdFor(member.candidate.indexed, input);
  if (group.confidence < threshold) {
    const from = ruleId === undefined ? '' : ` of the rule ${ruleId}`;
    return `confidence ${twoDigits(group.confidence)} < threshold ${threshold}${from}`;
  }
  const missing = input.payloadSent ? input.missingOf(member.candidate.indexed) : [];
  if (missing.length > 0) return `the payload lacks ${missing.join(', ')}`;
  if (member.instance === undefined) return whyNobody(member.views, member.candidate.indexed.capability.id);
  if (first !== undefined && isLastMember(member) && !isLastMember(first)) {
    return `equivalent to the chosen one, and ${member.instance.instanceId} is only a last resort: ${member.instance.reason}`;
  }
  if (first !== undefined && first.utility > member.utility) {
    return `equivalent to the chosen one, utility ${twoDigits(member.utility)} < ${twoDigits(first.utility)}`;
  }
  return 'equivalent to the chosen one, which goes first by priority, relevance or name';
}

/** The candidates that an answer lists: the best group's members first, then the others, each loser with its reason. */
export function listCandidates(
  input: DecideInput,
  bestMembers: readonly RankedMember[],
  verdict: Verdict,
): Candidate[] {
  const limit = input.explain ? Number.POSITIVE_INFINITY : input.topK;
  const listed: Candidate[] = [];
  for (const [i, group] of input.groups.entries()) {
    if (listed.length >= limit) break;
    const members = i === 0 ? bestMembers : rankMembers(group.members, input.utility);
    const first = members.find((member) => isChosen(member, verdict)) ?? members[0];
    for (const member of members) {
      const excludedBy = reasonAgainst(member, { group, isBest: i === 0, first }, verdict, input);
      listed.push(toCandidate(member, group.confidence, input.explain, excludedBy));
    }
  }
  if (!input.explain) return listed.length > limit ? listed.slice(0, limit) : listed;
  const filtered = input.filtered.map(({ candidate, reason }) => {
    const member = rankMember(candidate, input.utility);
    return toCandidate(member, OUT_OF_THE_RUNNING, true, reason);
  });
  return [...listed, ...filtered];
}
